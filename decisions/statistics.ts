/**
 * Numbers with their uncertainty, over problems: samples of one problem are correlated, so problems are what is drawn.
 *
 * Covers means, intervals, pass@k, maj@k and paired comparison. Does not cover what follows from them (gate.ts). Every interval is
 * at 95 %; every draw is seeded, and no answer depends on the order in which evidence arrived.
 */
import { TemperError } from './errors.ts';
import { randomIntegers } from './random.ts';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A mean over `n` problems with its interval. */
export interface Estimate extends Interval {
  readonly mean: number;
  readonly n: number;
}

/** The score of one problem: the share of its samples that are correct. */
export interface ProblemScore {
  readonly problem: string;
  readonly score: number;
}

const draws = 2000;
const seed = 20260917;
/** 97.5 % quantile of the standard normal distribution. */
const z = 1.959963984540054;

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

/** The answers of one problem's samples: null where none could be read. */
export interface Ballots {
  readonly answers: readonly (string | null)[];
  readonly correctAnswers: readonly boolean[];
}

/**
 * Per problem, the chance that a majority vote of `k` samples is correct: 2,000 seeded draws of k with replacement, the same draws
 * for all problems with as many samples. Tied answers share the vote; samples without an answer do not vote.
 */
export function majorityAtK(problems: readonly Ballots[], k: number): readonly number[] {
  const drawsOf = new Map<number, Uint16Array>();
  return problems.map((problem) => {
    const { votes, right } = countBallots(problem);
    if (right.length === 0) return 0;
    const picks = drawsOf.get(votes.length) ?? drawPicks(votes.length, k);
    drawsOf.set(votes.length, picks);
    return shareOfRightVotes(votes, right, picks);
  });
}

/** Mean over problems with its bootstrap interval: 2,000 seeded draws of whole problems. Fewer than two say nothing: 0 to 1. */
export function bootstrapMean(scores: readonly number[]): Estimate {
  return estimate(scores, { low: 0, high: 1 });
}

/** Difference a − b over the problems that both have, with its bootstrap interval. Fewer than two say nothing: −1 to 1. */
export function pairedBootstrap(a: readonly ProblemScore[], b: readonly ProblemScore[]): Estimate {
  const other = new Map(b.map((row) => [row.problem, row.score]));
  const differences: number[] = [];
  for (const row of a) {
    const score = other.get(row.problem);
    if (score !== undefined) differences.push(row.score - score);
  }
  return estimate(differences, { low: -1, high: 1 });
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
  const n = ordered.length;
  const scale = n / 2 ** 32;
  const next = randomIntegers(seed);
  const means = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw += 1) {
    let total = 0;
    for (let pick = 0; pick < n; pick += 1) total += ordered[(next() * scale) | 0] ?? 0;
    means[draw] = total / n;
  }
  means.sort();
  return { low: quantile(means, 0.025), high: quantile(means, 0.975) };
}

function quantile(ordered: Float64Array, share: number): number {
  const place = share * (ordered.length - 1);
  const below = Math.floor(place);
  const low = ordered[below] ?? 0;
  const high = ordered[Math.min(below + 1, ordered.length - 1)] ?? low;
  return low + (high - low) * (place - below);
}

/** Which samples each draw picks, one draw after the other. */
function drawPicks(n: number, k: number): Uint16Array {
  const next = randomIntegers(seed);
  const scale = n / 2 ** 32;
  return Uint16Array.from({ length: draws * k }, () => (next() * scale) | 0);
}

/** Each sample as the number of its answer (the last number: none), and per answer whether it is right. Numbered by their text. */
function countBallots({ answers, correctAnswers }: Ballots) {
  const texts = [...new Set(answers.filter((answer) => answer !== null))].sort();
  const numbers = new Map(texts.map((text, index) => [text, index]));
  const right = new Uint8Array(texts.length);
  const votes = new Uint16Array(answers.length);
  answers.forEach((answer, index) => {
    const number = answer === null ? texts.length : (numbers.get(answer) ?? texts.length);
    votes[index] = number;
    if (number < texts.length && correctAnswers[index] === true) right[number] = 1;
  });
  votes.sort();
  return { votes, right };
}

function shareOfRightVotes(votes: Uint16Array, right: Uint8Array, picks: Uint16Array): number {
  const k = picks.length / draws;
  const none = right.length;
  const counts = new Uint16Array(none + 1);
  let total = 0;
  for (let start = 0; start < picks.length; start += k) {
    for (let choice = 0; choice <= none; choice += 1) counts[choice] = 0;
    for (let place = start; place < start + k; place += 1) {
      const choice = votes[picks[place] ?? 0] ?? none;
      counts[choice] = (counts[choice] ?? 0) + 1;
    }
    total += shareOfWinners(counts, right);
  }
  return total / draws;
}

function shareOfWinners(counts: Uint16Array, right: Uint8Array): number {
  let most = 1;
  let winners = 0;
  let rightWinners = 0;
  for (let choice = 0; choice < right.length; choice += 1) {
    const count = counts[choice] ?? 0;
    if (count < most) continue;
    if (count > most) {
      most = count;
      winners = 0;
      rightWinners = 0;
    }
    winners += 1;
    rightWinners += right[choice] ?? 0;
  }
  return winners === 0 ? 0 : rightWinners / winners;
}

function sorted(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
