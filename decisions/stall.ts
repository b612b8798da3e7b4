/**
 * Whether a running attempt still moves. Each thing a trainer does has its own patience: a save of twenty minutes is no stall,
 * a training step of twenty minutes is.
 *
 * Covers one attempt at one moment. Does not cover reading progress (store/) or stopping the job (workflows/).
 */
import type { Progress } from './failure.ts';
import type { Doing } from './states.ts';

/** Seconds without movement after which a trainer that does this counts as stalled. */
export type StallBudgets = Readonly<Record<Doing, number>>;

/** Generous: a stall found a few minutes late costs less than a healthy job that is killed again and again. */
export const stallBudgets: StallBudgets = {
  starting: 20 * 60,
  loading: 60 * 60,
  compiling: 60 * 60,
  training: 15 * 60,
  generating: 30 * 60,
  saving: 60 * 60,
  publishing: 30 * 60,
  evaluating: 30 * 60,
  finishing: 60 * 60,
};

/** The moments that matter, ISO 8601. */
export interface ProgressTimes {
  /** When the job began to run: time in the queue is no stall. */
  readonly startedAt: string;
  readonly now: string;
  /**
   * When `step` or `doing` last changed, on the clock that `now` comes from. Lines that only repeat themselves are no movement.
   * @default the time of the last line
   */
  readonly movedAt?: string;
}

export type ProgressVerdict =
  | { readonly kind: 'alive'; readonly doing: Doing; readonly idleSeconds: number; readonly budgetSeconds: number }
  | {
      readonly kind: 'stalled';
      readonly doing: Doing;
      readonly step: number;
      readonly idleSeconds: number;
      readonly budgetSeconds: number;
    };

/** Judges by what the trainer said it was doing; one that has said nothing yet is `starting` since the job began to run. */
export function judgeProgress(
  last: Progress | null,
  times: ProgressTimes,
  budgets: StallBudgets = stallBudgets,
): ProgressVerdict {
  const doing = last?.doing ?? 'starting';
  const idleSeconds = Math.max(0, (Date.parse(times.now) - lastMovement(last, times)) / 1000);
  const budgetSeconds = budgets[doing];
  if (idleSeconds <= budgetSeconds) return { kind: 'alive', doing, idleSeconds, budgetSeconds };
  return { kind: 'stalled', doing, step: last?.step ?? 0, idleSeconds, budgetSeconds };
}

/** A line older than the job itself (left by a trainer whose clock is wrong) never makes it stalled from its first second. */
function lastMovement(last: Progress | null, times: ProgressTimes): number {
  const moved = Date.parse(times.movedAt ?? last?.time ?? times.startedAt);
  const started = Date.parse(times.startedAt);
  return Number.isNaN(moved) ? started : Math.max(moved, started);
}
