/**
 * Which of the evaluations that are due one job makes next, within the GPU-hours that a sweep has.
 *
 * By what evaluations on the same benchmark took before. What nobody has measured, and what failed together with others, is tried alone.
 * Does not cover the order (sweep-due.ts).
 */
import type { DueEvaluation } from './sweep.ts';

export interface BatchInput {
  /** The most informative first. */
  readonly due: readonly DueEvaluation[];
  /** GPU-hours that jobs of this sweep took, and may take. */
  readonly spentHours: number;
  readonly hours: number;
  /** GPU-hours of one evaluation on this benchmark and version, asked for once; null where nobody knows. */
  readonly hoursOf: (on: Pick<DueEvaluation, 'benchmark' | 'version'>) => number | null;
  /** How often a job that was to make it has failed in this sweep. */
  readonly failuresOf: (due: DueEvaluation) => number;
}

export interface Batch {
  /** Of one group; empty when nothing more can be made. */
  readonly now: readonly DueEvaluation[];
  /** For which too few hours are left. */
  readonly beyondBudget: readonly DueEvaluation[];
}

/** A failure of one job costs no more than so many evaluations, and the order is made anew after each. */
const mostInAJob = 24;
/** With others, and then alone. */
const mostFailures = 2;

export function nextBatch({ due, spentHours, hours, failuresOf, ...asked }: BatchInput): Batch {
  const hoursOf = oncePerBenchmark(asked.hoursOf);
  const wanted = due.filter((one) => failuresOf(one) < mostFailures);
  const left = hours - spentHours;
  const fits = (one: DueEvaluation, used = 0) => used < left && used + (hoursOf(one) ?? 0) <= left;
  const beyondBudget = wanted.filter((one) => !fits(one));
  const [first, ...others] = wanted.filter((one) => fits(one));
  if (first === undefined) return { now: [], beyondBudget };
  const isAlone = (one: DueEvaluation) => hoursOf(one) === null || failuresOf(one) > 0;
  if (isAlone(first)) return { now: [first], beyondBudget };
  const now = [first];
  let used = hoursOf(first) ?? 0;
  for (const one of others) {
    if (now.length === mostInAJob) break;
    if (one.group !== first.group || isAlone(one) || !fits(one, used)) continue;
    now.push(one);
    used += hoursOf(one) ?? 0;
  }
  return { now, beyondBudget };
}

/** What an evaluation took before is looked up in every outcome of the ledger. */
function oncePerBenchmark(hoursOf: BatchInput['hoursOf']): BatchInput['hoursOf'] {
  const known = new Map<string, number | null>();
  return (on) => {
    const name = `${on.benchmark}@${String(on.version)}`;
    const hours = known.has(name) ? (known.get(name) ?? null) : hoursOf(on);
    known.set(name, hours);
    return hours;
  };
}
