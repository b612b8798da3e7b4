/** What a sweep looks at and what comes of it, as data. Does not cover the rules (sweep-due.ts, sweep-batch.ts, sweep-regressions.ts). */
import type { CheckpointFact, EvaluationKey } from './evaluation.ts';
import type { LeaderboardRow } from './leaderboard.ts';
import type { PrunedFact } from './prune-sentences.ts';
import type { Estimate } from './statistics.ts';

/** Whose checkpoint it is: what stays the same from night to night while the checkpoint changes. */
export type Subject =
  | { readonly kind: 'champion' | 'running'; readonly pipeline: string }
  | { readonly kind: 'named'; readonly checkpoint: string };

/** A checkpoint of a sweep, and on which of its benchmarks it can be evaluated. */
export interface SweptCheckpoint extends CheckpointFact {
  readonly subjects: readonly Subject[];
  /** Version by name: as its recipe has them. */
  readonly versions: Readonly<Record<string, number>>;
  /** Checkpoints of one group can be evaluated by one job: their benchmarks mean the same. */
  readonly group: string;
}

export type WhySkipped =
  | {
      readonly rule: 'budget';
      /** GPU-hours. */
      readonly spentHours: number;
      readonly hours: number;
      /** Of a job; absent in reports from before they were counted. */
      readonly gpus?: number;
    }
  | {
      readonly rule: 'deleted';
      readonly path: string;
      /** When and by which rule; null where nobody that the ledger knows has pruned it, absent in reports from before it was looked up. */
      readonly pruned?: PrunedFact | null;
    }
  | { readonly rule: 'unreadable'; readonly why: string }
  | { readonly rule: 'failed'; readonly why: string }
  | { readonly rule: 'no-benchmark'; readonly benchmark: string; readonly recipe: string }
  | { readonly rule: 'other-profile'; readonly profile: string }
  | { readonly rule: 'unknown' }
  | { readonly rule: 'too-many'; readonly most: number };

export interface Skipped {
  /** A checkpoint, or a checkpoint on a benchmark, in words. */
  readonly what: string;
  readonly because: WhySkipped;
}

/** A job that could not make what it was to make. */
export interface FailedRound {
  readonly evaluations: readonly EvaluationKey[];
  readonly because: string;
}

/** A checkpoint that is not there any more. */
export interface LostCheckpoint {
  readonly checkpoint: string;
  readonly because: WhySkipped;
}

export interface Regression {
  readonly subject: Subject;
  readonly benchmark: string;
  readonly before: { readonly checkpoint: string; readonly mean: number };
  readonly now: { readonly checkpoint: string; readonly mean: number };
  /** From before to now, over the problems that both have. */
  readonly difference: Estimate;
}

/** Starts of the schedule that made no sweep since the last one. */
export interface SkippedNights {
  /** The sweep before still ran. */
  readonly overlap: number;
  /** The sweep that tells it was started, and no worker took it; absent where none was skipped for that, and in reports from before it was told. */
  readonly notTaken?: Waited & { readonly starts: number };
  /** No worker or no server was there for longer than a start may be late. */
  readonly missed: number;
}

/** From when a sweep was started until a worker took it. ISO 8601. */
export interface Waited {
  readonly from: string;
  readonly until: string;
}

/** As a schedule has them since it was made. */
export interface ScheduleCounters extends Omit<SkippedNights, 'notTaken'> {
  /** ISO 8601: when it was made; one that was made anew counts from 0 again. */
  readonly createdAt: string;
}

export type SweepOutcome = 'completed' | 'cancelled' | 'failed';

export interface SweepReport {
  readonly outcome: SweepOutcome;
  /** Evaluations that this sweep made. */
  readonly evaluated: number;
  /** That its jobs ran. */
  readonly hours: number;
  /** The same × the GPUs of a job; absent in reports from before they were counted. */
  readonly gpuHours?: number;
  readonly rows: readonly LeaderboardRow[];
  /** ISO 8601: start of the sweep that this one is compared with; null where there is none. */
  readonly comparedWith: string | null;
  /** Subjects on benchmarks that could be compared; absent in reports from before it was there. */
  readonly compared?: number;
  /** Those whose checkpoint is the one of then: they are compared with nothing; absent in reports from before they were counted. */
  readonly unchanged?: number;
  readonly regressions: readonly Regression[];
  readonly skipped: readonly Skipped[];
  /** How many more were skipped than are named; absent where none. */
  readonly skippedMore?: number;
  readonly nights: SkippedNights;
  /** Local times of the schedule that a clock change skips or doubles, in sentences. */
  readonly clock: readonly string[];
}

/** An evaluation that is due, and why it comes when it comes. */
export interface DueEvaluation extends EvaluationKey {
  readonly because: 'never-evaluated' | 'contender';
  readonly group: string;
}
