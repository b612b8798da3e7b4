/**
 * What `temper prune` asks for: which checkpoints may go, with their sizes, and why the others stay; deleted when it says so.
 *
 * Covers one pipeline or all. Does not cover the rule (decisions/prune.ts) or deleting (prune.ts).
 */
import { sentenceOfGo, sentenceOfKeep } from '../decisions/prune-sentences.ts';
import type { Pruned, PruneQuestion } from '../workflows/contract-questions.ts';
import type { ReadingDependencies } from './dependencies.ts';
import { findPhases, findPipeline } from './named-run.ts';
import { prune, pruningOf } from './prune.ts';

const mostRuns = 1000;
/** Lines of each list: about 100 KB at most. */
const mostLines = 400;

/** Throws `not-found` when there is no such pipeline or phase. */
export async function answerPrune(dependencies: ReadingDependencies, question: PruneQuestion): Promise<Pruned> {
  const { ledger } = dependencies;
  const { store } = dependencies.placeOf(undefined);
  const { pipeline, phase } = question;
  if (pipeline !== undefined) {
    const { runId } = await findPipeline(ledger, pipeline);
    await findPhases(ledger, runId, phase);
  }
  const all = pipeline === undefined ? await ledger.pipelines({ limit: mostRuns }) : [{ workflowId: pipeline }];
  const now = new Date();
  const found = [];
  for (const workflowId of new Set(all.map((one) => one.workflowId))) {
    const scope = { workflowId, phase };
    found.push(
      question.delete ? await prune({ ledger, store }, scope, now) : await pruningOf({ ledger, store }, scope),
    );
  }
  const go = found.flatMap((part) => [
    ...part.go.map(({ id, bytes, why }) => ({ what: id, bytes, why: sentenceOfGo(why) })),
    ...part.leftovers.map(({ path, bytes }) => ({
      what: path,
      bytes,
      why: 'left by a deletion or a writer that was killed',
    })),
  ]);
  const stay = found.flatMap((part) => part.stay.map(({ id, why }) => ({ what: id, why: sentenceOfKeep(why) })));
  return {
    answer: 'prune',
    deleted: question.delete,
    freedBytes: found.reduce((sum, { freedBytes }) => sum + freedBytes, 0),
    go: go.slice(0, mostLines),
    stay: stay.slice(0, mostLines),
    omitted: Math.max(0, go.length - mostLines) + Math.max(0, stay.length - mostLines),
  };
}
