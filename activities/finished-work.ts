/**
 * Finished work of the same identity whose checkpoint is still what was sealed.
 *
 * Covers looking it up, and leaving out what only another recipe decided. Does not cover reusing it (promotion.ts) or saying so beforehand (plan.ts).
 */
import type { HoldRule } from '../decisions/hold.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { FinishedPhase } from '../store/ledger/phases.ts';
import type { RunStore } from '../store/run-store.ts';

export interface FinishedCheckpoint {
  readonly finished: FinishedPhase;
  readonly checkpoint: CheckpointRecord;
}

export interface FinishedWorkFound {
  /** The newest whose seal agrees in names and sizes, and is the one that was promoted. */
  readonly sealed: FinishedCheckpoint | null;
  /** The newest whose seal does not. */
  readonly notSealed: FinishedCheckpoint | null;
  /** The newest that lies in another store, which jobs of this place do not see: one ledger may serve several. */
  readonly elsewhere: FinishedCheckpoint | null;
  /** The newest that ended as its recipe said because nobody came, and this recipe says otherwise. */
  readonly undecided: FinishedCheckpoint | null;
}

export async function findFinishedWork(
  { ledger, store }: { readonly ledger: Ledger; readonly store: RunStore },
  { identity, hold }: { readonly identity: string; readonly hold: HoldRule },
): Promise<FinishedWorkFound> {
  let undecided: FinishedCheckpoint | null = null;
  let notSealed: FinishedCheckpoint | null = null;
  let elsewhere: FinishedCheckpoint | null = null;
  for (const finished of await ledger.findFinishedPhases(identity)) {
    const checkpoint = await ledger.checkpoint(finished.promoted);
    if (checkpoint === null) continue;
    if (!(await saysTheSame(ledger, finished, hold))) undecided ??= { finished, checkpoint };
    else if (!store.holds(checkpoint.path)) elsewhere ??= { finished, checkpoint };
    else if (await isWhole(store, checkpoint))
      return { sealed: { finished, checkpoint }, notSealed, elsewhere, undecided };
    else notSealed ??= { finished, checkpoint };
  }
  return { sealed: null, notSealed, elsewhere, undecided };
}

/** Whether this recipe would have gone on as that of the finished phase did wherever nobody came; also where a person always did. */
async function saysTheSame(ledger: Ledger, { runId, phase }: FinishedPhase, { then }: HoldRule): Promise<boolean> {
  const releases = (await ledger.decisionsOf({ runId, phase })).filter(({ question }) => question === 'release');
  return releases.every(({ answer }) => answer === 'go on' || answer === then);
}

/** Its seal agrees, and for an adapter the model below it is there. */
export async function isWhole(store: RunStore, { path, digest, base }: CheckpointRecord): Promise<boolean> {
  if ((await store.inspect(path))?.seal?.digest !== digest) return false;
  return base === null || (await store.inspect(base))?.level === 'complete';
}
