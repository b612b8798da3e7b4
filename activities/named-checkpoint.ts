/**
 * The checkpoint that a person names: by its id, by `pipeline/phase` (what the newest run that ended this phase went on with), or by its path.
 *
 * Covers finding it in the ledger. Does not cover whether it lies there still, or what may be done with it.
 */
import { isAbsolute } from 'node:path';
import { nearestName } from '../configs/nearest-name.ts';
import { TemperError } from '../decisions/errors.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { PhaseRecord } from '../store/ledger/phases.ts';
import { nothingLeftOf, prunedCheckpoint } from './pruned-checkpoint.ts';

export interface NamedCheckpoint {
  readonly checkpoint: CheckpointRecord;
  /** The phase that it was named by; null where it was named by its id or its path. */
  readonly by: PhaseRecord | null;
}

/** Throws `not-found` with the nearest name, or with when and why it was pruned where that is all that is known. */
export async function findCheckpoint(ledger: Ledger, named: string): Promise<NamedCheckpoint> {
  const path = isAbsolute(named) ? named.replace(/\/+$/, '') : null;
  const known = path === null ? await ledger.checkpoint(named) : await ledger.checkpointAt(path);
  if (known !== null) return { checkpoint: known, by: null };
  const pruned = await prunedCheckpoint(ledger, path ?? named);
  if (pruned !== null) throw nothingLeftOf(pruned);
  if (path !== null) throw new TemperError('not-found', `no checkpoint of the ledger lies in ${named}`);
  return await promotedBy(ledger, named);
}

async function promotedBy(ledger: Ledger, named: string): Promise<NamedCheckpoint> {
  const [pipeline, name] = parted(named);
  const runs = await ledger.pipelines({ workflowId: pipeline, limit: 1000 });
  if (runs.length === 0) throw unknown(named, await pipelinesOf(ledger));
  const phases = (await Promise.all(runs.map(({ runId }) => ledger.phasesOf(runId)))).flat();
  const ofThisName = phases.filter(({ phase }) => phase === name);
  const by = ofThisName.find(({ promoted }) => promoted !== null);
  if (by?.promoted) {
    const checkpoint = await ledger.checkpoint(by.promoted);
    if (checkpoint !== null) return { checkpoint, by };
    throw new TemperError(
      'not-found',
      `phase "${name}" of ${pipeline} promoted ${by.promoted}, which is not in this ledger`,
    );
  }
  const [newest] = ofThisName;
  if (newest !== undefined)
    throw new TemperError(
      'not-found',
      `phase "${name}" of ${pipeline} has promoted nothing yet: it is ${newest.state}`,
    );
  throw unknown(named, [...new Set(phases.map(({ phase }) => `${pipeline}/${phase}`))]);
}

/** An id of a workflow may have slashes of its own, a phase has none. */
function parted(named: string): [pipeline: string, phase: string] {
  const at = named.lastIndexOf('/');
  return [named.slice(0, Math.max(0, at)), named.slice(at + 1)];
}

async function pipelinesOf(ledger: Ledger): Promise<readonly string[]> {
  const newest = await ledger.pipelines({ limit: 20 });
  const phases = await Promise.all(newest.map(({ runId }) => ledger.phasesOf(runId)));
  return [...new Set(phases.flat().map(({ workflowId, phase }) => `${workflowId}/${phase}`))];
}

function unknown(named: string, known: readonly string[]): TemperError {
  const near = nearestName(named, known);
  const meant = near === null ? '' : `; did you mean "${near}"?`;
  const there = known.slice(0, 20).join(', ') || 'none';
  return new TemperError(
    'not-found',
    `no checkpoint "${named}" is in the ledger${meant === '' ? ';' : meant} a checkpoint is named by its id, by pipeline/phase or by its path; pipeline/phase are: ${there}`,
  );
}
