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

/** What a recipe allows in minutes, over what is allowed otherwise. */
export function stallBudgetsOf(minutes: Readonly<Partial<Record<Doing, number | undefined>>>): StallBudgets {
  const given = Object.entries(minutes).flatMap(([doing, value]) => (value === undefined ? [] : [[doing, value * 60]]));
  return { ...stallBudgets, ...(Object.fromEntries(given) as Partial<StallBudgets>) };
}

/** A command says nothing of what it does, and has one patience for all of it, in minutes. */
export function stallBudgetsOfCommand(minutes: number): StallBudgets {
  const same = Object.keys(stallBudgets).map((doing) => [doing, minutes * 60]);
  return Object.fromEntries(same) as Record<Doing, number>;
}

/**
 * So much at most passes between two looks at a job that is watched. When more has, whoever looks was stopped or starved itself, or the
 * machine slept, or its clock was set: the job may have stood still with it, and did not stall.
 */
const longestLookSeconds = 60;

/** For how long it has not moved, as far as anybody watched. `sinceLastLook` may be anything: clocks jump. Seconds. */
export function idleAfterLook(idleSeconds: number, sinceLastLook: number): number {
  return idleSeconds + Math.min(Math.max(0, sinceLastLook), longestLookSeconds);
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

/**
 * Judges by what the trainer said it was doing; one that has said nothing yet is `starting`. `idleSeconds` are those that it ran,
 * watched, without anything new: time in the queue is no stall.
 */
export function judgeProgress(
  last: Pick<Progress, 'doing' | 'step'> | null,
  idleSeconds: number,
  budgets: StallBudgets = stallBudgets,
): ProgressVerdict {
  const doing = last?.doing ?? 'starting';
  const budgetSeconds = budgets[doing];
  if (idleSeconds <= budgetSeconds) return { kind: 'alive', doing, idleSeconds, budgetSeconds };
  return { kind: 'stalled', doing, step: last?.step ?? 0, idleSeconds, budgetSeconds };
}
