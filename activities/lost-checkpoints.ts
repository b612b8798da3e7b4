/**
 * Checkpoints of a sweep's next job that were deleted meanwhile, or cannot be read: the store is looked at once, and the ledger knows.
 *
 * Does not cover choosing the job (sweep-state.ts).
 */
import type { DueEvaluation, WhySkipped } from '../decisions/sweep.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { prunedCheckpoint } from './pruned-checkpoint.ts';
import type { SweepPlan } from './sweep-state.ts';

/** Checkpoints of a batch that were deleted meanwhile, or cannot be read. */
export async function lostOf(
  dependencies: ActivityDependencies,
  { sweep }: SweepPlan,
  batch: readonly DueEvaluation[],
): Promise<ReadonlyMap<string, WhySkipped>> {
  const { store } = dependencies.placeOf(sweep.profile);
  const lost = new Map<string, WhySkipped>();
  for (const id of new Set(batch.map(({ checkpoint }) => checkpoint))) {
    const record = await dependencies.ledger.checkpoint(id);
    for (const path of record === null ? [] : [record.path, ...(record.base === null ? [] : [record.base])]) {
      const because = await store.inspect(path).then(whyLost(path), notAllowed);
      if (because !== null) lost.set(id, await withPruning(dependencies, because));
    }
  }
  return lost;
}

/** `temper prune`, or the worker by itself, writes down what goes. */
async function withPruning({ ledger }: ActivityDependencies, because: WhySkipped): Promise<WhySkipped> {
  if (because.rule !== 'deleted') return because;
  const pruned = await prunedCheckpoint(ledger, because.path);
  return { ...because, pruned: pruned === null ? null : { at: pruned.at, why: pruned.why } };
}

const whyLost =
  (path: string) =>
  (found: { readonly level: string; readonly damage: string | null } | null): WhySkipped | null => {
    if (found === null) return { rule: 'deleted', path };
    return found.level === 'torn' ? { rule: 'unreadable', why: found.damage ?? 'it is torn' } : null;
  };

/** A store that is away comes back; what its user may not read will not. */
function notAllowed(error: unknown): WhySkipped {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'EACCES' && code !== 'EPERM') throw error;
  return { rule: 'unreadable', why: message };
}
