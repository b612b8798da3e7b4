/**
 * The closed list of failure classes, and the evidence that names one.
 *
 * Covers what a backend gathers and what an incident is. Does not cover which class it is (classify.ts) or what follows (retry.ts).
 */
import type { Doing, WaitKind } from './states.ts';

export const failureClasses = [
  'preempted',
  'evicted',
  'node-lost',
  'interrupted',
  'nccl-watchdog',
  'engine-watchdog',
  'engine-dead',
  'ray-lost',
  'stalled',
  'killed',
  'crashed',
  'network',
  'gpu-oom',
  'host-oom',
  'shm-too-small',
  'disk-full',
  'not-finite',
  'resume-damaged',
  'start-damaged',
  'hardware',
  'unschedulable',
  'quota',
  'queue-evicted',
  'image-pull',
  'mount',
  'sandbox',
  'half-scheduled',
  'config',
  'auth',
  'data-missing',
  'admission-denied',
  'no-progress',
  'resume-mismatch',
  'unproven',
  'job-lost',
  'deadline',
  'unknown',
] as const;
export type FailureClass = (typeof failureClasses)[number];

/** One line of `progress.jsonl`. */
export interface Progress {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly step: number;
  readonly of: number;
  readonly doing: Doing;
  readonly metrics: Readonly<Record<string, number | null>>;
}

/** What the processes of one rank are in a job whose pods have roles: the first engine is `engine` 0, whatever its rank. */
export interface RankRole {
  readonly name: string;
  readonly index: number;
}

/** A backend's word for a rank that was told to end since the job was decided: how it ended is no cause. */
export const takenAlong = 'taken-along';

/** How a container ended that is not the trainer's: one that the site's pod template adds. */
export interface ContainerEnd {
  readonly name: string;
  /** It runs before the trainer, which never began. */
  readonly isInit: boolean;
  readonly exitCode: number;
  readonly reason: string | null;
  /** Its last words, or why it never began; null where there are none. */
  readonly message: string | null;
  /** ISO 8601; null when nobody saw it end. */
  readonly endedAt: string | null;
}

/** How one process (rank) of a job ended. */
export interface RankEnd {
  readonly rank: number;
  /** Absent where all ranks do the same. */
  readonly role?: RankRole;
  readonly node: string;
  readonly exitCode: number | null;
  /** For example `SIGKILL`. */
  readonly signal: string | null;
  /** ISO 8601; null when nobody saw it end. */
  readonly endedAt: string | null;
  /** The last lines of its log, oldest first, bounded in number and length by the backend. */
  readonly lastLines: readonly string[];
  /** The backend's own word for the end, such as Kubernetes' `OOMKilled`; null where it has none. */
  readonly reason: string | null;
  /** What the backend says beside its word, such as which resource a node ran out of; absent where it says nothing. */
  readonly message?: string;
  /** Another container of its pod that failed before the trainer had ended; absent where none did. */
  readonly beside?: ContainerEnd;
}

/** Where a process was when it was told to stop, which it did not. */
export interface HungProcess {
  /** Of all processes of the job, not of its pods. */
  readonly rank: number;
  /** Of its main thread, innermost first, each as `File "…", line 12 in wait`. */
  readonly frames: readonly string[];
}

/** `result.json` of an attempt, as docs/reference/trainer-contract.md defines it. */
export interface TrainerResult {
  readonly status: 'completed' | 'stopped' | 'failed';
  readonly reason: 'usage' | 'data' | 'config' | null;
  readonly message: string | null;
  /** A checkpoint whose files are not what was sealed, or cannot be read; null when none was met. */
  readonly damaged: { readonly path: string; readonly why: string } | null;
  readonly job: string;
  readonly attempt: number;
  readonly jobToken: string;
  readonly startStep: number;
  readonly finalStep: number;
  readonly startedFrom: { readonly path: string; readonly digest: string } | null;
  readonly weightsBefore: string | null;
  readonly weightsAfter: string | null;
  readonly artifacts: readonly {
    readonly path: string;
    readonly format: string;
    readonly step: number;
    readonly digest: string;
  }[];
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly finite: boolean;
  readonly seconds: Readonly<Record<string, number>>;
}

/** What was asked of an attempt, for comparing with what it did. */
export interface Asked {
  readonly job: string;
  readonly jobToken: string;
  readonly attempt: number;
  readonly targetStep: number;
  /** Null: from step 0. */
  readonly resume: { readonly path: string; readonly step: number; readonly digest: string | null } | null;
  readonly start: { readonly path: string; readonly digest: string | null } | null;
  /** False for kinds that train nothing (merge, evaluate, seal, a base that is only named). */
  readonly trains: boolean;
}

/** What a foreign trainer's log and checkpoints show of an attempt, in place of a result. */
export interface ObservedRun {
  /** The step it started after, by its own word or by its history; null when neither tells. */
  readonly startStep: number | null;
  /** The first step it reported; null when it reported none. */
  readonly firstStep: number | null;
  /** Step of its newest complete checkpoint; null when it left none. */
  readonly savedStep: number | null;
  /** Whether its history goes on the one of the checkpoint that it was told to resume; null where that cannot be seen. */
  readonly continuesHistory: boolean | null;
  /** Of the last checkpoint, against what it started from, or its first one. */
  readonly weights: 'changed' | 'unchanged' | 'not-comparable';
  readonly finite: boolean;
  readonly metrics: Readonly<Record<string, number | null>>;
}

/** Why Temper asked a job to stop; `deadline`: it gave up its place, and never ran; `waited`: it could not start, and is to be judged; `hold`: a person holds its phase; `collapse`: its scores fell. */
export type StopReason =
  | 'cancel'
  | 'shutdown'
  | 'hold'
  | 'stalled'
  | 'deadline'
  | 'waited'
  | 'node-lost'
  | 'preempted'
  | 'queue-evicted'
  | 'collapse';

/** A wait to start that was longer than it may be. */
export interface GivenUpWait {
  readonly for: WaitKind;
  /** In the backend's words. */
  readonly reason: string | null;
  readonly seconds: number;
  /** Where it waited, where that is one node's trouble. */
  readonly node: string | null;
}

/** Everything known about the end of an attempt. Gathered by a backend and the store, never judged there. */
export interface Evidence {
  readonly asked: Asked;
  /** `vanished`: neither the job nor a record of its end exists. */
  readonly job: 'ended' | 'vanished';
  /** True when Temper itself asked the job to stop. */
  readonly stoppedByTemper: 'no' | StopReason;
  readonly ranks: readonly RankEnd[];
  /** Seconds that the job held what it runs on; time in a queue is none. */
  readonly ranSeconds: number;
  readonly lastProgress: Progress | null;
  /** Null: absent or unreadable. */
  readonly result: TrainerResult | null;
  /** Whether the artifact of the target step is complete on the store. */
  readonly targetArtifactComplete: boolean;
  /** Of an evaluation job, what is lacking of each evaluation that is not whole; absent where all are, and for jobs that train. */
  readonly lackingOutcomes?: readonly string[];
  /** Highest step of a complete checkpoint of this attempt; null when it left none. */
  readonly newestCompleteStep: number | null;
  /** Lowest step at which a number that must be finite was not; null when all were. */
  readonly firstNotFiniteStep: number | null;
  /** Of an evaluation: problems that this attempt was the first to finish, and kept. Absent for trainings, and of older versions. */
  readonly newProblems?: number;
  /** Bytes that could still be written to the store when the evidence was gathered; null when nobody could tell. */
  readonly storeFreeBytes: number | null;
  /** Of a foreign trainer; absent for a built-in one, whose result speaks. */
  readonly observed?: ObservedRun;
  /** Absent where no save was seen to its end. */
  readonly saves?: { readonly longestSeconds: number; readonly graceSeconds: number };
  /** Of an attempt that stalled, where its trainer tells; absent otherwise. */
  readonly hung?: readonly HungProcess[];
  /** Why it was stopped before it ran; absent where it was not. */
  readonly waited?: GivenUpWait;
}

/** A classified failure of an attempt. */
export interface Incident {
  readonly attempt: number;
  readonly class: FailureClass;
  /** What makes two incidents the same root cause, such as the exception's first line; equal texts are equal causes. */
  readonly rootCause: string;
  readonly rank: number | null;
  readonly node: string | null;
  /** Step of the last progress line; 0 when there was none. */
  readonly step: number;
  /** Step of the newest complete checkpoint of the phase when it failed; 0 when there was none. */
  readonly completedStep: number;
  /** Lowest step at which a number that must be finite was not; null when all were. */
  readonly firstNotFiniteStep?: number | null;
  /** Of an evaluation: problems that it was the first to finish, and kept. */
  readonly newProblems?: number;
  /** Seconds that it waited to start, where it never could; absent otherwise. */
  readonly waitedSeconds?: number;
  readonly because: ClassReason;
}

/** Who a class was named after. */
export interface OfRank {
  readonly rank: number;
  /** Of what serves the trainers: told in place of the rank. */
  readonly role?: RankRole;
  /** Another container than the trainer's. */
  readonly container?: string;
}

/** Why a class was named: data for sentences.ts. */
export type ClassReason =
  | (OfRank & { readonly rule: 'log-line'; readonly line: string })
  | (OfRank & { readonly rule: 'exit-code'; readonly exitCode: number })
  | (OfRank & { readonly rule: 'signal'; readonly signal: string })
  /** `node` is absent where the backend has none, and `says` where it says nothing beside its word. */
  | (OfRank & {
      readonly rule: 'backend-reason';
      readonly reason: string;
      readonly node?: string;
      readonly says?: string;
    })
  /** What watched the process died before it saw an end; `began`: it had seen a beginning. */
  | (OfRank & { readonly rule: 'end-unseen'; readonly began: boolean })
  | { readonly rule: 'trainer-said'; readonly reason: string; readonly message: string }
  | { readonly rule: 'stopped-by-temper'; readonly why: StopReason }
  | { readonly rule: 'waited'; readonly wait: GivenUpWait }
  | { readonly rule: 'no-result' }
  | { readonly rule: 'result-of-another-job'; readonly job: string; readonly attempt: number }
  | { readonly rule: 'no-step-trained'; readonly startStep: number; readonly targetStep: number }
  | { readonly rule: 'steps-missing'; readonly finalStep: number; readonly targetStep: number }
  | { readonly rule: 'artifact-incomplete'; readonly step: number }
  /** What is lacking of the first that is not whole, and how many are not. */
  | { readonly rule: 'incomplete-evaluation'; readonly why: string; readonly evaluations: number }
  | { readonly rule: 'metrics-not-finite'; readonly metric: string | null }
  | { readonly rule: 'weights-unchanged' }
  /** It names no digest of its weights before or after. */
  | { readonly rule: 'weights-unknown' }
  | { readonly rule: 'started-at-step'; readonly want: number; readonly was: number }
  | { readonly rule: 'started-elsewhere'; readonly want: string | null; readonly was: string | null }
  /** Its files are not what was sealed, or cannot be read. */
  | { readonly rule: 'checkpoint-damaged'; readonly path: string; readonly why: string }
  /** Nothing more can be written to the store. */
  | { readonly rule: 'store-full'; readonly freeBytes: number }
  /** A foreign trainer ended, and its newest complete checkpoint is of an earlier step, or there is none. */
  | { readonly rule: 'target-not-saved'; readonly savedStep: number | null; readonly targetStep: number }
  /** It logged other steps before the one to go on from than the checkpoint it was told. */
  | { readonly rule: 'another-history'; readonly step: number }
  | { readonly rule: 'vanished' };
