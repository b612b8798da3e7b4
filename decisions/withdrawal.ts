/**
 * Evidence from outside that a person took back: an imported evaluation, or a score. It counts nowhere from then on, and stays to be read.
 *
 * Does not cover what is put in the place of a score (outside-score.ts: a correction).
 */
import type { ShownScores } from './shown-scores.ts';
import { minuteOf } from './utc-minute.ts';

export interface Withdrawal {
  /** Of what was taken back. */
  readonly id: string;
  readonly checkpoint: string;
  readonly benchmark: string;
  readonly version: number;
  readonly by: string;
  /** Why. */
  readonly note: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Those that a table has room for, the newest first. */
export interface ShownWithdrawals {
  readonly withdrawn: readonly Withdrawal[];
  /** How many older ones are left out. */
  readonly withdrawnOmitted: number;
}

/** Evidence from outside that is to count no longer. */
export interface WithdrawQuestion {
  readonly question: 'withdraw';
  /** Of an imported evaluation, or of a score from outside. */
  readonly id: string;
  readonly by: string;
  /** Why. */
  readonly note: string;
}

/** Evidence from outside that counts no longer. */
export interface WithdrawnEvidence {
  readonly answer: 'withdraw';
  /** Ids of what was taken back now; empty where it was before. */
  readonly withdrawn: readonly string[];
  readonly sentence: string;
  /** Workflow ids of the phases whose gates look at what is gone: each is told, and judges again if it waits. */
  readonly wakes: readonly string[];
  /** For the pages of open pipelines; they are told, and the command line is not. */
  readonly shows?: readonly ShownScores[];
}

/** `lm-eval-gsm8k, version 1, of demo/sft/a1/checkpoint-50 (0123456789ab): by bob at 2026-11-29 10:00 UTC: wrong checkpoint`. */
export function sentenceOfWithdrawal({ id, checkpoint, benchmark, version, by, note, at }: Withdrawal): string {
  return `${benchmark}, version ${String(version)}, of ${checkpoint} (${id}): by ${by} at ${minuteOf(at)} UTC: ${note}`;
}
