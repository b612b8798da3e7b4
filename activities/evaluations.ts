/**
 * Evaluation jobs: opened for what the ledger does not have, and their outcomes recorded exactly once.
 *
 * Covers one job that makes a list of evaluations. Does not cover what its request says (evaluation-request.ts),
 * reading outcomes (evaluation-outcomes.ts), running it (jobs.ts) or grading (trainers/).
 */
import { gpusOfJob } from '../configs/job-needs.ts';
import { alsoAwayFrom } from '../decisions/attempt-changes.ts';
import { TemperError } from '../decisions/errors.ts';
import { evaluationBudget } from '../decisions/evaluation-budget.ts';
import type { EvaluationKey, Shard } from '../decisions/evaluation.ts';
import type { EvaluationInput, PhaseContext } from '../workflows/contract.ts';
import { reserve, type AttemptTicket } from './attempts.ts';
import { isOutside } from '../decisions/outside-benchmark.ts';
import { claimBenchmarks } from './benchmark-definitions.ts';
import { problemsOfBenchmark } from './benchmark-size.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { countNewProblems, recordOutcomes } from './evaluation-outcomes.ts';
import { type Requested, requestedEvaluations } from './evaluation-request.ts';
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
  /** Without a shard, the first of as many as the profile wants. Null when the ledger has all of them; in words when the pipeline's budget has no room for what is missing. */
  openEvaluation(
    input: EvaluationInput & { readonly opened: number; readonly shard?: Shard },
  ): Promise<AttemptTicket | { readonly spent: string } | null>;
  judgeEvaluation(input: EndedEvaluation): Promise<EvaluationJudgement>;
}

export function evaluationActivities(dependencies: ActivityDependencies): EvaluationActivities {
  const { ledger } = dependencies;
  return {
    async openEvaluation({ context, evaluations, title, opened, ...input }) {
      const missing = await missingOf(dependencies, evaluations);
      if (missing.length === 0) return null;
      const names = new Set(missing.map(({ benchmark }) => benchmark));
      await claimBenchmarks(ledger, context, { names, at: dependencies.now().toISOString() });
      const { number, directory, name, store } = await reserve(dependencies, { context, purpose: 'evaluate', opened });
      const shard = input.shard ?? { index: 0, of: await shardsOf(dependencies, context, names) };
      const asked = await requestedEvaluations(dependencies, context, { keys: missing, number, shard });
      // The first shard asks for all.
      const wanted = asked.map(({ request }) => request.key);
      const spent = shard.index === 0 ? await beyondBudget(dependencies, context, { number, wanted }) : null;
      if (spent !== null) return { spent };
      const request = requestOf(context, { number, name, directory, evaluations: asked.map((one) => one.request) });
      await store.writeRequest(directory, request);
      const key = { workflowId: context.pipelineId, phase: context.phase.name, purpose: 'evaluate' as const, number };
      await ledger.changeAttempt(key, {
        state: 'queued',
        at: dependencies.now().toISOString(),
        jobName: name,
        directory,
        request,
        gpus: gpusOfJob(dependencies.placeOf(context.profile).profile, 'evaluate'),
      });
      return {
        title: `${context.phase.name} evaluation${nameOf(shard)}`,
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
        ...(shard.of > 1 && { shard }),
        looksAt: {
          checkpoints: [...new Set(asked.map(({ checkpoint }) => checkpoint))],
          benchmarks: [...new Set(missing.map(({ benchmark }) => benchmark))],
        },
      };
    },
    judgeEvaluation: (ended) => judgeEvaluation(dependencies, ended),
  };
}

interface Opening {
  readonly number: number;
  readonly name: string;
  readonly directory: string;
  readonly evaluations: readonly Requested[];
}

/** `request.json`, as docs/reference/trainer-contract.md has it. */
function requestOf(context: PhaseContext, { number, name, directory, evaluations }: Opening) {
  return {
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
    targetStep: evaluations.length,
    outputDirectory: directory,
    evaluations,
  };
}

/**
 * As many as the profile wants; one where nobody but the trainer knows all the problems, so that shards could lack some unseen, or where
 * the problems share a time, which several jobs could not keep.
 */
async function shardsOf(
  dependencies: ActivityDependencies,
  { profile, benchmarks }: PhaseContext,
  names: ReadonlySet<string>,
): Promise<number> {
  const wanted = dependencies.placeOf(profile).profile.evaluations?.shards ?? 1;
  if (wanted === 1) return 1;
  for (const name of names) {
    const benchmark = benchmarks[name];
    if (benchmark === undefined || isOutside(benchmark)) continue;
    if (benchmark.time !== undefined) return 1;
    if ((await problemsOfBenchmark({ name, data: benchmark.data })) === null) return 1;
  }
  return wanted;
}

const nameOf = ({ index, of }: Shard): string => (of === 1 ? '' : `, shard ${index + 1} of ${of}`);

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
  const { whole, recorded, lacking } = await recordOutcomes(dependencies, context, { ticket, evaluations });
  const { store } = dependencies.placeOf(context.profile);
  const evidence = await gatherEvidence(dependencies, ended, {
    targetArtifactComplete: lacking.length === 0,
    ...(lacking.length > 0 && { lackingOutcomes: lacking }),
    newestCompleteStep: whole,
    firstNotFiniteStep: null,
    newProblems: await countNewProblems(store, ticket, evaluations),
  });
  const judged = await judge(dependencies, ended, evidence);
  if (judged.kind === 'completed')
    return { kind: 'completed', sentence: recordedSentence(recorded, evaluations), delaySeconds: 0 };
  const ends = judged.decision.kind === 'fail' || judged.decision.kind === 'hold';
  return { kind: ends ? 'fail' : 'again', sentence: judged.sentence, delaySeconds: judged.decision.delaySeconds };
}

function recordedSentence(recorded: number, evaluations: readonly Requested[]): string {
  const done = `${recorded} evaluations recorded`;
  const waiting = evaluations.length - recorded;
  return waiting === 0 ? done : `${done}, ${waiting} waiting for other shards`;
}

/** Made, and asked for by jobs of lower numbers that are on their way. Null where there is room. */
async function beyondBudget(
  { ledger, ...dependencies }: ActivityDependencies,
  { pipelineId: workflowId, runId, phase, budgets }: PhaseContext,
  { number, wanted }: { readonly number: number; readonly wanted: readonly string[] },
): Promise<string | null> {
  const made = await ledger.evaluationCountOf(runId);
  const jobs = await ledger.attemptsOf({ workflowId, runId, phase: phase.name, purpose: 'evaluate' });
  // The answer of a try whose reply was lost stays.
  const wasRefused = jobs.some((job) => job.number === number && job.state === 'cancelled');
  const onTheirWay = new Set(
    jobs
      .filter((job) => job.number < number && job.endedAt === null)
      .flatMap(({ request }) => (request as { evaluations?: readonly Requested[] } | null)?.evaluations ?? [])
      .map(({ key }) => key)
      .filter((key) => !wanted.includes(key)),
  ).size;
  const budget = evaluationBudget({ budget: budgets.evaluations, made, onTheirWay, wanted: wanted.length });
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
