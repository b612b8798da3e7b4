/** What a chaos run did, as a table for a terminal, and what of it must not be. */
import { targets } from './kills.ts';
import type { ChaosReport } from './run-chaos.ts';

/** One line for each count that must be 0 and is not. */
export function failuresOf(report: ChaosReport): readonly string[] {
  const { twins, orphans, lostFinishedPhases, redoneSteps, unfinished, wrong } = report;
  const counts = { twins, orphans, 'finished phases trained again': lostFinishedPhases, 'steps redone': redoneSteps };
  return [
    ...Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${String(count)} ${name}: must be 0`])),
    ...unfinished.map((one) => `not completed: ${one}`),
    ...wrong.map((one) => `not the checkpoint of an undisturbed run: ${one}`),
  ];
}

export function chaosTable(report: ChaosReport, seed: number): string {
  const whole = (count: number) => String(count);
  const seconds = (value: number) => `${value.toFixed(1)} s`;
  const ofEach = targets
    .map((target) => [target, report.kills.filter((kill) => kill.target === target).length] as const)
    .filter(([, count]) => count > 0)
    .map(([target, count]) => `${target} ${String(count)}`);
  const rows: readonly (readonly [string, string, string])[] = [
    ['kills', whole(report.kills.length), ofEach.join(', ')],
    ['twins', whole(report.twins), 'trainers of one phase at the same time'],
    ['orphans', whole(report.orphans), 'processes that live after the end'],
    ['lost finished phases', whole(report.lostFinishedPhases), 'completed, and trained again'],
    ['redone steps', whole(report.redoneSteps), 'beyond the newest whole checkpoint'],
    ['wrong ends', whole(report.wrong.length), 'last checkpoints that an undisturbed run would not have'],
    ['unfinished', whole(report.unfinished.length), `of ${whole(report.pipelines)} pipelines`],
    ['attempts', whole(report.attempts), `${whole(report.releases)} held phases were released`],
    ['steps', whole(report.trainedSteps), `of which ${whole(report.usefulSteps)} counted`],
    ['seconds lost', seconds(report.lostSeconds), `in steps, of ${seconds(report.wallSeconds)} in all`],
    ['goodput', report.goodput.toFixed(2), 'share of the slots’ time in steps that counted'],
  ];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map(
    ([name, value, note]) => `${name.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)}  ${note}`,
  );
  return [...lines, `again: npm run bench -- chaos --kills ${whole(report.kills.length)} --seed ${whole(seed)}`].join(
    '\n',
  );
}
