import fc from 'fast-check';
import { randomIntegers } from '../../decisions/random.ts';
import {
  bootstrapMean,
  mcnemar,
  mean,
  pairedBootstrap,
  passAtK,
  type ProblemScore,
  standardDeviation,
  errorOfMean,
  smoothedError,
  standardError,
  wilson,
} from '../../decisions/statistics.ts';
import { refusalOf } from '../support/builders.ts';

const scores = (values: readonly number[]): ProblemScore[] =>
  values.map((score, index) => ({ problem: `p${index}`, score }));
/** Pairs of (0,1), that many of each kind. */
const repeated = (ones: number, zeros: number): number[] => [
  ...Array<number>(ones).fill(1),
  ...Array<number>(zeros).fill(0),
];

// Newcombe (1998), Statistics in Medicine 17: 857–872, table I, method 3.
test.each([
  { successes: 81, n: 263, low: 0.2553, high: 0.3662 },
  { successes: 15, n: 148, low: 0.0624, high: 0.1605 },
  { successes: 0, n: 20, low: 0, high: 0.1611 },
  { successes: 1, n: 29, low: 0.0061, high: 0.1718 },
])('Wilson of $successes among $n is what Newcombe published', ({ successes, n, low, high }) => {
  const interval = wilson(successes, n);
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

test('Wilson of nothing is the whole range', () => {
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
});

test.each([
  { n: 5, correct: 2, k: 1, want: 0.4 },
  { n: 10, correct: 3, k: 5, want: 1 - 21 / 252 },
  { n: 16, correct: 1, k: 16, want: 1 },
  { n: 16, correct: 0, k: 8, want: 0 },
  { n: 200, correct: 5, k: 100, want: 0.97031 },
])('pass@$k of $correct among $n', ({ n, correct, k, want }) => {
  expect(passAtK(n, correct, k)).toBeCloseTo(want, 4);
});

test('pass@k is the share of all subsets that hold a correct sample', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(), fc.nat(), (n, a, b) => {
      const correct = a % (n + 1);
      const k = (b % n) + 1;
      let subsets = 0;
      let solved = 0;
      for (let bits = 0; bits < 2 ** n; bits += 1) {
        const picked = Array.from({ length: n }, (_, index) => index).filter((index) => (bits >> index) & 1);
        if (picked.length !== k) continue;
        subsets += 1;
        if (picked.some((index) => index < correct)) solved += 1;
      }
      expect(passAtK(n, correct, k)).toBeCloseTo(solved / subsets, 10);
    }),
  );
});

test.each([
  { n: 4, correct: 2, k: 5 },
  { n: 4, correct: 5, k: 2 },
  { n: 4, correct: 2, k: 0 },
  { n: 4, correct: -1, k: 2 },
])('pass@$k of $correct among $n is refused', ({ n, correct, k }) => {
  expect(refusalOf(() => passAtK(n, correct, k))).toBe('invalid-input');
});

describe('bootstrap', () => {
  test('of zeros and ones is the binomial distribution: 25 of 50', () => {
    const { mean: centre, low, high } = bootstrapMean(repeated(25, 25));
    expect(centre).toBe(0.5);
    expect(Math.abs(low - 0.36)).toBeLessThanOrEqual(0.02);
    expect(Math.abs(high - 0.64)).toBeLessThanOrEqual(0.02);
  });

  test('of many problems is near the normal approximation', () => {
    const next = randomIntegers(7);
    const values = Array.from({ length: 400 }, () => next() / 2 ** 32);
    const half = (1.96 * (standardDeviation(values) ?? 0)) / Math.sqrt(400);
    const { mean: centre, low, high } = bootstrapMean(values);
    expect(low).toBeCloseTo(centre - half, 2);
    expect(high).toBeCloseTo(centre + half, 2);
  });

  test.each([
    { title: 'no problem', values: [], want: { mean: 0, n: 0, low: 0, high: 1 } },
    { title: 'one problem', values: [1], want: { mean: 1, n: 1, low: 0, high: 1 } },
  ])('of $title says nothing', ({ values, want }) => {
    expect(bootstrapMean(values)).toEqual(want);
  });

  test('covers the truth about as often as it says, with 40 problems', () => {
    const next = randomIntegers(11);
    let covered = 0;
    const runs = 150;
    for (let run = 0; run < runs; run += 1) {
      const { low, high } = bootstrapMean(Array.from({ length: 40 }, () => (next() / 2 ** 32 < 0.4 ? 1 : 0)));
      if (low <= 0.4 && 0.4 <= high) covered += 1;
    }
    expect(covered / runs).toBeGreaterThan(0.88);
    expect(covered / runs).toBeLessThan(0.99);
  });
});

describe('paired bootstrap', () => {
  test('is narrower than two intervals where the same problems are hard for both', () => {
    const hard = Array.from({ length: 100 }, (_, index) => (index % 10) / 10);
    const better = hard.map((score, index) => Math.min(1, score + (index % 2 === 0 ? 0.1 : 0)));
    const difference = pairedBootstrap(scores(better), scores(hard));
    expect(difference.low).toBeGreaterThan(0);
    expect(bootstrapMean(better).low).toBeLessThan(bootstrapMean(hard).high);
  });

  test('looks at the problems that both have, and only at those', () => {
    const a = [...scores([1, 0, 1]), { problem: 'mine', score: 1 }];
    const b = [{ problem: 'yours', score: 0 }, ...scores([0, 0, 1])];
    expect(pairedBootstrap(a, b)).toMatchObject({ n: 3, mean: 1 / 3 });
  });

  test('of problems that differ says nothing', () => {
    expect(pairedBootstrap([{ problem: 'a', score: 1 }], [{ problem: 'b', score: 0 }])).toEqual({
      mean: 0,
      n: 0,
      low: -1,
      high: 1,
    });
  });

  test('is the same in whatever order problems arrive, and turns its sign with its sides', () => {
    const pair = fc.record({ a: fc.constantFrom(0, 0.25, 0.5, 1), b: fc.constantFrom(0, 0.25, 0.5, 1) });
    fc.assert(
      fc.property(fc.array(pair, { minLength: 2, maxLength: 30 }), (pairs) => {
        const a = scores(pairs.map((one) => one.a));
        const b = scores(pairs.map((one) => one.b));
        const forward = pairedBootstrap(a, b);
        expect(pairedBootstrap([...a].reverse(), b)).toEqual(forward);
        expect(pairedBootstrap(a, [...b].reverse())).toEqual(forward);
        expect(pairedBootstrap(b, a).mean).toBeCloseTo(-forward.mean, 12);
        expect(forward.low).toBeLessThanOrEqual(forward.mean + 1e-12);
        expect(forward.high).toBeGreaterThanOrEqual(forward.mean - 1e-12);
      }),
      { numRuns: 15 },
    );
  });
});

// The matched pairs of statsmodels' own documentation of `mcnemar` ([[101, 121], [59, 33]]), and two that can be checked by hand.
test.each([
  { first: 121, second: 59, want: 4.434e-6 },
  { first: 1, second: 8, want: (2 * (1 + 9)) / 512 },
  { first: 0, second: 0, want: 1 },
  { first: 5, second: 5, want: 1 },
])('McNemar of $first against $second', ({ first, second, want }) => {
  expect(mcnemar(first, second)).toBeCloseTo(want, 8);
  expect(mcnemar(second, first)).toBe(mcnemar(first, second));
});

test('mean, standard deviation and standard error, and where they are not known', () => {
  expect(mean([1, 2, 6])).toBe(3);
  expect(mean([])).toBeNull();
  expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(Math.sqrt(32 / 7), 12);
  expect(standardDeviation([1])).toBeNull();
  expect(standardError([39, 39, 40, 43, 37, 41])).toBeCloseTo(2.0412 / Math.sqrt(6), 4);
  expect(standardError([1])).toBeNull();
});

test('the error of a mean is never nothing: twenty of the same score are as unsure as twenty answers', () => {
  expect(errorOfMean(repeated(10, 10))).toBeCloseTo(standardError(repeated(10, 10)) ?? 0, 12);
  // (20 + 2) / 24 right: Agresti and Coull 1998, The American Statistician 52: 119–126.
  expect(errorOfMean(repeated(20, 0))).toBeCloseTo(Math.sqrt(((22 / 24) * (2 / 24)) / 24), 12);
  expect(errorOfMean(repeated(0, 20))).toBeCloseTo(errorOfMean(repeated(20, 0)), 12);
  expect(errorOfMean(Array<number>(20).fill(0.25))).toBe(smoothedError(0.25, 20));
  expect([errorOfMean([1]), errorOfMean([])]).toEqual([1, 1]);
});

test('random numbers of a seed are pinned: intervals in old ledgers stay what they were', () => {
  const next = randomIntegers(1);
  expect([next(), next(), next()]).toEqual([2693262067, 11749833, 2265367787]);
});
