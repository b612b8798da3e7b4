/**
 * The checkpoints of a foreign trainer's attempt: those that Temper has taken, and those that are not complete, where they lie.
 *
 * Does not cover a job that still runs and its next scan (../scanner.ts).
 */
import type { DirectoryIs } from '../../decisions/job-over.ts';
import { asCheckpoint, checkpointsIn, type CheckpointOnStore } from '../checkpoints.ts';
import { collectCheckpoints } from './collect.ts';
import { foreignLog } from './foreign-log.ts';
import { type ForeignReading, logPathOf } from './reading.ts';

/** By step, torn ones included; of an abandoned directory those that were taken before. */
export async function foreignCheckpoints(
  directory: string,
  reading: ForeignReading,
  is: DirectoryIs = 'written',
): Promise<readonly CheckpointOnStore[]> {
  const log = foreignLog(logPathOf(directory, reading), reading);
  await log.readOn();
  const { firstNotFinite } = log;
  // What such a trainer rotates away is not let go either: others go on from it.
  if (is === 'abandoned') return await checkpointsIn(directory, firstNotFinite);
  const isOver = is === 'finished';
  const left = await collectCheckpoints(directory, reading, { seen: new Map(), isOver, firstNotFinite });
  const taken = await checkpointsIn(directory, firstNotFinite);
  const torn = left.map(({ path, inspection }) => {
    const damage = inspection.damage ?? 'it has no mark of its own, and may be written still';
    return asCheckpoint(path, { ...inspection, level: 'torn', resumable: false, damage }, firstNotFinite);
  });
  return [...taken, ...torn].sort((one, other) => one.step - other.step);
}
