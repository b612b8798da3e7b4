/** What `temper reap` prints: the jobs that run for nobody, those that stay, and how to go on. */
import type { Reaped } from '../../workflows/contract-questions.ts';
import { coloured } from './colour.ts';

export function reapText({ stopped, go, stay, omitted }: Reaped): string {
  const lines = [
    ...go.map(({ job, why }) => `${stopped ? 'stops ' : 'may go'}  ${job}: ${why}`),
    ...stay.map(({ job, why }) => coloured('quiet', `stays   ${job}: ${why}`)),
    ...(omitted > 0 ? [`… and ${String(omitted)} more`] : []),
  ];
  return [...lines, ...(lines.length > 0 ? [''] : []), summary(stopped, go.length)].join('\n');
}

function summary(stopped: boolean, count: number): string {
  if (count === 0) return 'No job runs for nobody.';
  const what = count === 1 ? '1 job runs for nobody' : `${String(count)} jobs run for nobody`;
  const them = count === 1 ? 'it' : 'them';
  return stopped
    ? `${what}, and ${count === 1 ? 'is' : 'are'} asked to stop: trainers save first.`
    : `${what}. Nothing was stopped: --yes stops ${them}.`;
}
