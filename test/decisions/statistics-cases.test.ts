/** Numbers with their uncertainty, held against scipy and statsmodels: statistics_cases.py wrote what they say. */
import { readFileSync } from 'node:fs';
import { compareWithBest } from '../../decisions/comparison-with-best.ts';
import { majorityAtK } from '../../decisions/majority-vote.ts';
import { normalBelow } from '../../decisions/normal.ts';
import { shrunkenScores } from '../../decisions/shrinkage.ts';
import { bootstrapMean, mcnemar, pairedBootstrap, passAtK, standardError, wilson } from '../../decisions/statistics.ts';

interface Interval {
  readonly scores: readonly number[];
  readonly low: number;
  readonly high: number;
  readonly standardError: number;
}

const cases = JSON.parse(readFileSync(new URL('statistics-cases.json', import.meta.url), 'utf8')) as {
  readonly wilson: readonly { successes: number; n: number; low: number; high: number }[];
  readonly passAtK: readonly { n: number; correct: number; k: number; want: number }[];
  readonly majorityAtK: readonly { answers: readonly (string | null)[]; k: number; want: number }[];
  readonly mcnemar: readonly { first: number; second: number; want: number }[];
  readonly bootstrapMean: readonly Interval[];
  readonly pairedBootstrap: readonly Interval[];
  readonly tukey: readonly { k: number; critical: number }[];
  readonly shrinkage: readonly {
    readonly samples: readonly number[];
    readonly correct: readonly (readonly number[])[];
    readonly want: readonly number[];
    readonly low: readonly number[];
    readonly high: readonly number[];
  }[];
  readonly normalBelow: readonly { z: number; want: number }[];
};

test.each(cases.wilson)('Wilson of $successes among $n', ({ successes, n, low, high }) => {
  expect(wilson(successes, n).low).toBeCloseTo(low, 10);
  expect(wilson(successes, n).high).toBeCloseTo(high, 10);
});

test.each(cases.passAtK)('pass@$k of $correct among $n', ({ n, correct, k, want }) => {
  expect(passAtK(n, correct, k)).toBeCloseTo(want, 10);
});

test.each(cases.majorityAtK)(
  'maj@$k of $answers is the exact chance, as far as 2,000 draws tell',
  ({ answers, k, want }) => {
    const [share] = majorityAtK([{ answers, correctAnswers: answers.map((one) => one === 'right') }], k);
    // Three standard errors of 2,000 draws of something between 0 and 1.
    expect(Math.abs((share ?? 0) - want)).toBeLessThan((3 * 0.5) / Math.sqrt(2000));
  },
);

test.each(cases.mcnemar)('McNemar of $first against $second', ({ first, second, want }) => {
  expect(mcnemar(first, second)).toBeCloseTo(want, 10);
});

describe.each(cases.bootstrapMean)(
  'the mean of $scores.length scores',
  ({ scores, low, high, standardError: error }) => {
    test('has its standard error, and the interval of 200,000 draws within a tenth of that', () => {
      expect(standardError(scores)).toBeCloseTo(error, 12);
      expect(Math.abs(bootstrapMean(scores).low - low)).toBeLessThan(error / 10);
      expect(Math.abs(bootstrapMean(scores).high - high)).toBeLessThan(error / 10);
    });
  },
);

test.each(cases.pairedBootstrap)(
  'the paired difference over $scores.length problems',
  ({ scores, low, high, ...rest }) => {
    const a = scores.map((difference, index) => ({ problem: String(index), score: 0.4 + difference }));
    const b = scores.map((_, index) => ({ problem: String(index), score: 0.4 }));
    const paired = pairedBootstrap(a, b);
    expect(Math.abs(paired.low - low)).toBeLessThan(rest.standardError / 10);
    expect(Math.abs(paired.high - high)).toBeLessThan(rest.standardError / 10);
  },
);

test.each(cases.tukey)('$k means that are equally known need $critical standard errors', ({ k, critical }) => {
  const known = Array.from({ length: k }, (_, index) => ({
    id: `c${index}`,
    mean: 0.5,
    problems: null,
    standardError: 0.01,
  }));
  // 2,000 draws of the largest of all differences: its 95 % quantile is known to about 0.05.
  expect(Math.abs(compareWithBest(known).critical - critical)).toBeLessThan(0.12);
});

test.each(cases.shrinkage)(
  'candidates with $samples samples after shrinkage',
  ({ samples, correct, want, low, high }) => {
    const scores = correct.map((counts, index) => {
      const each = samples[index] ?? 1;
      const problems = counts.map((right, problem) => ({
        problem: String(problem),
        samples: each,
        correct: right,
        tokens: 0,
        score: right / each,
      }));
      const mean = counts.reduce((sum, right) => sum + right / each, 0) / counts.length;
      return { id: String(index), mean, problems, standardError: 0 };
    });
    const shrunken = shrunkenScores(scores);
    expect(shrunken).toHaveLength(want.length);
    for (const [index, one] of shrunken.entries()) {
      expect(one.mean).toBeCloseTo(want[index] ?? NaN, 7);
      expect(one.low).toBeCloseTo(low[index] ?? NaN, 7);
      expect(one.high).toBeCloseTo(high[index] ?? NaN, 7);
    }
  },
);

test.each(cases.normalBelow)('a normal value is below $z', ({ z, want }) => {
  expect(Math.abs(normalBelow(z) - want)).toBeLessThan(2e-7);
});
