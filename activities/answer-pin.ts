/**
 * What `temper pin` and `temper unpin` ask for: a checkpoint that no pruning deletes, or may again.
 *
 * Covers the pin with its decision. Does not cover pins and prunings at the same moment (store/ledger/pins.ts) or what else keeps one
 * (decisions/prune.ts).
 */
import { TemperError } from '../decisions/errors.ts';
import { sentenceOfKeep } from '../decisions/prune-sentences.ts';
import type { KeepReason } from '../decisions/prune.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { DecisionRecord } from '../store/ledger/decisions.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Pinned, PinQuestion } from '../workflows/contract-questions.ts';
import type { ReadingDependencies } from './dependencies.ts';
import { findCheckpoint } from './named-checkpoint.ts';
import { mustNotBePruned } from './pruned-checkpoint.ts';

/** Throws `not-found` for a checkpoint that nobody knows, and for a pin of one that is gone. */
export async function answerPin(dependencies: ReadingDependencies, question: PinQuestion): Promise<Pinned> {
  const { ledger } = dependencies;
  const { store } = dependencies.placeOf(undefined);
  const { checkpoint } = await findCheckpoint(ledger, question.checkpoint);
  if (question.pinned) {
    await mustNotBePruned(ledger, checkpoint);
    await mustBeThere(store, checkpoint);
  }
  const decision = decisionAbout(checkpoint, question, dependencies.now());
  const { id, path } = checkpoint;
  const { changed } = await (question.pinned
    ? ledger.pinCheckpoint(id, decision)
    : ledger.unpinCheckpoint(id, decision));
  const keeps = question.pinned ? [] : await whatKeeps(ledger, id);
  return { answer: 'pin', checkpoint: id, path, pinned: question.pinned, changed, keeps };
}

async function mustBeThere(store: RunStore, { id, path }: CheckpointRecord): Promise<void> {
  // What lies in another store only its own worker sees.
  if (!store.holds(path) || (await store.inspect(path)) !== null) return;
  throw new TemperError('not-found', `checkpoint "${id}" is not there any more (${path}): it cannot be pinned`);
}

function decisionAbout(
  { id, runId, phase }: CheckpointRecord,
  { pinned, by, reason }: PinQuestion,
  now: Date,
): DecisionRecord {
  const at = now.toISOString();
  const question = pinned ? 'pin' : 'unpin';
  const said = { by, ...(reason === undefined ? {} : { reason }) };
  return {
    key: `${runId}/${phase}/${question}/${id}/${at}`,
    runId,
    phase,
    attempt: null,
    question,
    answer: id,
    evidence: said,
    at,
  };
}

/** Of what the ledger knows; steps that are due and the newest two stay besides. */
async function whatKeeps(ledger: Ledger, id: string): Promise<readonly string[]> {
  const uses = await ledger.usesOf([id]);
  const rules: readonly KeepReason[] = [
    ...(uses.promoted.has(id) ? [{ rule: 'promoted' as const }] : []),
    ...(uses.parents.has(id) ? [{ rule: 'parent' as const }] : []),
    ...(uses.evaluated.has(id) ? [{ rule: 'evaluated' as const }] : []),
  ];
  return rules.map(sentenceOfKeep);
}
