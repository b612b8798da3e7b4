/**
 * What the end of a foreign trainer's attempt shows: gathered from its log and its checkpoints, judged elsewhere
 * (decisions/proof-by-observation.ts).
 *
 * Reads the whole log once.
 */
import type { ObservedRun } from '../../decisions/failure.ts';
import type { CheckpointOnStore } from '../checkpoints.ts';
import { foreignLog } from './foreign-log.ts';
import { type ForeignReading, logPathOf } from './reading.ts';
import { continuesHistory } from './trainer-history.ts';
import { adapterActs, compareWeights } from './weights-changed.ts';

/** `checkpoints`: of the attempt, by step. */
export async function observeRun(
  directory: string,
  reading: ForeignReading,
  checkpoints: readonly CheckpointOnStore[],
): Promise<ObservedRun> {
  const log = foreignLog(logPathOf(directory, reading), reading);
  const progress = await log.readOn();
  const complete = checkpoints.filter(({ level }) => level === 'complete');
  const newest = complete.at(-1);
  const resumed = reading.resume?.path;
  return {
    startStep: log.startedAtStep,
    firstStep: log.firstStep ?? (reading.progress === 'none' ? (complete[0]?.step ?? null) : null),
    savedStep: newest?.step ?? null,
    continuesHistory:
      newest === undefined || resumed === undefined ? null : await continuesHistory(resumed, newest.path),
    weights: newest === undefined ? 'not-comparable' : await weightsOf(reading, complete, newest),
    finite: log.firstNotFinite === null && complete.every(({ finite }) => finite),
    metrics: reading.progress === 'none' ? {} : (progress?.metrics ?? {}),
  };
}

/** Against what it went on from, what it started from, or its own first checkpoint, whichever can be compared. */
async function weightsOf(
  { resume, start }: ForeignReading,
  complete: readonly CheckpointOnStore[],
  newest: CheckpointOnStore,
): Promise<ObservedRun['weights']> {
  const from = resume?.path ?? (start?.format === newest.format ? start.path : undefined);
  const compared = from === undefined ? 'not-comparable' : await compareWeights(from, newest.path);
  if (compared !== 'not-comparable') return compared;
  if (newest.format === 'peft' && resume === null && start?.format !== 'peft') return await adapterActs(newest.path);
  const [first] = complete;
  return first === undefined || first === newest ? 'not-comparable' : await compareWeights(first.path, newest.path);
}
