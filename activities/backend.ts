/**
 * The port that every backend implements: where jobs run. Types only.
 *
 * A backend gathers facts and acts when told. It decides nothing: classes and retries are decisions/.
 */
import type { JobCommand } from '../decisions/command-line.ts';
import type { RankEnd, StopReason } from '../decisions/failure.ts';
import type { AttemptState, WaitKind } from '../decisions/states.ts';

/** What is to run: one attempt of a phase, or one evaluation job. */
export interface JobSpec {
  /** Derived from workflow id, phase and attempt alone, so that whoever asks again finds the job that exists. */
  readonly name: string;
  /** Absolute; exists; holds `request.json`. Everything the job writes lies below it. */
  readonly directory: string;
  readonly requestPath: string;
  /** Who the directory belongs to: two stores may have the same name and the same path, but never the same owner. */
  readonly owner?: string;
  readonly slots: number;
  /** What earlier attempts died for want of, times this; 1 asks for what the profile says. */
  readonly memoryFactor: number;
  readonly sharedMemoryFactor: number;
  /** A wish: where no other node exists, one of these may be used again. */
  readonly avoidNodes: readonly string[];
  /** What is run; absent: the built-in trainer. */
  readonly command?: JobCommand;
  readonly labels: {
    readonly pipeline: string;
    readonly phase: string;
    /** Kind of the phase, or `evaluate`. */
    readonly kind: string;
    readonly attempt: number;
    readonly workflowId: string;
    /** What is evaluated or sealed, such as `sft-20`; absent for jobs that train. */
    readonly checkpoints?: readonly string[];
    /** What it is evaluated on. */
    readonly benchmarks?: readonly string[];
  };
}

/** A job that exists or existed. Small: it travels through workflow history. */
export interface JobRef {
  readonly name: string;
  /** The backend's own identity of this very job (a Job's uid, a supervisor's token): equals `TEMPER_JOB_TOKEN`. */
  readonly uid: string;
  readonly directory: string;
}

/** What a backend knows of a job now. */
export type JobStatus =
  | {
      readonly state: Extract<AttemptState, 'queued' | 'starting' | 'running' | 'stopping'>;
      readonly reason: string | null;
      /** ISO 8601; of a wait, since when it lasts, from what the backend keeps: a worker that is started anew does not begin it anew. */
      readonly since: string;
      /** What one that does not run yet waits for. @default its place in the queue while it is queued, else its start */
      readonly waitsFor?: WaitKind;
      /** Where it waits, where that is one node's trouble. */
      readonly waitsOn?: string;
      /** Part of it runs on this node, which has not answered for so long that its end is not waited for: it is to be stopped. */
      readonly lostNode?: string;
      /** Its queue has taken its place away, and why: it is to be stopped before it is let in again. */
      readonly evicted?: { readonly as: 'preempted' | 'queue-evicted'; readonly because: string };
    }
  | {
      readonly state: 'ended';
      /** When its first process began; null when none ever did. */
      readonly startedAt: string | null;
      readonly ranks: readonly RankEnd[];
      readonly endedAt: string;
      readonly stopRequested: StopReason | null;
    }
  | { readonly state: 'vanished' };

export type { StopReason };

/** Brings what ranks of a job say into its directory: `log.txt`, `log-1.txt`, … */
export interface BackendLogs {
  /** What was said by now. Rejects where that cannot be had. */
  bring(job: JobRef, rank: number, signal: AbortSignal): Promise<void>;
  /** What is said, as it comes, until the signal aborts. Asks again after whatever ends it before. */
  follow(job: JobRef, rank: number, wish: FollowWish): Promise<void>;
}

export interface FollowWish {
  readonly signal: AbortSignal;
  /** Called with why the log cannot be followed now, and with null when it is followed again. */
  readonly heard: (problem: string | null) => void;
}

export interface Backend {
  /**
   * What its nodes belong to, the same for every profile and worker that reaches it: nodes of two clusters may have one name. Absent where a
   * job cannot be kept away from a node.
   */
  readonly cluster?: string;
  /** What this backend cannot give a job more of, because it has no notion of it. */
  readonly fixed: readonly ('memory' | 'shared-memory')[];
  /**
   * Creates the job, or adopts the one of this name, also where it has ended: what it left may be at work still on a node that does not
   * answer, and a second one would write into the same directory. Idempotent. Throws a `TemperError` when it can do neither. Once `noMore`
   * aborts it begins nothing any more: what it has begun is waited for, so that `find` can tell what came of it.
   */
  submit(spec: JobSpec, noMore?: AbortSignal): Promise<JobRef>;
  /** The job of this name and directory, also one whose submit nobody heard the end of; null when there is none. Asks the backend, no memory. */
  find(spec: Pick<JobSpec, 'name' | 'directory' | 'owner'>): Promise<JobRef | null>;
  /** What is known now, from the backend's own events where it has them. */
  status(job: JobRef): Promise<JobStatus>;
  /**
   * Resolves at the next change of the job's state after `seen`, or when the signal aborts (then with the current status).
   * Backends wait on events, never one poll per job.
   */
  nextChange(job: JobRef, seen: JobStatus, signal: AbortSignal): Promise<JobStatus>;
  /**
   * Asks the job to save and stop, then kills it after `graceSeconds`; resolves when nothing of it runs, or only what is out of reach on a
   * node that does not answer. Idempotent.
   */
  stop(job: JobRef, options: { readonly reason: StopReason; readonly graceSeconds: number }): Promise<void>;
  /** For how many seconds nothing was heard of any job, where that is longer than it should be; 0 while all is well. Absent: always well. */
  unseenSeconds?(): number;
  /** Where jobs do not write their logs themselves. At a job's end the log of each rank is in its directory in any case. */
  readonly logs?: BackendLogs;
  /** Jobs of this store that are not ended, and of no other that shares the place: for the reaper, `up`'s shutdown and tests. */
  list(): Promise<readonly JobRef[]>;
}
