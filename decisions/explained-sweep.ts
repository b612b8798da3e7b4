/** What `temper explain` tells of a sweep beside what happened to its jobs. Types only; the rest of the answer is in workflows/contract-questions.ts. */

/** What a sweep looked at and what came of it, in sentences; long lists are cut, and say so. */
export interface ExplainedSweep {
  readonly benchmarks: readonly string[];
  /** Checkpoints, and whose each is. */
  readonly looksAt: readonly string[];
  /** Evaluations that it made, each with its score. */
  readonly evaluated: readonly string[];
  /** What it is still to evaluate, the next first; of a sweep that has ended nothing. */
  readonly due: readonly string[];
  readonly skipped: readonly string[];
  /** ISO 8601: start of the sweep that it was compared with; null where there was none, or it runs. */
  readonly comparedWith: string | null;
  /** That nothing is worse, and than what; absent while it runs, where something is, and from older workers. */
  readonly comparison?: string;
  readonly regressions: readonly string[];
  /** Starts of the schedule that made no sweep, and its times that a clock change skips or doubles. */
  readonly schedule: readonly string[];
}
