/**
 * Judges the end of an attempt: evidence → class → decision, all of it in the ledger.
 *
 * Covers training attempts, and the shared part for evaluations. Does not cover the rules (decisions/classify.ts, retry.ts).
 */
import type { HoldOverRecord } from '../decisions/after-collapse.ts';
import { batchAfter, factorAfter } from '../decisions/attempt-changes.ts';
import { batchOfPhase } from '../decisions/batch-of-phase.ts';
import { classify, incidentOf } from '../decisions/classify.ts';
import type { Evidence, FailureClass, GivenUpWait, Incident } from '../decisions/failure.ts';
import type { EndOfHold, HeldFor } from '../decisions/hold.ts';
import { directoryAfter } from '../decisions/job-over.ts';
import { shareOf } from '../decisions/random.ts';
import { decideRetry, type RetryDecision, type RetrySituation } from '../decisions/retry.ts';
import { retryPolicies } from '../decisions/retry-policies.ts';
import { gpuHoursRan } from '../decisions/run-hours.ts';
import { sentenceOfSaves } from '../decisions/save-time.ts';
import { sentenceOfRelease } from '../decisions/sentences.ts';
import { sentenceOfWhatFollows, whatFailed } from '../decisions/what-happened.ts';
import type { CheckpointOnStore } from '../store/checkpoints.ts';
import type { RunStore } from '../store/run-store.ts';
import type { DecisionRecord } from '../store/ledger/decisions.ts';
import type { PhaseContext, ReleaseInput } from '../workflows/contract.ts';
import type { AttemptTicket } from './attempts.ts';
import type { Backend, JobRef, JobStatus } from './backend.ts';
import { begunAnewAfter, retryKey } from './changes-of-phase.ts';
import { recordCheckpoint } from './checkpoints-of-phase.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { recordPhase } from './phase-record.ts';
import { prune, pruningOf } from './prune.ts';

/** What follows an attempt, as the workflow carries it out. */
export type AttemptJudgement =
  | { readonly kind: 'completed'; readonly sentence: string; readonly seconds: Readonly<Record<string, number>> }
  /** Its scores fell: no attempt follows by itself. */
  | { readonly kind: 'stopped'; readonly sentence: string; readonly step: number | null }
  | {
      readonly kind: RetryDecision['kind'];
      readonly sentence: string;
      readonly delaySeconds: number;
      /** The last that its trainer told of. Absent from older workers. */
      readonly step?: number | null;
    };

/** An attempt whose job is over. */
export interface EndedAttempt {
  readonly context: PhaseContext;
  readonly ticket: AttemptTicket;
  /** Null where none could be created for as long as it may wait. */
  readonly job: JobRef | null;
  /** What it waited for too long; absent where it ran, or ended by itself. */
  readonly waited?: GivenUpWait;
}

export interface JudgeActivities {
  judgeAttempt(input: EndedAttempt): Promise<AttemptJudgement>;
  /** A held phase goes on: earlier incidents are forgiven. */
  recordRelease(input: {
    readonly context: PhaseContext;
    readonly release?: ReleaseInput;
    /** Absent from older runs. */
    readonly heldFor?: HeldFor;
    /** What follows where nobody came; absent where a person let it go on. */
    readonly nobodyCame?: EndOfHold;
    /** Which hold of the phase this ends, from 1; absent from older runs, of which the first hold of an attempt was kept. */
    readonly hold?: number;
  }): Promise<void>;
}

export function judgeActivities(dependencies: ActivityDependencies): JudgeActivities {
  const { ledger } = dependencies;
  return {
    async judgeAttempt(ended) {
      const { context, ticket } = ended;
      const { store, backend } = dependencies.placeOf(context.profile);
      const status = await statusOf(backend, ended.job);
      const ends = status?.state === 'ended' ? status.ranks : [];
      // What its trainer finished before its node was lost, its watch has taken already.
      const checkpoints = await store.checkpoints(ticket.directory, directoryAfter(ends));
      const evidence = await gatherEvidence(dependencies, ended, {
        targetArtifactComplete:
          checkpoints.some((at) => at.level === 'complete' && at.step === ticket.of) ||
          ticket.asked.resume?.step === ticket.of,
        newestCompleteStep: newestComplete(checkpoints),
        firstNotFiniteStep: lowest(checkpoints.map((at) => at.firstNotFinite)),
        ...(await observedIn(store, ticket, checkpoints)),
      });
      for (const checkpoint of checkpoints) {
        if (checkpoint.level === 'complete')
          await recordCheckpoint(dependencies, context, { attempt: ticket.number, checkpoint });
      }
      if (evidence.stoppedByTemper === 'collapse' && classify(evidence).kind === 'failed')
        return await stopped(dependencies, ended, evidence);
      const judged = await judge(dependencies, ended, evidence);
      if (judged.kind === 'completed')
        return { kind: 'completed', sentence: judged.sentence, seconds: evidence.result?.seconds ?? {} };
      const { decision, sentence } = judged;
      return {
        kind: decision.kind,
        sentence,
        delaySeconds: decision.delaySeconds,
        step: reachedStep(ticket, evidence),
      };
    },
    async recordRelease({ context, release = {}, heldFor, nobodyCame, hold }) {
      const { runId, phase } = context;
      const attempt = (await attemptsOf(dependencies, context)).at(-1)?.number ?? 0;
      const at = dependencies.now().toISOString();
      await ledger.recordDecision({
        key: `${runId}/${phase.name}/${String(attempt)}/release${hold === undefined ? '' : `-${String(hold)}`}`,
        runId,
        phase: phase.name,
        attempt,
        question: 'release',
        answer: nobodyCame ?? 'go on',
        evidence: { ...release, ...(heldFor !== undefined && { heldFor }) } satisfies HoldOverRecord['evidence'],
        at,
      });
      const because = { sentence: `It was ${sentenceOfRelease(release)}`, score: null };
      await recordPhase(dependencies, context, { state: 'running', because });
    },
  };
}

/** No incident: nothing failed, and nothing is tried again. */
async function stopped(
  { ledger, ...dependencies }: ActivityDependencies,
  { context, ticket }: EndedAttempt,
  evidence: Evidence,
): Promise<AttemptJudgement> {
  const { purpose, number } = ticket;
  const key = { workflowId: context.pipelineId, phase: context.phase.name, purpose, number };
  await ledger.changeAttempt(key, { state: 'cancelled', at: dependencies.now().toISOString(), evidence });
  const sentence = `attempt ${String(number)} is stopped: its scores fell`;
  return { kind: 'stopped', sentence, step: reachedStep(ticket, evidence) };
}

/** By its word or by what it saved; at least where it began, since before it has loaded that a trainer may speak of step 0. */
function reachedStep({ resumeStep }: AttemptTicket, { lastProgress, newestCompleteStep }: Evidence): number {
  return Math.max(resumeStep, lastProgress?.step ?? 0, newestCompleteStep ?? 0);
}

function lowest(steps: readonly (number | null)[]): number | null {
  const known = steps.filter((step) => step !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Of a foreign trainer, what its log and its checkpoints show in place of a result. */
async function observedIn(
  store: RunStore,
  { directory }: AttemptTicket,
  checkpoints: readonly CheckpointOnStore[],
): Promise<Pick<Evidence, 'observed'>> {
  const observed = await store.observed(directory, checkpoints);
  return observed === null ? {} : { observed };
}

function newestComplete(checkpoints: readonly CheckpointOnStore[]): number | null {
  return checkpoints.findLast(({ level }) => level === 'complete')?.step ?? null;
}

/** Everything known about the end, read from the backend and the attempt directory. */
export async function gatherEvidence(
  dependencies: ActivityDependencies,
  { context, ticket, job, waited }: EndedAttempt,
  artifacts: Pick<
    Evidence,
    | 'targetArtifactComplete'
    | 'lackingOutcomes'
    | 'newestCompleteStep'
    | 'firstNotFiniteStep'
    | 'newProblems'
    | 'observed'
  >,
): Promise<Evidence> {
  const { backend, store, profile } = dependencies.placeOf(context.profile);
  const status = await statusOf(backend, job);
  const { last, firstNotFinite, longestSaveSeconds } = await store.progress(ticket.directory);
  const stalled = status?.state === 'ended' && status.stopRequested === 'stalled';
  return {
    asked: { ...ticket.asked, jobToken: job?.uid ?? '' },
    job: status?.state === 'vanished' ? 'vanished' : 'ended',
    stoppedByTemper: status?.state === 'ended' ? (status.stopRequested ?? 'no') : job === null ? 'waited' : 'no',
    ranks: status?.state === 'ended' ? status.ranks : [],
    ranSeconds: status?.state === 'ended' ? ranSeconds(status) : 0,
    lastProgress: last,
    result: await store.result(ticket.directory),
    storeFreeBytes: await store.freeBytes(),
    ...artifacts,
    ...(longestSaveSeconds === null
      ? {}
      : { saves: { longestSeconds: longestSaveSeconds, graceSeconds: profile.graceSeconds } }),
    ...(stalled ? { hung: await store.stacks(ticket.directory) } : {}),
    ...(waited === undefined ? {} : { waited }),
    firstNotFiniteStep: lowest([firstNotFinite, artifacts.firstNotFiniteStep]),
  };
}

/** Null where there never was a job. */
async function statusOf(backend: Backend, job: JobRef | null): Promise<JobStatus | null> {
  return job === null ? null : await backend.status(job);
}

/** Seconds from the start of its first process to the end of the job; 0 when nothing ever ran. */
function ranSeconds({ startedAt, endedAt }: Extract<JobStatus, { state: 'ended' }>): number {
  return startedAt === null ? 0 : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
}

type Judged =
  | { readonly kind: 'completed'; readonly sentence: string }
  | { readonly kind: 'failed'; readonly decision: RetryDecision; readonly sentence: string };

/** Names the class, decides, and records both. With `attempts`, only their incidents count. */
export async function judge(
  dependencies: ActivityDependencies,
  ended: EndedAttempt & { readonly attempts?: readonly number[] },
  evidence: Evidence,
): Promise<Judged> {
  const { context, ticket } = ended;
  const { ledger } = dependencies;
  const { pipelineId: workflowId, runId, phase } = context;
  const key = { workflowId, phase: phase.name, purpose: ticket.purpose, number: ticket.number };
  const at = dependencies.now().toISOString();
  const decisionKey = retryKey({ runId, phase: phase.name }, ticket.purpose, ticket.number);
  const before = (await ledger.decisionsOf({ runId, phase: phase.name })).find((one) => one.key === decisionKey);
  if (before) return await carriedOut(dependencies, context, before as DecisionRecord<RetryDecision>);
  const verdict = classify(evidence);
  const doubt = sentenceOfSaves(evidence);
  const more = doubt === null ? '' : ` ${doubt}`;
  if (verdict.kind === 'completed') {
    await ledger.changeAttempt(key, { state: 'completed', at, evidence });
    return {
      kind: 'completed',
      sentence: `attempt ${String(ticket.number)} is complete at step ${String(verdict.finalStep)}${doubt === null ? '' : `.${more}`}`,
    };
  }
  const saved = retryPolicies[verdict.class].distrustsCheckpoints === true ? 0 : (evidence.newestCompleteStep ?? 0);
  const completedStep = Math.max(saved, ticket.resumeStep);
  const incident = await ledger.recordIncident({
    workflowId,
    runId,
    phase: phase.name,
    purpose: ticket.purpose,
    incident: incidentOf(verdict, evidence, completedStep),
    evidence,
    at,
    cluster: dependencies.placeOf(context.profile).backend.cluster,
  });
  await ledger.changeAttempt(key, { state: incident.class === 'job-lost' ? 'lost' : 'failed', at, evidence });
  const counted = await countedIncidents(dependencies, ended);
  const decision = decideRetry(context.budgets, counted, await situationOf(dependencies, ended, incident.class));
  const failed = { purpose: ticket.purpose, incident, evidence };
  const sentence = `${whatFailed(failed)}. ${sentenceOfWhatFollows(decision, failed)}${more}`;
  const recorded = await ledger.recordDecision<RetryDecision>({
    key: decisionKey,
    runId,
    phase: phase.name,
    attempt: ticket.number,
    question: 'retry',
    answer: decision,
    evidence: { incident, sentence },
    at,
  });
  return await carriedOut(dependencies, context, recorded);
}

/** A full disk is made room on before the next attempt; an activity that is tried again makes room again. */
async function carriedOut(
  dependencies: ActivityDependencies,
  { pipelineId: workflowId, profile }: PhaseContext,
  record: DecisionRecord<RetryDecision>,
): Promise<Judged> {
  if (record.answer.change?.kind === 'prune') {
    const { store } = dependencies.placeOf(profile);
    await prune({ ledger: dependencies.ledger, store }, { workflowId }, dependencies.now());
  }
  return decided(record);
}

/** A decision stands as it was recorded first: an activity that is tried again, or with tuned rules, decides nothing anew. */
function decided({ answer, evidence }: DecisionRecord<RetryDecision>): Judged {
  return { kind: 'failed', decision: answer, sentence: (evidence as { sentence: string }).sentence };
}

/** What the ledger, the ticket and the backend know beside the incidents. */
async function situationOf(
  dependencies: ActivityDependencies,
  { context, ticket }: EndedAttempt,
  name: FailureClass,
): Promise<RetrySituation> {
  const { changes, purpose } = ticket;
  const { backend, store } = dependencies.placeOf(context.profile);
  const places = { ledger: dependencies.ledger, store };
  const batch = purpose === 'train' ? batchAfter(changes, batchOfPhase(context.phase)) : null;
  return {
    gpuHoursUsed: await gpuHoursUsed(dependencies, context),
    share: shareOf(ticket.jobName),
    ...(batch ? { batch } : {}),
    memoryFactor: factorAfter(changes, 'memory'),
    sharedMemoryFactor: factorAfter(changes, 'shared-memory'),
    fixed: backend.fixed,
    ...(retryPolicies[name].change === 'prune'
      ? { prunableBytes: (await pruningOf(places, { workflowId: context.pipelineId })).freedBytes }
      : {}),
  };
}

/** The incidents since the phase began, or began anew, or a person released it. */
async function countedIncidents(
  dependencies: ActivityDependencies,
  ended: EndedAttempt & { readonly attempts?: readonly number[] },
): Promise<readonly Incident[]> {
  const { context, ticket, attempts } = ended;
  const { runId, phase } = context;
  const incidents = await dependencies.ledger.incidentsOf({ runId, phase: phase.name, purpose: ticket.purpose });
  if (attempts) return incidents.filter(({ attempt }) => attempts.includes(attempt));
  const decisions = await dependencies.ledger.decisionsOf({ runId, phase: phase.name });
  const forgiven = Math.max(
    await begunAnewAfter(dependencies.ledger, { runId, phase: phase.name }),
    ...decisions.filter(({ question }) => question === 'release').map(({ attempt }) => attempt ?? 0),
  );
  return incidents.filter(({ attempt }) => attempt > forgiven);
}

/** Of the phase's jobs, evaluations included: neither queue nor judging is charged. */
async function gpuHoursUsed(
  { ledger }: ActivityDependencies,
  { pipelineId: workflowId, runId, phase }: PhaseContext,
): Promise<number> {
  const of = { workflowId, runId, phase: phase.name };
  const trained = await ledger.attemptsOf({ ...of, purpose: 'train' });
  return gpuHoursRan([...trained, ...(await ledger.attemptsOf({ ...of, purpose: 'evaluate' }))]);
}

async function attemptsOf(dependencies: ActivityDependencies, { pipelineId, runId, phase }: PhaseContext) {
  return await dependencies.ledger.attemptsOf({ workflowId: pipelineId, runId, phase: phase.name, purpose: 'train' });
}
