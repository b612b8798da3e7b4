/**
 * Submits a job, waits for its next event, stops it.
 *
 * `awaitJob` owns nothing: it may be killed and started anew at any time. Does not cover what an end means (judge-attempt.ts).
 */
import { cancelled, Context } from '@temporalio/activity';
import { factorAfter, nodesAvoidedAfter } from '../decisions/attempt-changes.ts';
import type { Progress } from '../decisions/failure.ts';
import { TemperError } from '../decisions/errors.ts';
import { sentenceOfProgress } from '../decisions/sentences.ts';
import { judgeProgress } from '../decisions/stall.ts';
import type { CheckpointOnStore } from '../store/checkpoints.ts';
import type { CheckpointRef, JobHeartbeat, PhaseContext } from '../workflows/contract.ts';
import type { AttemptTicket } from './attempts.ts';
import type { Backend, JobRef, JobStatus, StopReason } from './backend.ts';
import { recordCheckpoint } from './checkpoints-of-phase.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { Pruner } from './pruner.ts';

/** The next thing that happened to a job. */
export type JobEvent =
  | { readonly kind: 'checkpoint'; readonly checkpoint: CheckpointRef }
  | { readonly kind: 'stalled'; readonly because: string }
  | { readonly kind: 'ended' };

interface OfJob {
  readonly context: PhaseContext;
  readonly ticket: AttemptTicket;
  readonly job: JobRef;
}

export interface JobActivities {
  /** Creates the job or adopts the one of this name. */
  submitJob(input: Omit<OfJob, 'job'>): Promise<JobRef>;
  /** Resolves at the next event. `seenSteps` are the checkpoints that were told before. */
  awaitJob(input: OfJob & { readonly seenSteps: readonly number[] }): Promise<JobEvent>;
  /** Resolves when nothing of the job runs. */
  stopJob(input: OfJob & { readonly reason: StopReason }): Promise<void>;
}

/** Scans in a row that may fail before the wait is given up and tried anew. */
const scansThatMayFail = 5;

export function jobActivities(dependencies: ActivityDependencies): JobActivities {
  const { ledger } = dependencies;
  const keyOf = ({ context, ticket }: Omit<OfJob, 'job'>) => ({
    workflowId: context.pipelineId,
    phase: context.phase.name,
    purpose: ticket.purpose,
    number: ticket.number,
  });
  return {
    async submitJob({ context, ticket }) {
      const { backend, store } = dependencies.placeOf(context.profile);
      const labels = {
        pipeline: context.pipelineId,
        phase: context.phase.name,
        attempt: ticket.number,
        workflowId: context.pipelineId,
      };
      const job = await backend.submit({
        name: ticket.jobName,
        directory: ticket.directory,
        requestPath: store.requestPath(ticket.directory),
        slots: 1,
        memoryFactor: factorAfter(ticket.changes, 'memory'),
        sharedMemoryFactor: factorAfter(ticket.changes, 'shared-memory'),
        avoidNodes: nodesAvoidedAfter(ticket.changes),
        labels,
      });
      await ledger.changeAttempt(keyOf({ context, ticket }), {
        state: 'starting',
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
    async stopJob({ context, ticket, job, reason }) {
      const { backend, profile } = dependencies.placeOf(context.profile);
      await backend.stop(job, { reason, graceSeconds: profile.graceSeconds });
      if (reason === 'cancel')
        await ledger.changeAttempt(keyOf({ context, ticket }), {
          state: 'cancelled',
          at: dependencies.now().toISOString(),
        });
    },
  };
}

type SeenEvent =
  { readonly kind: 'checkpoint'; readonly checkpoint: CheckpointOnStore } | Exclude<JobEvent, { kind: 'checkpoint' }>;

/** One wait: listens to the scanner, the backend and its own clock, and answers with whichever has something first. */
class Watch {
  readonly #dependencies: ActivityDependencies;
  readonly #backend: Backend;
  readonly #input: OfJob & { readonly seenSteps: readonly number[] };
  readonly #gone = new AbortController();
  /** Held, since the scanner calls back outside of this activity's own asynchronous context. */
  readonly #activity = Context.current();
  #status: JobStatus | null = null;
  #progress: Progress | null = null;
  /** When the trainer last said something new, by this worker's clock; at first, when this wait began. */
  #movedAt: Date;
  /** Scans in a row that failed. */
  #scanTrouble = 0;
  #checkpoint: number | null = null;
  /** None for evaluations, which save nothing. */
  readonly #pruner: Pruner | null;

  constructor(
    dependencies: ActivityDependencies,
    backend: Backend,
    input: OfJob & { readonly seenSteps: readonly number[] },
  ) {
    this.#dependencies = dependencies;
    this.#backend = backend;
    this.#input = input;
    this.#movedAt = dependencies.now();
    const { context, ticket } = input;
    this.#pruner = ticket.purpose === 'train' ? new Pruner(dependencies, context, this.#activity.log) : null;
  }

  async nextEvent(): Promise<SeenEvent> {
    const beat = setInterval(() => {
      this.#beat();
    }, this.#dependencies.heartbeatSeconds * 1000);
    try {
      // A new wait in the middle of a job begins where the job is, not at its start.
      this.#progress = (await this.#dependencies.scanner.scanNow(this.#input.ticket.directory)).progress;
      return await Promise.race([this.#dueCheckpoint(), this.#end(), this.#stall(), cancelled()]);
    } finally {
      clearInterval(beat);
      this.#gone.abort();
      await this.#pruner?.settled();
    }
  }

  /** The next due checkpoint that was not told before. */
  #dueCheckpoint(): Promise<SeenEvent> {
    return new Promise((resolve, reject) => {
      const unwatch = this.#dependencies.scanner.watch(this.#input.ticket.directory, {
        progress: (progress) => {
          this.#see(progress);
        },
        checkpoint: (checkpoint) => {
          this.#checkpoint = Math.max(this.#checkpoint ?? 0, checkpoint.step);
          this.#pruner?.saved(checkpoint.step);
          if (this.#isNewAndDue(checkpoint)) resolve({ kind: 'checkpoint', checkpoint });
        },
        trouble: (cause) => {
          this.#scanTrouble += 1;
          if (this.#scanTrouble < scansThatMayFail) return;
          const message = `the store cannot be read: ${this.#input.ticket.directory}`;
          reject(new TemperError('store-unavailable', message, { cause }));
        },
      });
      this.#gone.signal.addEventListener('abort', unwatch);
    });
  }

  #isNewAndDue({ step }: CheckpointOnStore): boolean {
    return this.#input.ticket.dueSteps.includes(step) && !this.#input.seenSteps.includes(step);
  }

  /** The end of the job; a due checkpoint that nobody was told of goes before it. */
  async #end(): Promise<SeenEvent> {
    const { job, ticket } = this.#input;
    let status = await this.#backend.status(job);
    this.#status = status;
    this.#beat();
    while (status.state !== 'ended' && status.state !== 'vanished') {
      status = await this.#backend.nextChange(job, status, this.#gone.signal);
      if (this.#gone.signal.aborted) return await new Promise(() => undefined);
      this.#status = status;
      this.#beat();
    }
    const { checkpoints } = await this.#dependencies.scanner.scanNow(ticket.directory);
    const untold = checkpoints.find((checkpoint) => this.#isNewAndDue(checkpoint));
    return untold ? { kind: 'checkpoint', checkpoint: untold } : { kind: 'ended' };
  }

  /** Looks at every beat: no I/O, and a stall is a matter of minutes. */
  #stall(): Promise<SeenEvent> {
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        // A job that cannot be seen is not one that stalls.
        if (this.#status?.state !== 'running' || this.#scanTrouble > 0) return;
        const verdict = judgeProgress(this.#progress, {
          startedAt: this.#status.since,
          now: this.#dependencies.now().toISOString(),
          movedAt: this.#movedAt.toISOString(),
        });
        if (verdict.kind === 'alive') return;
        resolve({ kind: 'stalled', because: sentenceOfProgress(verdict) });
      }, this.#dependencies.heartbeatSeconds * 1000);
      this.#gone.signal.addEventListener('abort', () => {
        clearInterval(timer);
      });
    });
  }

  #see(progress: Progress): void {
    if (!saysTheSame(progress, this.#progress)) this.#movedAt = this.#dependencies.now();
    this.#progress = progress;
    this.#scanTrouble = 0;
    this.#beat();
  }

  #beat(): void {
    if (this.#gone.signal.aborted || this.#activity.cancellationSignal.aborted) return;
    const { ticket, job } = this.#input;
    const progress = this.#progress;
    const details: JobHeartbeat = {
      job: job.name,
      state: this.#status?.state ?? 'queued',
      step: progress?.step ?? ticket.resumeStep,
      of: progress?.of ?? ticket.of,
      doing: progress?.doing ?? 'starting',
      loss: progress?.metrics['loss'] ?? null,
      reward: progress?.metrics['reward'] ?? null,
      checkpoint: this.#checkpoint,
      updatedAt: progress?.time ?? this.#dependencies.now().toISOString(),
    };
    this.#activity.heartbeat(details);
  }
}

/** Lines that only repeat themselves are no progress; new metrics are, such as the batches of a long evaluation. */
function saysTheSame(one: Progress, other: Progress | null): boolean {
  const what = ({ step, doing, metrics }: Progress) => JSON.stringify([step, doing, metrics]);
  return other !== null && what(one) === what(other);
}
