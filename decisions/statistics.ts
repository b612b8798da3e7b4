/**
 * Numbers with their uncertainty, over problems: samples of one problem are correlated, so problems are what is drawn.
 *
 * Covers means, intervals, pass@k and the comparison of two. Does not cover several at once (comparison-with-best.ts), maj@k
 * (majority-vote.ts) or what follows (gate.ts). Every interval is at 95 %; every draw is seeded, and no answer depends on the order in
 * which evidence arrived.
 */
import { TemperError } from './errors.ts';
import { draws, picksWithReplacement } from './random.ts';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A mean over `n` problems with its interval. */
export interface Estimate extends Interval {
  readonly mean: number;
  readonly n: number;
}

/** A mean over `n` problems of which only the standard error is known. */
export interface KnownMean {
  readonly mean: number;
  readonly standardError: number;
  readonly n: number;
}

/** The score of one problem: the share of its samples that are correct. */
export interface ProblemScore {
  readonly problem: string;
  readonly score: number;
}

/** 97.5 % quantile of the standard normal distribution. */
const z = 1.959963984540054;
/** Rounding of sums, and no difference. */
const noDifference = 1e-12;

/** Arithmetic mean; null of nothing. */
export function mean(values: ArrayLike<number> & Iterable<number>): number | null {
  if (values.length === 0) return null;
  return sum(values) / values.length;
}

/** Sample standard deviation (n − 1); null of fewer than two. */
export function standardDeviation(values: readonly number[]): number | null {
  const centre = mean(values);
  if (centre === null || values.length < 2) return null;
  return Math.sqrt(sum(values.map((value) => (value - centre) ** 2)) / (values.length - 1));
}

/** Standard error of the mean of independent runs; null of fewer than two. */
export function standardError(values: readonly number[]): number | null {
  const deviation = standardDeviation(values);
  return deviation === null ? null : deviation / Math.sqrt(values.length);
}

/**
 * Standard error of a mean over problems, beside a mean of which only the error is known. Never nothing: that all problems score alike is luck of so
 * many. 1 of fewer than two, which say nothing.
 */
export function errorOfMean(scores: readonly number[]): number {
  const error = standardError(scores);
  if (error === null) return 1;
  return error > noDifference ? error : smoothedError(mean(scores) ?? 0, scores.length);
}

/** Of a share of so many answers, by Agresti and Coull: of two right and two wrong answers more. */
export function smoothedError(share: number, answers: number): number {
  const smoothed = (share * answers + 2) / (answers + 4);
  return Math.sqrt((smoothed * (1 - smoothed)) / (answers + 4));
}

/** Wilson's score interval for `successes` of `n` independent trials; the whole range for none. */
export function wilson(successes: number, n: number): Interval {
  if (n === 0) return { low: 0, high: 1 };
  const share = successes / n;
  const centre = share + (z * z) / (2 * n);
  const spread = z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
  const scale = 1 + (z * z) / n;
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) };
}

/** Unbiased chance that one of `k` samples is correct, from `correct` of `n`: 1 − C(n−c, k) / C(n, k). Needs k ≤ n. */
export function passAtK(n: number, correct: number, k: number): number {
  if (k < 1 || k > n || correct < 0 || correct > n) {
    throw new TemperError(
      'invalid-input',
      `pass@${String(k)} of ${String(correct)} correct among ${String(n)} samples is not defined`,
    );
  }
  if (n - correct < k) return 1;
  let allWrong = 1;
  for (let index = n - correct + 1; index <= n; index += 1) allWrong *= 1 - k / index;
  return 1 - allWrong;
}

/** Mean over problems with its bootstrap interval: 2,000 seeded draws of whole problems. Fewer than two say nothing: 0 to 1. */
export function bootstrapMean(scores: readonly number[]): Estimate {
  return estimate(scores, { low: 0, high: 1 });
}

/** Difference a − b over the problems that both have, with its bootstrap interval. Fewer than two say nothing: −1 to 1. */
export function pairedBootstrap(a: readonly ProblemScore[], b: readonly ProblemScore[]): Estimate {
  return estimate(differencesOf(a, b), { low: -1, high: 1 });
}

/** Share of the same draws in which a is higher than b; a tie counts half. Null of fewer than two problems. */
export function chanceOfHigher(a: readonly ProblemScore[], b: readonly ProblemScore[]): number | null {
  const ordered = sorted(differencesOf(a, b));
  if (ordered.length < 2) return null;
  const sign = (value: number) => (Math.abs(value) < noDifference ? 0 : Math.sign(value));
  return sum(drawnMeans(ordered).map((value) => (sign(value) + 1) / 2)) / draws;
}

/** a − b of the problems that both have. */
function differencesOf(a: readonly ProblemScore[], b: readonly ProblemScore[]): number[] {
  const other = new Map(b.map((row) => [row.problem, row.score]));
  const differences: number[] = [];
  for (const row of a) {
    const score = other.get(row.problem);
    if (score !== undefined) differences.push(row.score - score);
  }
  return differences;
}

/** Difference of two means that are known with their standard errors alone, by the normal distribution. */
export function differenceOfMeans(one: KnownMean, other: KnownMean): Estimate {
  const mean = one.mean - other.mean;
  const reach = z * Math.hypot(one.standardError, other.standardError);
  return { mean, low: mean - reach, high: mean + reach, n: Math.min(one.n, other.n) };
}

/** Two-sided exact McNemar test from the problems that only one of two got right. */
export function mcnemar(onlyFirst: number, onlySecond: number): number {
  const n = onlyFirst + onlySecond;
  let term = 0.5 ** n;
  let tail = 0;
  for (let index = 0; index <= Math.min(onlyFirst, onlySecond); index += 1) {
    tail += term;
    term *= (n - index) / (index + 1);
  }
  return Math.min(1, 2 * tail);
}

/** The values are sorted first, so that their order does not matter. */
function estimate(values: readonly number[], unknown: Interval): Estimate {
  const ordered = sorted(values);
  const centre = mean(ordered);
  if (centre === null || ordered.length < 2) return { mean: centre ?? 0, n: ordered.length, ...unknown };
  return { mean: centre, n: ordered.length, ...resample(ordered) };
}

/** The middle 95 % of the means of seeded draws with replacement. */
function resample(ordered: Float64Array): Interval {
  const means = drawnMeans(ordered).sort();
  return { low: quantile(means, 0.025), high: quantile(means, 0.975) };
}

function drawnMeans(ordered: Float64Array): Float64Array {
  const n = ordered.length;
  const next = picksWithReplacement(n);
  const means = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw += 1) {
    let total = 0;
    for (let pick = 0; pick < n; pick += 1) total += ordered[next()] ?? 0;
    means[draw] = total / n;
  }
  return means;
}

/** The value below which this share of ascending values lies, between two of them on a straight line. */
export function quantile(ordered: ArrayLike<number>, share: number): number {
  const place = share * (ordered.length - 1);
  const below = Math.floor(place);
  const low = ordered[below] ?? 0;
  const high = ordered[Math.min(below + 1, ordered.length - 1)] ?? low;
  return low + (high - low) * (place - below);
}

function sorted(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
