/**
 * What became of a checkpoint that was pruned: when, and by which rule.
 *
 * From the decisions, since many have no row of their own: what was never complete, and what was not due while its attempt lived. Does not
 * cover deleting (prune.ts).
 */
import { checkpointShortName } from '../decisions/checkpoint-id.ts';
import { TemperError } from '../decisions/errors.ts';
import { type PrunedFact, sentenceOfPruned } from '../decisions/prune-sentences.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { DecidedPruning } from './prune.ts';

/** By its id or its path; null where it was not pruned, or could not be deleted then. */
export async function prunedCheckpoint(ledger: Ledger, named: string): Promise<(PrunedFact & { id: string }) | null> {
  const of = async (question: 'prune' | 'not-pruned') =>
    (await ledger.decisionsThatName(named, question)).flatMap(({ answer, at }) =>
      (answer as readonly DecidedPruning[])
        .filter(({ id, path }) => id === named || path === named)
        .map(({ id, why }) => ({ id, why, at })),
    );
  const pruned = (await of('prune')).at(-1);
  if (pruned === undefined) return null;
  const isThereStill = (await of('not-pruned')).some(({ at }) => at >= pruned.at);
  return isThereStill ? null : pruned;
}

/** The same of one that may be named by its short name, as it is within its phase: the newest that was pruned. */
export async function prunedOfPhase(
  ledger: Ledger,
  { named, ...of }: { readonly runId: string; readonly phase: string; readonly named: string },
): ReturnType<typeof prunedCheckpoint> {
  const pruned = (await ledger.decisionsOf(of)).flatMap(({ question, answer }) =>
    question === 'prune' ? (answer as readonly DecidedPruning[]).map(({ id }) => id) : [],
  );
  const shortName = (id: string) =>
    checkpointShortName({ phase: of.phase, step: Number(/checkpoint-(\d+)$/.exec(id)?.[1]) });
  return await prunedCheckpoint(ledger, pruned.findLast((id) => shortName(id) === named) ?? named);
}

/** Throws `not-found` with when and why it went, and what is left, for one that nobody can do anything with any more. */
export async function mustNotBePruned(ledger: Ledger, { id, prunedAt }: CheckpointRecord): Promise<void> {
  if (prunedAt === null) return;
  const pruned = (await prunedCheckpoint(ledger, id)) ?? { at: prunedAt, why: null };
  throw new TemperError('not-found', `${id} ${sentenceOfPruned(pruned)}; what the ledger says of it stays`);
}

/** Of one that only its pruning is known of. */
export function nothingLeftOf(pruned: PrunedFact & { readonly id: string }): TemperError {
  const [, pipeline, phase] = /^(.+)\/([^/]+)\/a\d+\/checkpoint-\d+$/.exec(pruned.id) ?? [];
  const others =
    pipeline === undefined ? '' : `; \`temper prune ${pipeline} ${phase ?? ''} --dry-run\` lists what is there`;
  const message = `${pruned.id} ${sentenceOfPruned(pruned)}, and nothing else was written down of it${others}`;
  return new TemperError('not-found', message);
}
