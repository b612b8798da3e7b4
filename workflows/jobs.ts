/**
 * Runs one job to its end: submit, await, and stop when the run is cancelled or cannot go on.
 *
 * Covers the order of the three and that no job outlives its workflow. Does not cover what a job does or what its end means.
 */
import { ActivityCancellationType, CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { JobRef, StopReason } from '../activities/backend.ts';
import type { AttemptTicket } from '../activities/attempts.ts';
import type { JobEvent, NoJob } from '../activities/jobs.ts';
import type { GivenUpWait } from '../decisions/failure.ts';
import type { WaitKind } from '../decisions/states.ts';
import type { CheckpointRef, PhaseContext } from './contract.ts';
import { summaryOf } from './markdown.ts';

/** Idempotent, and beating while they work: retried for as long as the infrastructure under them is away. */
export function activities(summary: string) {
  return proxyActivities<Activities>({
    summary: summaryOf(summary),
    startToCloseTimeout: '1 day',
    heartbeatTimeout: '30 seconds',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  });
}

/** Watches for days. It owns nothing, so that a killed worker costs 30 s, or two and a half of its beats, and nothing else. */
function watcher(summary: string, { throttleSeconds = 0 }: PhaseContext) {
  return proxyActivities<Activities>({
    summary: summaryOf(summary),
    startToCloseTimeout: '30 days',
    heartbeatTimeout: Math.max(30, 2.5 * throttleSeconds) * 1000,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '1 second', backoffCoefficient: 1.5, maximumInterval: '30 seconds' },
  });
}

/** What is told of a job while it goes on. */
export interface JobListener {
  /** A checkpoint that is due. */
  checkpoint(checkpoint: CheckpointRef): void;
  /** What it waits for, and that it has it. */
  note(sentence: string): void;
  /** The last step that a job which was stopped had told of. */
  reached(step: number): void;
  /** Whether a person's hold is what cancels it: it is stopped, and its end is to be judged. */
  isHeld?(): boolean;
  /** Resolves, with why, when the job is to be stopped since its scores fell; absent where nothing will. */
  stop?: Promise<string> | undefined;
}

/**
 * What is to be judged: `job` is null where none could be created, `waited` is what it waited for too long.
 * With `gaveUp`, from older workers alone, nothing is judged: it says why the job never started.
 */
export type JobEnd =
  | { readonly job: JobRef | null; readonly gaveUp: null; readonly waited?: GivenUpWait }
  | { readonly job: null; readonly gaveUp: string };

interface Submitted {
  readonly created: JobRef | NoJob;
  /** ISO 8601: since when there was no room for it; absent where there was at once. */
  readonly waitsSince?: string;
}

/** A job whose waits come and go is not told of without end. */
const mostToldWaits = 20;

type ToldWait = Pick<Extract<JobEvent, { kind: 'waits' }>, 'for' | 'reason'>;
type Happening = JobEvent | { readonly kind: 'collapsed'; readonly because: string };
type Stopping = Exclude<Happening, { kind: 'checkpoint' | 'waits' | 'ended' }>;

function reasonToStop(event: Stopping): StopReason {
  switch (event.kind) {
    case 'stalled':
      return 'stalled';
    case 'waited':
      return event.wait === undefined ? 'deadline' : 'waited';
    case 'lost':
      return 'node-lost';
    case 'evicted':
      return event.as;
    case 'collapsed':
      return 'collapse';
  }
}

const titleOf = ({ title, number }: AttemptTicket) => `${title} attempt ${String(number)}`;

/** Submits the job of an attempt and waits for its end. */
export async function runJob(context: PhaseContext, ticket: AttemptTicket, listener: JobListener): Promise<JobEnd> {
  const title = titleOf(ticket);
  const submitted = await (ticket.withdraws ? submit(context, ticket, listener) : submitInAnyCase(context, ticket));
  const { created: job, waitsSince }: Submitted = 'created' in submitted ? submitted : { created: submitted };
  if ('because' in job) return job.wait ? { job: null, gaveUp: null, waited: job.wait } : gaveUpPlace(job.because);
  const seenSteps: number[] = [];
  const stop = async (summary: string, reason: StopReason) => {
    const stopped = await activities(summary).stopJob({ context, ticket, job, reason });
    // Older workers answered with nothing.
    if (typeof stopped?.step === 'number') listener.reached(stopped.step);
  };
  const waits: ToldWait[] = [{ for: 'none' }];
  try {
    for (;;) {
      const watch = () =>
        watcher(title, context).awaitJob({
          ...{ context, ticket, job, seenSteps },
          ...toldOf(waits),
          ...(waitsSince !== undefined && { waitsSince }),
        });
      // Nothing lies between a watch that nothing stops and what follows: jobs side by side must replay in the order of their histories.
      const event = await (listener.stop === undefined ? watch() : orStopped(watch, listener.stop));
      if (event.kind === 'checkpoint') {
        seenSteps.push(event.checkpoint.step);
        listener.checkpoint(event.checkpoint);
      } else if (event.kind === 'waits') {
        waits.push(event);
        listener.note(event.sentence);
      } else {
        if (event.kind === 'ended') return { job, gaveUp: null };
        await stop(`${title}: stop, ${event.because}`, reasonToStop(event));
        if (event.kind !== 'waited') return { job, gaveUp: null };
        return event.wait ? { job, gaveUp: null, waited: event.wait } : gaveUpPlace(event.because);
      }
    }
  } catch (error) {
    if (isCancellation(error) && listener.isHeld?.()) {
      await CancellationScope.nonCancellable(() => stop(`${title}: stop, a person holds the phase`, 'hold'));
      return { job, gaveUp: null };
    }
    const reason = isCancellation(error) ? 'cancel' : 'shutdown';
    const summary = `${title}: stop, the run ${reason === 'cancel' ? 'is cancelled' : 'cannot go on'}`;
    await CancellationScope.nonCancellable(() => stop(summary, reason));
    throw error;
  }
}

/** The next event of the watch; or that the job is to be stopped, which ends the watch. */
async function orStopped(watch: () => Promise<JobEvent>, stop: Promise<string>): Promise<Happening> {
  const scope = new CancellationScope();
  const watched = scope.run(watch);
  watched.catch(() => undefined);
  const first = await Promise.race([watched, stop.then((because) => ({ kind: 'collapsed', because }) as const)]);
  if (first.kind === 'collapsed') scope.cancel();
  return first;
}

/** As older workers say it. */
const gaveUpPlace = (because: string): JobEnd => ({ job: null, gaveUp: because });

/** What a watch must know of what was told before. After enough of it, only that the job runs is told: no page goes on saying that it waits. */
function toldOf(waits: readonly ToldWait[]): { toldWait?: WaitKind | 'none'; toldReason?: string; toldEnough?: true } {
  const { for: toldWait, reason } = waits.at(-1) ?? { for: 'none' };
  if (waits.length <= mostToldWaits) return { toldWait, ...(reason !== undefined && { toldReason: reason }) };
  return toldWait === 'none' ? {} : { toldWait, toldEnough: true };
}

/** As older runs do it, and must replay: for as long as it takes; a cancellation is heard after that. */
function submitInAnyCase(context: PhaseContext, ticket: AttemptTicket): Promise<JobRef | NoJob> {
  return CancellationScope.nonCancellable(() =>
    activities(`${titleOf(ticket)}: start the job`).submitJob({ context, ticket }),
  );
}

/** The job; or why none could be created for longer than the recipe allows. A cancellation leaves none. */
async function submit(context: PhaseContext, ticket: AttemptTicket, listener: JobListener): Promise<Submitted> {
  const run = CancellationScope.current();
  const withdraw = (reason: 'cancel' | 'deadline' | 'waited', because: string) =>
    CancellationScope.nonCancellable(() =>
      activities(`${titleOf(ticket)}: withdraw, ${because}`).withdrawJob({ context, ticket, reason }),
    );
  try {
    const submitted = await create(context, ticket, listener);
    const { created } = submitted;
    if ('because' in created) await withdraw(created.wait ? 'waited' : 'deadline', created.because);
    return submitted;
  } catch (error) {
    // What fails for good has created nothing. A cancelled one may have, and nobody heard of it.
    if (!run.consideredCancelled) throw error;
    await withdraw('cancel', listener.isHeld?.() ? 'a person holds the phase' : 'the run is cancelled');
    return await run.cancelRequested;
  }
}

async function create(context: PhaseContext, ticket: AttemptTicket, listener: JobListener): Promise<Submitted> {
  const start = (waiting: { readonly waitsSince?: string; readonly toldRoom?: string }) =>
    activities(`${titleOf(ticket)}: start the job`).submitJob({ context, ticket, ...waiting });
  const first = await start({});
  if (!('because' in first)) return { created: first };
  const waitsSince = new Date().toISOString();
  let told = first;
  for (let notes = 1; ; notes += 1) {
    listener.note(`queued: ${told.because}`);
    const created = await start({ waitsSince, ...(notes < mostToldWaits && { toldRoom: told.because }) });
    if ('because' in created && created.kind === 'no-room') {
      told = created;
      continue;
    }
    if (!('because' in created)) listener.note(`attempt ${String(ticket.number)} has its place now`);
    return { created, waitsSince };
  }
}
