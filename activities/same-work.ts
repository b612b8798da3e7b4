/**
 * The runs of a workflow id that trained the same in a phase: one that is started anew goes on with what those before it made, and what
 * they recorded of it stays theirs.
 *
 * Does not cover what lies on the store (checkpoints-of-phase.ts), or finished work of other pipelines (finished-work.ts).
 */
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import { begunAnewAfter } from './changes-of-phase.ts';

interface OfPhase {
  readonly runId: string;
  readonly phase: string;
}

/** By run id, this one among them, the newest first. */
export async function runsOfWork(ledger: Ledger, { runId, phase }: OfPhase): Promise<readonly string[]> {
  const own = (await ledger.phasesOf(runId)).find((one) => one.phase === phase);
  if (own === undefined) return [runId];
  return (await ledger.phasesOfWork(own)).map((record) => record.runId);
}

/** In the ledger, by attempt and step; none from before a person last had the phase begin anew. */
export async function checkpointsOfWork(ledger: Ledger, of: OfPhase): Promise<readonly CheckpointRecord[]> {
  const runs = (await runsOfWork(ledger, of)).map((runId) => ({ runId, phase: of.phase }));
  const anew = Math.max(...(await Promise.all(runs.map((run) => begunAnewAfter(ledger, run)))));
  const found = await Promise.all(runs.map((run) => ledger.checkpointsOf(run)));
  return found
    .flat()
    .filter(({ attempt }) => attempt > anew)
    .sort(byAttempt);
}

export function byAttempt(one: CheckpointRecord, other: CheckpointRecord): number {
  return one.attempt - other.attempt || one.step - other.step;
}
