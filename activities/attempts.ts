/**
 * Opens an attempt: its number, its directory, where it starts, and its request.
 *
 * Covers everything before the job exists. Does not cover running it (jobs.ts) or judging its end (judge-attempt.ts).
 */
import { activityInfo } from '@temporalio/activity';
import { gpusOfJob, rankThatSpeaks } from '../configs/job-needs.ts';
import { phaseSchema, type Phase } from '../configs/schema.ts';
import { alsoAwayFrom, changesAfter, type AttemptChange } from '../decisions/attempt-changes.ts';
import { sentencesOfChanges } from '../decisions/change-sentences.ts';
import { dueSteps, targetStepOf } from '../decisions/due-steps.ts';
import type { Asked } from '../decisions/failure.ts';
import type { Shard } from '../decisions/evaluation.ts';
import { jobName } from '../decisions/job-name.ts';
import { chooseResumePoint, type ResumePoint } from '../decisions/resume-point.ts';
import { reservationKey } from '../decisions/reservation-key.ts';
import { sentenceOfResumePoint } from '../decisions/sentences.ts';
import { lossOf, whatFailed } from '../decisions/what-happened.ts';
import type { RunPlace } from '../store/run-directory.ts';
import type { PhaseContext } from '../workflows/contract.ts';
import { nextAttemptOf } from './aftermath.ts';
import { begunAnewWith, decidedAfterAttempts } from './changes-of-phase.ts';
import { commandRequest } from './command-request.ts';
import { candidatesOfPhase } from './checkpoints-of-phase.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { stopLivingJobs } from './living-jobs.ts';
import { suspectsOf } from './node-memory.ts';
import { recordPhase } from './phase-record.ts';

/** An attempt that is open: all that the workflow carries of it. */
export interface AttemptTicket {
  /** What a person reads: the phase, or the phase and that it is an evaluation. */
  readonly title: string;
  readonly purpose: RunPlace['purpose'];
  readonly number: number;
  readonly jobName: string;
  readonly directory: string;
  readonly resumeStep: number;
  /** Steps to train to, or evaluations to make. */
  readonly of: number;
  /** Steps whose checkpoints are evaluated. */
  readonly dueSteps: readonly number[];
  /** Where it starts and why, in words. */
  readonly sentence: string;
  /** What happened to the attempt before it, in words. Absent when that one did not fail, and in tickets of older versions. */
  readonly before?: string;
  readonly asked: Omit<Asked, 'jobToken'>;
  /** What it does otherwise than the first attempt of its phase. */
  readonly changes: readonly AttemptChange[];
  /** A cancellation ends its submit. Absent in tickets of older versions, whose runs submit for as long as it takes, and stop then. */
  readonly withdraws?: true;
  /** What an evaluation looks at, for people who look at its job. Absent in tickets of trainings and of older versions. */
  readonly looksAt?: { readonly checkpoints: readonly string[]; readonly benchmarks: readonly string[] };
  /** Of an evaluation that several jobs share. */
  readonly shard?: Shard;
}

export interface OpenAttempt {
  readonly context: PhaseContext;
  /** How many attempts this run has opened, this one included. */
  readonly opened: number;
}

export interface AttemptActivities {
  openAttempt(input: OpenAttempt): Promise<AttemptTicket>;
}

export function attemptActivities(dependencies: ActivityDependencies): AttemptActivities {
  return {
    async openAttempt({ context, opened }) {
      const { phase, start } = context;
      const { number, directory, name, store } = await reserve(dependencies, { context, purpose: 'train', opened });
      const of = { runId: context.runId, phase: phase.name };
      // A phase that was reset to before it began an attempt watches that no more; what it saves is gone on from.
      await stopLivingJobs(dependencies, context, number);
      const suspects = await suspectsOf(dependencies, dependencies.placeOf(context.profile).backend);
      const changes = alsoAwayFrom(changesAfter(await decidedAfterAttempts(dependencies.ledger, of)), suspects);
      const { checkpoints, rollBacks } = await candidatesOfPhase(dependencies, context);
      const point = chooseResumePoint(checkpoints, { rollBacks, neverResumes: neverResumes(phase) });
      const resume =
        point.kind === 'resume'
          ? { path: point.checkpoint.path, step: point.checkpoint.step, digest: point.checkpoint.digest }
          : null;
      const request = {
        ...requestOf(context, { number, name, directory, resume, changes }),
        ...(phase.kind === 'command' &&
          commandRequest(context, phase, {
            attempt: number,
            output: await store.openOutput(directory),
            home: dependencies.placeOf(context.profile).home,
            resume,
            logRank: rankThatSpeaks(phase, dependencies.placeOf(context.profile).profile),
          })),
      };
      await store.writeRequest(directory, request);
      const failed = await failureBefore(dependencies, context, { number, request });
      const anew = await begunAnewWith(dependencies.ledger, { ...of, workflowId: context.pipelineId }, number);
      const sentence = [sentenceOfResumePoint(point, anew), ...failed.loss, ...sentencesOfChanges(changes)].join(' ');
      await recordOpened(dependencies, { context, number, point, sentence, request, directory });
      return {
        title: phase.name,
        purpose: 'train',
        number,
        jobName: name,
        directory,
        resumeStep: resume?.step ?? 0,
        of: targetStepOf(phase),
        dueSteps: phase.evaluate ? dueSteps(phase) : [],
        sentence,
        ...failed.before,
        asked: {
          job: name,
          attempt: number,
          targetStep: targetStepOf(phase),
          resume,
          start: start && { path: start.path, digest: start.digest },
          trains: trains(phase),
        },
        changes,
        withdraws: true,
      };
    },
  };
}

interface Opening {
  readonly number: number;
  readonly name: string;
  readonly directory: string;
  readonly resume: { readonly path: string; readonly step: number; readonly digest: string | null } | null;
  readonly changes: readonly AttemptChange[];
}

/** `request.json` of a training attempt, as docs/reference/trainer-contract.md has it. */
function requestOf(context: PhaseContext, opening: Opening) {
  const { phase, start } = context;
  return {
    contract: 1,
    job: opening.name,
    pipeline: context.pipelineId,
    phase: phase.name,
    kind: phase.kind,
    attempt: opening.number,
    seed: context.seed,
    model: context.model,
    // With the defaults of fields that came after this pipeline was resolved: a trainer has none of its own.
    params: (phaseSchema.safeParse(phase).data ?? phase).params,
    data: 'data' in phase ? phase.data : null,
    start: start && {
      id: start.id,
      path: start.path,
      format: start.format,
      base: start.base,
      digest: start.digest,
    },
    resume: opening.resume,
    changes: opening.changes,
    targetStep: targetStepOf(phase),
    outputDirectory: opening.directory,
    evaluations: [],
  };
}

/** What happened to the attempt before, if it failed, and what of its work is lost. */
async function failureBefore(
  { ledger }: ActivityDependencies,
  { runId, phase }: PhaseContext,
  { number, request }: { readonly number: number; readonly request: unknown },
): Promise<{ readonly loss: readonly string[]; readonly before: Pick<AttemptTicket, 'before'> }> {
  const of = { runId, phase: phase.name };
  const failed = await ledger.incidentRecordOf({ ...of, purpose: 'train', attempt: number - 1 });
  if (failed === null) return { loss: [], before: {} };
  const next = nextAttemptOf(failed, [{ number, request, evidence: null }], await ledger.checkpointsOf(of));
  const loss = next && lossOf(failed, next);
  return {
    loss: loss === null ? [] : [`${loss.slice(0, 1).toUpperCase()}${loss.slice(1)}.`],
    before: { before: `Before: ${whatFailed(failed)}.` },
  };
}

/** A command that takes no checkpoint begins anew each time. */
function neverResumes(phase: Phase): boolean {
  return phase.kind === 'command' && phase.params.resumeArgs.length === 0;
}

/** Whether the phase changes weights by training; a merge and a base that is only named do not. */
function trains(phase: Phase): boolean {
  return phase.kind !== 'mxfp4-merge' && targetStepOf(phase) > 0;
}

interface Opened {
  readonly context: PhaseContext;
  readonly number: number;
  readonly point: ResumePoint;
  readonly sentence: string;
  readonly request: { readonly job: string };
  readonly directory: string;
}

async function recordOpened(dependencies: ActivityDependencies, opened: Opened): Promise<void> {
  const { context, number, point, sentence, request, directory } = opened;
  const { pipelineId: workflowId, runId, phase } = context;
  const at = dependencies.now().toISOString();
  const { ledger } = dependencies;
  const { profile } = dependencies.placeOf(context.profile);
  await ledger.changeAttempt(
    { workflowId, phase: phase.name, purpose: 'train', number },
    { state: 'queued', at, jobName: request.job, directory, request, gpus: gpusOfJob(profile, phase) },
  );
  const key = `${runId}/${phase.name}/${String(number)}/resume-point`;
  await ledger.recordDecision({
    key,
    runId,
    phase: phase.name,
    attempt: number,
    question: 'resume-point',
    answer: point,
    evidence: { sentence },
    at,
  });
  await recordPhase(dependencies, context, { state: 'running' });
}

/** Reserves a number and its directory. Whoever asks again (a retried activity) gets the same. */
export async function reserve(
  dependencies: ActivityDependencies,
  wish: { readonly context: PhaseContext; readonly purpose: RunPlace['purpose']; readonly opened: number },
) {
  const { context, purpose, opened } = wish;
  const { pipelineId: workflowId, runId, phase } = context;
  const { workflowExecution } = activityInfo();
  const key = reservationKey({ ownerRunId: workflowExecution?.runId ?? runId, purpose, opened });
  const at = dependencies.now().toISOString();
  const { number } = await dependencies.ledger.reserveAttempt({
    workflowId,
    runId,
    phase: phase.name,
    purpose,
    reservationKey: key,
    at,
  });
  const { store } = dependencies.placeOf(context.profile);
  const directory = await store.openRun({ pipeline: workflowId, phase: phase.name, purpose, number }, key);
  const name = jobName({
    workflowId,
    phase: purpose === 'train' ? phase.name : `${phase.name}/evaluation`,
    attempt: number,
  });
  return { number, directory, name, store };
}
