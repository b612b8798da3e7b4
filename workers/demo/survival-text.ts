/** What a run that was killed again and again came to, for a terminal; and every promise that it did not keep. */
import { columnsText, type Column } from '../terminal/columns.ts';
import type { AttemptOfRun, PhaseOfRun } from './attempts-of-run.ts';
import type { PhaseKill } from './kill-each-phase.ts';
import type { Comparison } from './last-checkpoints.ts';

export interface Survival {
  readonly phases: readonly PhaseOfRun[];
  readonly kills: readonly PhaseKill[];
  /** By phase; null when there is no undisturbed run to compare with. */
  readonly comparisons: ReadonlyMap<string, Comparison> | null;
}

interface Row extends AttemptOfRun {
  readonly phase: string;
}

const columns: readonly Column<Row>[] = [
  { head: 'phase', cell: ({ phase }) => phase },
  { head: 'attempt', align: 'right', cell: ({ number }) => String(number) },
  {
    head: 'went on from',
    align: 'right',
    cell: ({ fromStep }) => (fromStep === 0 ? 'its start' : `step ${String(fromStep)}`),
  },
  { head: 'came to', align: 'right', cell: ({ toStep }) => `step ${String(toStep)}` },
  { head: 'work lost', align: 'right', cell: ({ secondsLost }) => `${secondsLost.toFixed(1)} s` },
  { head: 'how it ended', cell: ({ cause, state }) => cause ?? state },
];

export function survivalText(survival: Survival): string {
  const { phases, comparisons } = survival;
  const rows = phases.flatMap(({ phase, attempts }) => attempts.map((attempt) => ({ phase, ...attempt })));
  const steps = phases.map(({ phase, stepsTrained, stepsNeeded }) => {
    const again = stepsTrained - stepsNeeded;
    return `${phase.padEnd(8)} ${String(stepsNeeded)} steps, ${again === 0 ? 'none trained twice' : `${String(again)} of them trained twice`}${sameText(comparisons?.get(phase))}`;
  });
  return [columnsText(columns, rows), steps.join('\n')].join('\n\n');
}

function sameText(comparison: Comparison | undefined): string {
  if (comparison === undefined) return '';
  const { files, different } = comparison;
  if (different.length > 0) return `; its last checkpoint differs in ${different.join(', ')}`;
  return `; its last checkpoint is that of the undisturbed run, byte for byte (${files.join(', ')})`;
}

/** One line for each promise that was not kept. */
export function brokenPromises({ phases, kills, comparisons }: Survival): readonly string[] {
  return phases.flatMap(({ phase, attempts, stepsTrained, stepsNeeded, checkpointEvery }) => {
    const broken: string[] = [];
    const killsHere = kills.filter((kill) => kill.phase === phase).length;
    const fromStart = attempts.slice(1).find(({ fromStep }) => fromStep === 0);
    if (stepsNeeded > 0 && fromStart !== undefined)
      broken.push(`${phase}: attempt ${String(fromStart.number)} began at the phase's start again`);
    const again = stepsTrained - stepsNeeded;
    if (again > killsHere * (checkpointEvery ?? 0))
      broken.push(
        `${phase}: ${String(again)} steps were trained twice after ${String(killsHere)} kills, and a checkpoint comes every ${String(checkpointEvery)}`,
      );
    const different = comparisons?.get(phase)?.different ?? [];
    if (different.length > 0) broken.push(`${phase}: its last checkpoint is not that of the undisturbed run`);
    if (comparisons !== null && !comparisons.has(phase))
      broken.push(`${phase}: there is no last checkpoint to compare`);
    return broken;
  });
}
