/**
 * What a job that evaluates has written: recorded in the ledger exactly once, and counted when it failed.
 *
 * Does not cover what makes rows an evaluation (decisions/outcomes.ts), what was asked (evaluation-request.ts) or judging the job (evaluations.ts).
 */
import { readOutcomes } from '../decisions/outcomes.ts';
import type { RunStore } from '../store/run-store.ts';
import type { PhaseContext } from '../workflows/contract.ts';
import type { AttemptTicket } from './attempts.ts';
import { problemsOfBenchmark } from './benchmark-size.ts';
import type { ActivityDependencies } from './dependencies.ts';
import type { Requested } from './evaluation-request.ts';

interface RecordedOutcomes {
  readonly recorded: number;
  /** Of each evaluation that is none, what is lacking. */
  readonly lacking: readonly string[];
}

/** Records each evaluation that is whole (its file came by rename), also of a job that failed later. */
export async function recordOutcomes(
  dependencies: ActivityDependencies,
  context: PhaseContext,
  { ticket, evaluations }: { readonly ticket: AttemptTicket; readonly evaluations: readonly Requested[] },
): Promise<RecordedOutcomes> {
  const { store } = dependencies.placeOf(context.profile);
  const lacking: string[] = [];
  let recorded = 0;
  for (const { checkpoint, benchmark, seed, output } of evaluations) {
    const text = await store.text(ticket.directory, output);
    if (text === null) {
      lacking.push(`${output} is missing`);
      continue;
    }
    const wanted = { samples: benchmark.samples, problems: await problemsOfBenchmark(benchmark) };
    const read = readOutcomes(text, wanted);
    if (read.kind === 'incomplete') {
      lacking.push(`${output} (${benchmark.name}, seed ${String(seed)}): ${read.why}`);
      continue;
    }
    const at = dependencies.now().toISOString();
    const evaluation = {
      checkpoint: checkpoint.id,
      benchmark: benchmark.name,
      version: benchmark.version,
      seed,
      problems: read.problems,
    };
    await dependencies.ledger.recordEvaluation({ evaluation, runId: context.runId, jobName: ticket.jobName, at });
    recorded += 1;
  }
  return { recorded, lacking };
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
