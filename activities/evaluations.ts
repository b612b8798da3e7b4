/**
 * Evaluation jobs: opened for what the ledger does not have, and their outcomes recorded exactly once.
 *
 * Covers one job that makes a list of evaluations. Does not cover running it (jobs.ts) or grading (trainers/).
 */
import { alsoAwayFrom } from '../decisions/attempt-changes.ts';
import type { Benchmark } from '../configs/schema.ts';
import { TemperError } from '../decisions/errors.ts';
import { checkpointShortName } from '../decisions/checkpoint-id.ts';
import { evaluationBudget } from '../decisions/evaluation-budget.ts';
import type { EvaluationKey } from '../decisions/evaluation.ts';
import { readOutcomes } from '../decisions/outcomes.ts';
import type { CheckpointRef, EvaluationInput, PhaseContext } from '../workflows/contract.ts';
import { reserve, type AttemptTicket } from './attempts.ts';
import { claimBenchmarks } from './benchmark-definitions.ts';
import { problemsOfBenchmark } from './benchmark-size.ts';
import { refOf } from './checkpoints-of-phase.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { suspectsOf } from './node-memory.ts';
import { type EndedAttempt, gatherEvidence, judge } from './judge-attempt.ts';

export interface EvaluationJudgement {
  readonly kind: 'completed' | 'again' | 'fail';
  readonly sentence: string;
  readonly delaySeconds: number;
}

interface EndedEvaluation extends EndedAttempt {
  /** Numbers that this evaluation has opened so far, this one included. */
  readonly attempts: readonly number[];
}

export interface EvaluationActivities {
  /** Null when the ledger has all of them; in words when the pipeline's budget has no room for what is missing. */
  openEvaluation(
    input: EvaluationInput & { readonly opened: number },
  ): Promise<AttemptTicket | { readonly spent: string } | null>;
  judgeEvaluation(input: EndedEvaluation): Promise<EvaluationJudgement>;
}

/** One evaluation of a request, as the trainer contract has it. */
interface Requested {
  readonly key: string;
  readonly checkpoint: Pick<CheckpointRef, 'id' | 'path' | 'format' | 'base' | 'digest'>;
  readonly benchmark: Benchmark & { readonly name: string };
  readonly seed: number;
  readonly output: string;
}

export function evaluationActivities(dependencies: ActivityDependencies): EvaluationActivities {
  const { ledger } = dependencies;
  return {
    async openEvaluation({ context, evaluations, title, opened }) {
      const missing = await missingOf(dependencies, evaluations);
      if (missing.length === 0) return null;
      const names = new Set(missing.map(({ benchmark }) => benchmark));
      await claimBenchmarks(ledger, context, { names, at: dependencies.now().toISOString() });
      const { number, directory, name, store } = await reserve(dependencies, { context, purpose: 'evaluate', opened });
      const spent = await beyondBudget(dependencies, context, { number, wanted: missing.length });
      if (spent !== null) return { spent };
      const asked = await Promise.all(missing.map((key, index) => requested(dependencies, context, { key, index })));
      const request = {
        contract: 1,
        job: name,
        pipeline: context.pipelineId,
        phase: context.phase.name,
        kind: 'evaluate',
        attempt: number,
        seed: context.seed,
        model: context.model,
        params: {},
        data: null,
        start: null,
        resume: null,
        targetStep: missing.length,
        outputDirectory: directory,
        evaluations: asked.map(({ request }) => request),
      };
      await store.writeRequest(directory, request);
      const key = { workflowId: context.pipelineId, phase: context.phase.name, purpose: 'evaluate' as const, number };
      await ledger.changeAttempt(key, {
        state: 'queued',
        at: dependencies.now().toISOString(),
        jobName: name,
        directory,
        request,
      });
      return {
        title: `${context.phase.name} evaluation`,
        purpose: 'evaluate',
        number,
        jobName: name,
        directory,
        resumeStep: 0,
        of: missing.length,
        dueSteps: [],
        sentence: title,
        asked: { job: name, attempt: number, targetStep: missing.length, resume: null, start: null, trains: false },
        changes: alsoAwayFrom([], await suspectsOf(dependencies, dependencies.placeOf(context.profile).backend)),
        withdraws: true,
        looksAt: {
          checkpoints: [...new Set(asked.map(({ checkpoint }) => checkpoint))],
          benchmarks: [...new Set(missing.map(({ benchmark }) => benchmark))],
        },
      };
    },
    judgeEvaluation: (ended) => judgeEvaluation(dependencies, ended),
  };
}

async function judgeEvaluation(
  dependencies: ActivityDependencies,
  ended: EndedEvaluation,
): Promise<EvaluationJudgement> {
  const { context, ticket } = ended;
  const { pipelineId: workflowId, runId, phase } = context;
  const opened = await dependencies.ledger.attemptsOf({ workflowId, runId, phase: phase.name, purpose: 'evaluate' });
  const attempt = opened.find(({ number }) => number === ticket.number);
  if (!attempt) {
    const message = `evaluation ${String(ticket.number)} of phase "${phase.name}" is not in the ledger`;
    throw new TemperError('ledger-conflict', message);
  }
  const { evaluations } = attempt.request as { evaluations: Requested[] };
  const { recorded, lacking } = await recordOutcomes(dependencies, context, { ticket, evaluations });
  const evidence = await gatherEvidence(dependencies, ended, {
    targetArtifactComplete: lacking.length === 0,
    ...(lacking.length > 0 && { lackingOutcomes: lacking }),
    newestCompleteStep: recorded,
    firstNotFiniteStep: null,
  });
  const judged = await judge(dependencies, ended, evidence);
  if (judged.kind === 'completed')
    return { kind: 'completed', sentence: `${String(recorded)} evaluations recorded`, delaySeconds: 0 };
  const ends = judged.decision.kind === 'fail' || judged.decision.kind === 'hold';
  return { kind: ends ? 'fail' : 'again', sentence: judged.sentence, delaySeconds: judged.decision.delaySeconds };
}

/** Made, and asked for by jobs of lower numbers that are on their way. Null where there is room. */
async function beyondBudget(
  { ledger, ...dependencies }: ActivityDependencies,
  { pipelineId: workflowId, runId, phase, budgets }: PhaseContext,
  { number, wanted }: { readonly number: number; readonly wanted: number },
): Promise<string | null> {
  const made = await ledger.evaluationCountOf(runId);
  const jobs = await ledger.attemptsOf({ workflowId, runId, phase: phase.name, purpose: 'evaluate' });
  // The answer of a try whose reply was lost stays.
  const wasRefused = jobs.some((job) => job.number === number && job.state === 'cancelled');
  const onTheirWay = jobs
    .filter((job) => job.number < number && job.endedAt === null)
    .map(({ request }) => (request as { evaluations?: readonly unknown[] } | null)?.evaluations?.length ?? 0)
    .reduce((sum, count) => sum + count, 0);
  const budget = evaluationBudget({ budget: budgets.evaluations, made, onTheirWay, wanted });
  if (budget.kind === 'room')
    return wasRefused ? 'The evaluation budget was spent when these evaluations were asked for' : null;
  const key = { workflowId, phase: phase.name, purpose: 'evaluate' as const, number };
  await ledger.changeAttempt(key, { state: 'cancelled', at: dependencies.now().toISOString() });
  return budget.sentence;
}

async function missingOf(
  { ledger }: ActivityDependencies,
  evaluations: readonly EvaluationKey[],
): Promise<EvaluationKey[]> {
  const done = await ledger.evaluationKeysOf([...new Set(evaluations.map(({ checkpoint }) => checkpoint))]);
  const text = ({ checkpoint, benchmark, version, seed }: EvaluationKey) =>
    JSON.stringify([checkpoint, benchmark, version, seed]);
  const have = new Set(done.map(text));
  return evaluations.filter((key) => !have.has(text(key)));
}

async function requested(
  { ledger }: ActivityDependencies,
  context: PhaseContext,
  { key, index }: { readonly key: EvaluationKey; readonly index: number },
): Promise<{ readonly request: Requested; readonly checkpoint: string }> {
  const record = await ledger.checkpoint(key.checkpoint);
  if (!record) throw new TemperError('not-found', `no checkpoint "${key.checkpoint}" is in the ledger`);
  const { id, path, format, base, digest } = refOf(record);
  const benchmark = context.benchmarks[key.benchmark];
  if (!benchmark) throw new TemperError('not-found', `the recipe has no benchmark "${key.benchmark}"`);
  const request: Requested = {
    key: `${key.benchmark}@${String(key.version)}/seed-${String(key.seed)}/${id}`,
    checkpoint: { id, path, format, base, digest },
    benchmark: { name: key.benchmark, ...benchmark },
    seed: key.seed,
    output: `outcomes/${String(index + 1).padStart(4, '0')}.jsonl`,
  };
  return { request, checkpoint: checkpointShortName(record) };
}

interface RecordedOutcomes {
  readonly recorded: number;
  /** Of each evaluation that is none, what is lacking. */
  readonly lacking: readonly string[];
}

/** Records each evaluation that is whole (its file came by rename), also of a job that failed later. */
async function recordOutcomes(
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
