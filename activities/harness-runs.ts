/**
 * A run of another harness counts once on a benchmark, however it is told: by its mean, or by the outcomes of all of it or of each part.
 *
 * Does not cover a score that is told twice in the same words (scores.ts).
 */
import { TemperError } from '../decisions/errors.ts';
import {
  type HarnessRun,
  newestCorrection,
  type OutsideScore,
  standingScores,
  type ToldScore,
} from '../decisions/outside-score.ts';

/**
 * The first score that this run counts by, or counted by before it was corrected; null where it does not, or was withdrawn. Throws `invalid-input`
 * where some of its parts count and this is the mean over all of them. `own`: all that the checkpoint has, with what
 * corrects those, of whichever checkpoint.
 */
export function countedBefore(own: readonly OutsideScore[], told: ToldScore): OutsideScore | null {
  const { run } = told;
  if (run === undefined) return null;
  const same = scoresOnSame(own, told).filter(
    (one) => one.run?.digest === run.digest && one.corrects === null && !newestCorrection(one, own).isWithdrawn,
  );
  const whole = same.find((one) => one.run?.isWhole);
  if (whole !== undefined) return whole;
  const [first] = same;
  if (!run.isWhole || first === undefined) return null;
  if (same.length >= told.runs) return first;
  const ids = same.map(({ id }) => `"${id}"`).join(', ');
  const message = `benchmark: ${String(same.length)} of the ${String(told.runs)} runs of ${textOf(run)} count on "${told.benchmark}" already, as ${ids}, and their mean would count them again: put the outputs of all beside the file`;
  throw new TemperError('invalid-input', message);
}

/**
 * Scores of two tasks, or by two metrics, on one benchmark would be put together as two runs. Throws `invalid-input`. `own`: all that the checkpoint
 * has.
 */
export function mustBeOneTask(own: readonly OutsideScore[], told: readonly ToldScore[]): void {
  const tasks = [...new Set(told.flatMap(({ run }) => (run === undefined ? [] : [textOf(run)])))];
  const [task] = tasks;
  if (tasks.length > 1) {
    const message = `benchmark: one benchmark is scored by one task, and there are ${String(tasks.length)}: name one with --task: ${tasks.slice(0, 20).join(', ')}`;
    throw new TemperError('invalid-input', message);
  }
  const [first] = told;
  if (first === undefined) return;
  const standing = standingScores(scoresOnSame(own, first));
  const other = standing.find(({ run }) => run !== undefined && textOf(run) !== task);
  if (other?.run === undefined) return;
  const message = `benchmark: one benchmark is scored by one task and metric, and "${other.benchmark}" has a score of ${other.checkpoint} by ${textOf(other.run)}, "${other.id}". Where that one is wrong: temper withdraw ${other.id} --note <why>`;
  throw new TemperError('invalid-input', message);
}

const textOf = ({ tool, task, metric }: HarnessRun): string => `${task} (${tool}, ${metric})`;

function scoresOnSame(
  own: readonly OutsideScore[],
  { checkpoint, benchmark, version }: ToldScore,
): readonly OutsideScore[] {
  return own.filter((one) => one.checkpoint === checkpoint && one.benchmark === benchmark && one.version === version);
}
