/**
 * One wait for the next event of a job: a due checkpoint, a stall, what it waits for before it runs and that this takes too long, a lost
 * node, an eviction, or the end, whichever comes first.
 *
 * Owns nothing: it may be killed and begun anew at any time. Does not cover what an event means (jobs.ts, judge-attempt.ts).
 */
import { cancelled, Context } from '@temporalio/activity';
import { TemperError } from '../decisions/errors.ts';
import type { GivenUpWait, Progress } from '../decisions/failure.ts';
import { shareOf } from '../decisions/random.ts';
import { sentenceOfProgress } from '../decisions/sentences.ts';
import {
  idleAfterLook,
  judgeProgress,
  stallBudgetsOf,
  stallBudgetsOfCommand,
  type StallBudgets,
} from '../decisions/stall.ts';
import { judgeWaiting, sentenceOfWait, type Waiting, withWaitBefore } from '../decisions/waiting.ts';
import { isJobOver, whyEndless } from '../decisions/job-over.ts';
import type { WaitKind } from '../decisions/states.ts';
import { comparable, shortened } from '../decisions/comparable.ts';
import { rankThatSpeaks } from '../configs/job-needs.ts';
import type { CheckpointOnStore } from '../store/checkpoints.ts';
import type { JobHeartbeat, PhaseContext } from '../workflows/contract.ts';
import type { AttemptTicket } from './attempts.ts';
import type { Backend, JobRef, JobStatus } from './backend.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { Pruner } from './pruner.ts';

/** A wait that is over sooner is the everyday of a start, and told to nobody. */
const shortestToldWaitSeconds = 15;
/** Heartbeats are small. */
const longestShownWait = 300;
/** Scans in a row that may fail before the wait is given up and tried anew. */
const scansThatMayFail = 5;

export type SeenEvent =
  | { readonly kind: 'checkpoint'; readonly checkpoint: CheckpointOnStore }
  | { readonly kind: 'stalled' | 'lost'; readonly because: string }
  | { readonly kind: 'waited'; readonly because: string; readonly wait: GivenUpWait }
  /** `reason`: why it waits, in the backend's words. */
  | { readonly kind: 'waits'; readonly for: WaitKind | 'none'; readonly sentence: string; readonly reason?: string }
  | { readonly kind: 'evicted'; readonly as: 'preempted' | 'queue-evicted'; readonly because: string }
  | { readonly kind: 'ended' };

export interface Watched {
  readonly context: PhaseContext;
  readonly ticket: AttemptTicket;
  readonly job: JobRef;
  /** The due checkpoints that were told before. */
  readonly seenSteps: readonly number[];
  /** What it waited for by the last word; absent: nobody wants to know. */
  readonly toldWait?: WaitKind | 'none';
  /** Of waits it was told enough: only that it runs is told. */
  readonly toldEnough?: true;
  /** Why it waited, by the last word. Absent in runs of older versions: of a wait of one kind they are told once. */
  readonly toldReason?: string;
  /** ISO 8601: since when there was no room for the job itself; absent where there was. */
  readonly waitsSince?: string;
}

type Live = Extract<JobStatus, { reason: string | null }>;

/** Listens to the scanner, the backend and its own clock, and answers with whichever has something first. */
export class Watch {
  readonly #dependencies: ActivityDependencies;
  readonly #backend: Backend;
  readonly #input: Watched;
  readonly #gone = new AbortController();
  /** Held, since the scanner calls back outside of this activity's own asynchronous context. */
  readonly #activity = Context.current();
  #status: JobStatus | null = null;
  #progress: Progress | null = null;
  readonly #stallBudgets: StallBudgets;
  /** For how long the trainer has said nothing new while it ran and was watched. */
  #idleSeconds = 0;
  #lookedAt: Date;
  /** Why the log of a foreign trainer cannot be followed now. */
  #logTrouble: string | null = null;
  /** Scans in a row that failed. */
  #scanTrouble = 0;
  #checkpoint: number | null = null;
  /** None for evaluations, which save nothing. */
  readonly #pruner: Pruner | null;

  constructor(dependencies: ActivityDependencies, backend: Backend, input: Watched) {
    this.#dependencies = dependencies;
    this.#backend = backend;
    this.#input = input;
    this.#lookedAt = dependencies.now();
    const { context, ticket } = input;
    this.#stallBudgets =
      context.phase.kind === 'command' && ticket.purpose === 'train'
        ? stallBudgetsOfCommand(context.phase.params.stallMinutes)
        : stallBudgetsOf(context.budgets.stallMinutes ?? {});
    this.#pruner = ticket.purpose === 'train' ? new Pruner(dependencies, context, this.#activity.log) : null;
  }

  async nextEvent(): Promise<SeenEvent> {
    const beat = setInterval(() => {
      this.#beat();
    }, this.#dependencies.heartbeatSeconds * 1000);
    try {
      // A new wait in the middle of a job begins where the job is, not at its start.
      this.#progress = (await this.#dependencies.scanner.scanNow(this.#input.ticket.directory)).progress;
      this.#idleSeconds = idleBefore(this.#activity, this.#progress);
      this.#followLog();
      return await Promise.race([this.#dueCheckpoint(), this.#end(), this.#stall(), this.#wait(), cancelled()]);
    } finally {
      clearInterval(beat);
      this.#gone.abort();
      await this.#pruner?.settled();
    }
  }

  get #isForeign(): boolean {
    const { context, ticket } = this.#input;
    return context.phase.kind === 'command' && ticket.purpose === 'train';
  }

  /** The rank that says how far a foreign trainer is. */
  get #speaker(): number {
    const { context } = this.#input;
    return rankThatSpeaks(context.phase, this.#dependencies.placeOf(context.profile).profile);
  }

  /** Before the backend has said anything, a worker is just beginning. */
  get #unseenSeconds(): number {
    const seconds = this.#backend.unseenSeconds?.() ?? 0;
    return Number.isFinite(seconds) ? seconds : 0;
  }

  /** The built-in trainers tell how far they are on the store. */
  get #isLogUnseen(): boolean {
    return (
      this.#isForeign && this.#backend.logs !== undefined && (this.#unseenSeconds > 0 || this.#logTrouble !== null)
    );
  }

  /** A foreign trainer tells how far it is by its log alone. One that cannot be followed now is followed again from the next wait on. */
  #followLog(): void {
    const { job } = this.#input;
    if (!this.#isForeign) return;
    const { log } = this.#activity;
    const heard = (problem: string | null) => {
      if (problem !== null && this.#logTrouble === null)
        log.warn(`the log of ${job.name} cannot be followed: no stall is judged until it can (${problem})`);
      this.#logTrouble = problem;
    };
    this.#backend.logs?.follow(job, this.#speaker, { signal: this.#gone.signal, heard }).catch((error: unknown) => {
      heard(String(error));
    });
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

  /** The end of the job, or that none will come; a due checkpoint that nobody was told of goes before it. */
  async #end(): Promise<SeenEvent> {
    const { job, ticket } = this.#input;
    let status = await this.#backend.status(job);
    for (;;) {
      this.#status = status;
      this.#beat();
      if (isJobOver(status)) break;
      await this.#record(status.state);
      if (whyEndless(status) !== null) break;
      status = await this.#backend.nextChange(job, status, this.#gone.signal);
      if (this.#gone.signal.aborted) return await new Promise(() => undefined);
    }
    const { checkpoints } = await this.#dependencies.scanner.scanNow(ticket.directory);
    const untold = checkpoints.find((checkpoint) => this.#isNewAndDue(checkpoint));
    if (untold) return { kind: 'checkpoint', checkpoint: untold };
    return isJobOver(status) ? { kind: 'ended' } : endless(status);
  }

  /** The row of the attempt says what its job does: one write for each change that goes forward. */
  async #record(state: Live['state']): Promise<void> {
    const { context, ticket } = this.#input;
    const { ledger } = this.#dependencies;
    const at = this.#dependencies.now().toISOString();
    const { pipelineId: workflowId, phase } = context;
    const key = { workflowId, phase: phase.name, purpose: ticket.purpose, number: ticket.number };
    await ledger.advanceAttempt(key, { state, at });
  }

  /** Looks at every beat: no I/O, and a stall is a matter of minutes. */
  #stall(): Promise<SeenEvent> {
    return this.#atEachBeat(() => {
      const now = this.#dependencies.now();
      const sinceLastLook = (now.getTime() - this.#lookedAt.getTime()) / 1000;
      this.#lookedAt = now;
      // A job that cannot be seen is not one that stalls.
      if (this.#status?.state !== 'running' || this.#scanTrouble > 0 || this.#isLogUnseen) return null;
      this.#idleSeconds = idleAfterLook(this.#idleSeconds, sinceLastLook);
      const verdict = judgeProgress(this.#progress, this.#idleSeconds, this.#stallBudgets);
      return verdict.kind === 'alive' ? null : { kind: 'stalled', because: sentenceOfProgress(verdict) };
    });
  }

  /** What it waits for, once that is no everyday wait, and that this takes too long: by the backend's word since when, so that a new watch begins nothing anew. */
  #wait(): Promise<SeenEvent> {
    return this.#atEachBeat(() => {
      const wait = this.#waiting;
      if (wait === null) return this.#startToTell();
      const now = this.#dependencies.now().toISOString();
      const verdict = judgeWaiting(wait, this.#input.context.budgets, { now, share: this.#share });
      if (verdict.kind === 'waits') return this.#waitToTell(wait, verdict.waitedSeconds);
      return { kind: 'waited', because: verdict.because, wait: verdict.wait };
    });
  }

  #waitToTell(wait: Waiting, waitedSeconds: number): SeenEvent | null {
    const { toldWait, toldEnough, toldReason, context } = this.#input;
    const isToldSo = toldWait === wait.for && !isAnotherReason(wait.reason, toldReason);
    if (toldWait === undefined || toldEnough || isToldSo || waitedSeconds < shortestToldWaitSeconds) return null;
    const sentence = sentenceOfWait(wait, context.budgets, this.#share);
    return { kind: 'waits', for: wait.for, sentence, ...(wait.reason !== null && { reason: shortened(wait.reason) }) };
  }

  #startToTell(): SeenEvent | null {
    const { toldWait = 'none', ticket } = this.#input;
    if (toldWait === 'none' || this.#status?.state !== 'running') return null;
    return { kind: 'waits', for: 'none', sentence: `attempt ${String(ticket.number)} runs` };
  }

  get #waiting(): Waiting | null {
    if (this.#status?.state !== 'queued' && this.#status?.state !== 'starting') return null;
    const { state, since, reason, waitsOn, waitsFor = state === 'queued' ? 'queue' : 'starting' } = this.#status;
    const wait = { for: waitsFor, since, reason, ...(waitsOn === undefined ? {} : { node: waitsOn }) };
    return withWaitBefore(wait, this.#input.waitsSince);
  }

  get #share(): number {
    return shareOf(this.#input.job.name);
  }

  #atEachBeat(look: () => SeenEvent | null): Promise<SeenEvent> {
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        const seen = look();
        if (seen !== null) resolve(seen);
      }, this.#dependencies.heartbeatSeconds * 1000);
      this.#gone.signal.addEventListener('abort', () => {
        clearInterval(timer);
      });
    });
  }

  #see(progress: Progress): void {
    if (!saysTheSame(progress, this.#progress)) this.#idleSeconds = 0;
    this.#progress = progress;
    this.#scanTrouble = 0;
    this.#beat();
  }

  #inShort(wait: Waiting): string {
    return sentenceOfWait(wait, this.#input.context.budgets, this.#share).slice(0, longestShownWait);
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
      idleSeconds: Math.round(this.#idleSeconds),
      unseenSeconds: Math.round(this.#unseenSeconds),
      ...(this.#waiting === null ? {} : { waits: this.#inShort(this.#waiting) }),
    };
    this.#activity.heartbeat(details);
  }
}

/** Of a wait of the same kind: numbers and names that come and go make none. */
function isAnotherReason(reason: string | null, told: string | undefined): boolean {
  return told !== undefined && reason !== null && comparable(shortened(reason)) !== comparable(told);
}

function endless(status: Live): SeenEvent {
  const because = whyEndless(status) ?? '';
  return status.evicted === undefined ? { kind: 'lost', because } : { kind: 'evicted', as: status.evicted.as, because };
}

/** What the wait before this one, in a worker that is gone, had watched without seeing anything newer. */
function idleBefore({ info }: Context, progress: Progress | null): number {
  const last = info.heartbeatDetails as Partial<JobHeartbeat> | undefined;
  return progress !== null && last?.updatedAt === progress.time ? (last.idleSeconds ?? 0) : 0;
}

/** Lines that only repeat themselves are no progress; new metrics are, such as the batches of a long evaluation. */
function saysTheSame(one: Progress, other: Progress | null): boolean {
  const what = ({ step, doing, metrics }: Progress) => JSON.stringify([step, doing, metrics]);
  return other !== null && what(one) === what(other);
}
