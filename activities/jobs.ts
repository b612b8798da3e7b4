/**
 * Submits a job, waits for its next event, stops it.
 *
 * `awaitJob` owns nothing: it may be killed and started anew at any time. Does not cover what an end means (judge-attempt.ts).
 */
import { Context } from '@temporalio/activity';
import type { Phase } from '../configs/schema.ts';
import { factorAfter, nodesAvoidedAfter } from '../decisions/attempt-changes.ts';
import { TemperError } from '../decisions/errors.ts';
import type { GivenUpWait } from '../decisions/failure.ts';
import type { WaitKind } from '../decisions/states.ts';
import { comparable } from '../decisions/comparable.ts';
import { judgeWaiting } from '../decisions/waiting.ts';
import type { RunStore } from '../store/run-store.ts';
import type { CheckpointRef, PhaseContext } from '../workflows/contract.ts';
import type { AttemptTicket } from './attempts.ts';
import type { JobRef, JobSpec, StopReason } from './backend.ts';
import { ownerIn, stopLivingJobs } from './living-jobs.ts';
import { recordCheckpoint } from './checkpoints-of-phase.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { Watch } from './watch.ts';

/** The next thing that happened to a job. */
export type JobEvent =
  | { readonly kind: 'checkpoint'; readonly checkpoint: CheckpointRef }
  | { readonly kind: 'stalled'; readonly because: string }
  /** What it waits for before it runs; `none`: it runs. */
  | { readonly kind: 'waits'; readonly for: WaitKind | 'none'; readonly sentence: string; readonly reason?: string }
  /** It has waited to start for longer than it may. Older workers gave no `wait` with a place that is given up: then nothing is judged. */
  | { readonly kind: 'waited'; readonly because: string; readonly wait?: GivenUpWait }
  /** A node that it runs on does not answer: no end of it will be seen. */
  | { readonly kind: 'lost'; readonly because: string }
  /** Its queue has taken its place away. */
  | { readonly kind: 'evicted'; readonly as: 'preempted' | 'queue-evicted'; readonly because: string }
  | { readonly kind: 'ended' };

/** No job yet: there is no room for one, or there was none for longer than the recipe allows. */
export interface NoJob {
  readonly kind: 'no-room' | 'waited';
  readonly because: string;
  /** Of one that waited too long: what is to be judged. Absent from older workers. */
  readonly wait?: GivenUpWait;
}

export interface StoppedJob {
  /** The last that its trainer told of; null where it told of none. */
  readonly step: number | null;
}

interface OfJob {
  readonly context: PhaseContext;
  readonly ticket: AttemptTicket;
  readonly job: JobRef;
}

export interface JobActivities {
  /**
   * Creates the job or adopts the one of this name. Where there is no room it says so at once; whoever waits then asks again with
   * `waitsSince` (ISO 8601), and is answered when there is room, it has waited too long, or there is none for another reason than `toldRoom`
   * (absent: nobody wants to know).
   */
  submitJob(
    input: Omit<OfJob, 'job'> & { readonly waitsSince?: string; readonly toldRoom?: string },
  ): Promise<JobRef | NoJob>;
  /** Resolves at the next event. `seenSteps` are the checkpoints that were told before, `toldWait` what it waited for by the last word (absent: nobody wants to know), `toldEnough` that only its start is told, `waitsSince` since when there was no room for it, `toldReason` why it waited by the last word. */
  awaitJob(
    input: OfJob & {
      readonly seenSteps: readonly number[];
      readonly toldWait?: WaitKind | 'none';
      readonly toldEnough?: true;
      readonly toldReason?: string;
      readonly waitsSince?: string;
    },
  ): Promise<JobEvent>;
  /** Resolves when nothing of the job runs that can be reached. Older workers answered with nothing. */
  stopJob(input: OfJob & { readonly reason: StopReason }): Promise<StoppedJob | undefined>;
  /** The attempt is given up before anybody knows of its job: one that a submit created all the same is found and stopped. */
  withdrawJob(input: Omit<OfJob, 'job'> & { readonly reason: 'cancel' | 'deadline' | 'waited' }): Promise<void>;
  /** A training job that still runs of a phase whose own run is gone is found and stopped. Its evaluations have runs of their own, which end. */
  stopJobsOf(input: Pick<OfJob, 'context'>): Promise<void>;
}

/** Of a command that trains, one for each process; an evaluation is the built-in one. */
function slotsOf(phase: Phase, { purpose }: AttemptTicket): number {
  return phase.kind === 'command' && purpose === 'train' ? phase.params.processes : 1;
}

/** The command that the request of this attempt holds; none for a built-in trainer. */
async function commandIn(store: RunStore, { directory }: AttemptTicket): Promise<Pick<JobSpec, 'command'>> {
  const text = await store.text(directory, 'request.json');
  const { command } = JSON.parse(text ?? '{}') as Pick<JobSpec, 'command'>;
  return command ? { command } : {};
}

async function specOf(store: RunStore, context: PhaseContext, ticket: AttemptTicket): Promise<JobSpec> {
  return {
    name: ticket.jobName,
    directory: ticket.directory,
    requestPath: store.requestPath(ticket.directory),
    ...(await ownerIn(store, ticket)),
    slots: slotsOf(context.phase, ticket),
    memoryFactor: factorAfter(ticket.changes, 'memory'),
    sharedMemoryFactor: factorAfter(ticket.changes, 'shared-memory'),
    avoidNodes: nodesAvoidedAfter(ticket.changes),
    labels: {
      pipeline: context.pipelineId,
      phase: context.phase.name,
      kind: ticket.purpose === 'train' ? context.phase.kind : ticket.purpose,
      attempt: ticket.number,
      workflowId: context.pipelineId,
      ...ticket.looksAt,
    },
    ...(await commandIn(store, ticket)),
  };
}

/** For a person's eyes: a store that cannot be read keeps no job from being stopped. */
async function lastStepIn(store: RunStore, { directory, resumeStep }: AttemptTicket): Promise<number | null> {
  try {
    const last = await store.lastProgress(directory);
    // Before it has loaded what it goes on from, a trainer may speak of step 0.
    return last === null ? null : Math.max(last.step, resumeStep);
  } catch (error) {
    Context.current().log.warn(`how far the job in ${directory} was cannot be read: ${String(error)}`);
    return null;
  }
}

interface WaitForRoom {
  readonly told: string | undefined;
  /** ISO 8601; undefined while nobody waits yet. */
  readonly since: string | undefined;
  readonly now: string;
}

/** Throws what is no want of room, and whatever is to be tried again. */
function noRoomIn(error: unknown, { waitMinutes }: PhaseContext['budgets'], { told, since, now }: WaitForRoom): NoJob {
  if (!(error instanceof TemperError) || error.code !== 'no-room') throw error;
  if (since === undefined) return { kind: 'no-room', because: error.message };
  const verdict = judgeWaiting({ for: 'quota', since, reason: error.message }, { waitMinutes }, { now });
  if (verdict.kind !== 'waits') return { kind: 'waited', because: verdict.because, wait: verdict.wait };
  if (told === undefined || comparable(error.message) === comparable(told)) throw error;
  return { kind: 'no-room', because: error.message };
}

export function jobActivities(dependencies: ActivityDependencies): JobActivities {
  const { ledger } = dependencies;
  const keyOf = ({ context, ticket }: Omit<OfJob, 'job'>) => ({
    workflowId: context.pipelineId,
    phase: context.phase.name,
    purpose: ticket.purpose,
    number: ticket.number,
  });
  const cancelled = async (attempt: Omit<OfJob, 'job'>) => {
    await ledger.changeAttempt(keyOf(attempt), { state: 'cancelled', at: dependencies.now().toISOString() });
  };
  async function stopJob(wish: OfJob & { readonly reason: StopReason }): Promise<StoppedJob> {
    const { context, ticket, job, reason } = wish;
    const { backend, profile, store } = dependencies.placeOf(context.profile);
    const at = dependencies.now().toISOString();
    await ledger.advanceAttempt(keyOf({ context, ticket }), { state: 'stopping', at });
    await backend.stop(job, { reason, graceSeconds: profile.graceSeconds });
    // Nobody judges these: one gave up its place in the queue and never ran, the run of the others ends.
    if (reason === 'cancel' || reason === 'deadline' || reason === 'shutdown') await cancelled({ context, ticket });
    return { step: await lastStepIn(store, ticket) };
  }
  return {
    async submitJob({ context, ticket, waitsSince, toldRoom }) {
      const { backend, store } = dependencies.placeOf(context.profile);
      const spec = await specOf(store, context, ticket);
      let job: JobRef;
      try {
        job = await backend.submit(spec, Context.current().cancellationSignal);
      } catch (error) {
        if (!ticket.withdraws) throw error;
        const now = dependencies.now().toISOString();
        return noRoomIn(error, context.budgets, { told: toldRoom, since: waitsSince, now });
      }
      // What the job does from here on, its watch tells the ledger.
      await ledger.changeAttempt(keyOf({ context, ticket }), {
        state: 'queued',
        at: dependencies.now().toISOString(),
        jobUid: job.uid,
      });
      return job;
    },
    async awaitJob(input) {
      const { backend } = dependencies.placeOf(input.context.profile);
      const event = await new Watch(dependencies, backend, input).nextEvent();
      if (event.kind !== 'checkpoint') return event;
      const checkpoint = await recordCheckpoint(dependencies, input.context, {
        attempt: input.ticket.number,
        checkpoint: event.checkpoint,
      });
      return { kind: 'checkpoint', checkpoint };
    },
    stopJob,
    async withdrawJob({ context, ticket, reason }) {
      const { backend, store } = dependencies.placeOf(context.profile);
      const { jobName: name, directory } = ticket;
      const job = await backend.find({ name, directory, ...(await ownerIn(store, ticket)) });
      if (job !== null) await stopJob({ context, ticket, job, reason });
      else if (reason !== 'waited') await cancelled({ context, ticket });
    },
    stopJobsOf: ({ context }) => stopLivingJobs(dependencies, context),
  };
}
