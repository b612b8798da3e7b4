import {
  expectedGain,
  furtherRunsThatDecide,
  type PairOfScores,
  varianceWithin,
} from '../../decisions/further-seeds.ts';
import type { PooledProblem } from '../../decisions/scores.ts';

const problems = (samples: number, correct: readonly number[]): PooledProblem[] =>
  correct.map((right, index) => ({
    problem: String(index),
    samples,
    correct: right,
    score: right / samples,
    tokens: 0,
  }));
/** Two scores with one run each, whose difference has a standard error of 4 points, all of it from sampling. */
const sampled = (difference: number, within = 0.04 ** 2): PairOfScores => ({
  difference,
  standardError: 0.04,
  one: { runs: 1, varianceWithin: within / 2 },
  other: { runs: 1, varianceWithin: within / 2 },
});

test('the variance within problems is that of a binomial share, unbiased', () => {
  // Two of four right on each of ten problems: p(1 − p)/(n − 1) = 1/12 each.
  expect(varianceWithin(problems(4, Array<number>(10).fill(2)))).toBeCloseTo(10 / 12 / 100, 12);
  expect(varianceWithin(problems(4, Array<number>(10).fill(4)))).toBe(0);
  // With one sample of a problem nobody knows: all of p(1 − p) counts.
  expect(varianceWithin(problems(1, [1, 0, 1, 0]))).toBeCloseTo(0.25 / 4, 12);
});

test.each([
  // 4 points / √(1 + j) × 2 below the difference.
  { difference: 0.02, want: 16 },
  { difference: -0.02, want: 16 },
  { difference: 0.079, want: 1 },
  { difference: 0, want: null },
])('a difference of $difference is decided by $want further runs of each', ({ difference, want }) => {
  expect(furtherRunsThatDecide(sampled(difference), 2)).toBe(want);
});

test('no number of runs decides what lies between problems', () => {
  expect(furtherRunsThatDecide(sampled(0.02, 0), 2)).toBeNull();
});

test('further runs gain where the second may be better, and the more the nearer it is', () => {
  expect(expectedGain(sampled(0), 3)).toBeCloseTo((0.04 * Math.sqrt(0.75)) / Math.sqrt(2 * Math.PI), 6);
  expect(expectedGain(sampled(-0.02), 3)).toBeGreaterThan(expectedGain(sampled(-0.06), 3));
  expect(expectedGain(sampled(-0.4), 3)).toBeLessThan(1e-9);
  expect(expectedGain(sampled(-0.02, 0), 3)).toBe(0);
});
