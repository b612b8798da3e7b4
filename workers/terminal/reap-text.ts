/** What `temper reap` prints: the jobs that run for nobody, what became of their stops, those that stay, and how to go on. */
import type { Reaped } from '../../workflows/contract-questions.ts';
import { coloured } from './colour.ts';

export function reapText(reaped: Reaped): string {
  const { go, stay, counts } = reaped;
  const lines = [
    ...go.map(goes),
    ...more(counts.go - go.length, 'run for nobody'),
    ...stay.map(({ job, why }) => coloured('quiet', `stays    ${job}: ${why}`)),
    ...more(counts.stay - stay.length, 'stay'),
  ];
  return [...lines, ...(lines.length > 0 ? [''] : []), summary(reaped)].join('\n');
}

function goes({ job, why, outcome }: Reaped['go'][number]): string {
  switch (outcome?.kind) {
    case undefined:
      return `may go   ${job}: ${why}`;
    case 'stopped':
      return `stopped  ${job}: ${why}`;
    case 'stopping':
      return `saves    ${job}: ${why}`;
    case 'refused':
      return coloured('bad', `runs on  ${job}: ${why}; it could not be stopped: ${outcome.because}`);
  }
}

function more(count: number, does: string): string[] {
  return count > 0 ? [`… and ${String(count)} more that ${does}`] : [];
}

function summary({ stopped, counts }: Reaped): string {
  if (counts.go + counts.stay === 0) return 'No job runs.';
  if (counts.go === 0) return 'Every job’s workflow run is open, closed lately or unknown.';
  const what = counts.go === 1 ? '1 job runs for nobody' : `${String(counts.go)} jobs run for nobody`;
  if (!stopped) return `${what}. Nothing was stopped: --yes stops ${counts.go === 1 ? 'it' : 'them'}.`;
  const outcomes = [
    [counts.stopped, 'stopped'],
    [counts.stopping, 'asked to stop, still saving: temper reap lists what is not gone'],
    [counts.refused, 'could not be stopped: the worker tries again each minute'],
  ] as const;
  const parts = outcomes.filter(([count]) => count > 0).map(([count, words]) => `${String(count)} ${words}`);
  return [`${what}:`, ...parts.map((part) => `  ${part}`)].join('\n');
}
