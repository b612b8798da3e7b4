/**
 * What a job that evaluates has written: recorded in the ledger exactly once, and counted when it failed.
 *
 * Does not cover what makes rows an evaluation (decisions/outcomes.ts), what was asked (evaluation-request.ts) or judging the job (evaluations.ts).
 */
import type { EvaluatedBenchmark } from '../configs/schema.ts';
import type { ProblemOutcome } from '../decisions/evaluation.ts';
import { readOutcomes, type ReadOutcomes, readShard, togetherAgain } from '../decisions/outcomes.ts';
import type { RunStore } from '../store/run-store.ts';
import type { PhaseContext } from '../workflows/contract.ts';
import type { AttemptTicket } from './attempts.ts';
import { problemsOfBenchmark } from './benchmark-size.ts';
import type { ActivityDependencies } from './dependencies.ts';
import type { Requested } from './evaluation-request.ts';

interface RecordedOutcomes {
  /** Outputs of this job that are what they should be. */
  readonly whole: number;
  /** Evaluations that the ledger has now: those whose other shards are whole too. */
  readonly recorded: number;
  /** Of each output that is not, what is lacking. */
  readonly lacking: readonly string[];
}

/** Records each evaluation that is whole (its files came by rename), also of a job that failed later. Whichever shard ends last records all. */
export async function recordOutcomes(
  dependencies: ActivityDependencies,
  context: PhaseContext,
  { ticket, evaluations }: { readonly ticket: AttemptTicket; readonly evaluations: readonly Requested[] },
): Promise<RecordedOutcomes> {
  const { store } = dependencies.placeOf(context.profile);
  const lacking: string[] = [];
  let recorded = 0;
  for (const evaluation of evaluations) {
    const { checkpoint, benchmark, seed } = evaluation;
    const own = await readOutput(store, ticket.directory, evaluation);
    if (own.kind === 'incomplete') {
      lacking.push(own.why === null ? `${evaluation.output} is missing` : lackingText(evaluation, own.why));
      continue;
    }
    const all = await withOtherShards(dependencies, context, { evaluation, own: own.problems });
    if (all === null) continue;
    if (all.kind === 'incomplete') {
      lacking.push(lackingText(evaluation, all.why));
      continue;
    }
    const { problems } = all;
    const at = dependencies.now().toISOString();
    const made = { checkpoint: checkpoint.id, benchmark: benchmark.name, version: benchmark.version, seed, problems };
    await dependencies.ledger.recordEvaluation({
      evaluation: made,
      runId: context.runId,
      jobName: ticket.jobName,
      at,
    });
    recorded += 1;
  }
  return { whole: evaluations.length - lacking.length, recorded, lacking };
}

function lackingText({ output, benchmark, seed }: Requested, why: string): string {
  return `${output} (${benchmark.name}, seed ${seed}): ${why}`;
}

/** Without a word where there is no such file. */
async function readOutput(
  store: RunStore,
  directory: string,
  { benchmark, output, shard }: Requested,
): Promise<ReadOutcomes | { readonly kind: 'incomplete'; readonly why: null }> {
  const { samples, vote } = benchmark;
  const wanted = { samples, vote, problems: await problemsOfBenchmark(benchmark) };
  const mostBytes = mostBytesOf(benchmark, wanted.problems);
  const found = await store.lines(directory, output, mostBytes);
  switch (found.kind) {
    case 'missing':
      return { kind: 'incomplete', why: null };
    case 'too-long':
      return { kind: 'incomplete', why: `it is longer than ${(mostBytes / 2 ** 20).toFixed(1)} MiB` };
    case 'lines':
      return shard === undefined
        ? await readOutcomes(found.lines, wanted)
        : await readShard(found.lines, wanted, shard);
  }
}

/** Of rows that hold the whole completion and more; never more than a worker has memory for. */
function mostBytesOf(
  { samples, maxTokens }: Pick<EvaluatedBenchmark, 'samples' | 'maxTokens'>,
  problems: number | null,
): number {
  const most = 512 * 2 ** 20;
  const ofRow = 64 * 2 ** 10 + 32 * maxTokens;
  return problems === null ? most : Math.min(most, problems * samples * ofRow);
}

/** Of all shards; null while another one is not whole yet. */
async function withOtherShards(
  dependencies: ActivityDependencies,
  context: PhaseContext,
  { evaluation, own }: { readonly evaluation: Requested; readonly own: readonly ProblemOutcome[] },
): Promise<ReadOutcomes | null> {
  const { shard, key, benchmark } = evaluation;
  if (shard === undefined) return { kind: 'whole', problems: own };
  const { store } = dependencies.placeOf(context.profile);
  const { pipelineId: workflowId, runId, phase } = context;
  const attempts = await dependencies.ledger.attemptsOf({ workflowId, runId, phase: phase.name, purpose: 'evaluate' });
  const shards = new Map([[shard.index, own]]);
  for (const { directory, request } of attempts) {
    if (directory === null || request === null) continue;
    const same = (request as { evaluations: readonly Requested[] }).evaluations.find((one) => one.key === key);
    if (same?.shard?.of !== shard.of || shards.has(same.shard.index)) continue;
    const read = await readOutput(store, directory, same);
    if (read.kind === 'whole') shards.set(same.shard.index, read.problems);
  }
  if (shards.size < shard.of) return null;
  const inOrder = [...shards].sort(([a], [b]) => a - b).map(([, problems]) => problems);
  return togetherAgain(inOrder, await problemsOfBenchmark(benchmark));
}

/** Problems that this attempt was the first to finish: a line each in what its trainer keeps beside an output, where it does. */
export async function countNewProblems(
  store: RunStore,
  { directory }: AttemptTicket,
  evaluations: readonly Pick<Requested, 'output'>[],
): Promise<number> {
  let count = 0;
  for (const { output } of evaluations) {
    const kept = await store.text(directory, `${output}.part`);
    count += (kept ?? '').split('\n').length - 1;
  }
  return count;
}
