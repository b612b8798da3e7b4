/** Scores from outside as rows and as a comparison: those that stand, all runs together, with the interval of their error. */
import { compareOutside, outsideRows } from '../../decisions/outside-rows.ts';
import type { OutsideScore } from '../../decisions/outside-score.ts';

let scores = 0;
function score(checkpoint: string, change: Partial<OutsideScore> = {}): OutsideScore {
  scores += 1;
  const nothing = { deviation: null, standardError: null, place: null, runtime: null, corrects: null };
  const told = { checkpoint, benchmark: 'public', version: 1, score: null, problems: 50, runs: 1, source: '' };
  return { ...nothing, ...told, id: `s${String(scores)}`, by: 'ann', note: '', at: '2026-11-29T10:00:00Z', ...change };
}
const a = { id: 'a', phase: 'sft', step: 40 };
const b = { id: 'b', phase: 'sft', step: 50 };

test('all runs of a checkpoint are one row, and what was corrected does not count', () => {
  const wrong = score('a', { score: 0.08, source: 'round 1' });
  const told = [
    wrong,
    score('a', { score: 0.8, source: 'round 1', corrects: wrong.id }),
    score('a', { score: 0.6, source: 'round 2', place: 3, runtime: 250 }),
    score('a', { place: 2, runtime: 240, source: 'round 2' }),
  ];
  const [row, ...others] = outsideRows([b, a], told);
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    ...{ checkpoint: 'a', phase: 'sft', step: 40, benchmark: 'public', version: 1 },
    ...{ score: { runs: 2, problems: 50 }, place: 2, runtime: 250, sources: ['round 1', 'round 2'] },
  });
  expect(row?.score?.mean).toBeCloseTo(0.7, 10);
});

test('rows stand in the order of the checkpoints, each version for itself', () => {
  const told = [score('a', { score: 0.5 }), score('b', { score: 0.5, version: 2 }), score('b', { score: 0.6 })];
  expect(outsideRows([b, a], told).map(({ checkpoint, version }) => [checkpoint, version])).toEqual([
    ['b', 1],
    ['b', 2],
    ['a', 1],
  ]);
});

test.each([
  // Published: Wilson's interval of 40 of 50, and of 50 of 50.
  { title: 'of single answers', change: { score: 0.8 }, want: [0.67, 0.888] },
  { title: 'of all right, which is no point', change: { score: 1 }, want: [0.929, 1] },
  { title: 'of an error that is told', change: { score: 0.5, standardError: 0.05 }, want: [0.404, 0.596] },
])('the interval is that $title', ({ change, want }) => {
  const [row] = outsideRows([a], [score('a', change)]);
  expect(row?.score?.low).toBeCloseTo(want[0] ?? 0, 3);
  expect(row?.score?.high).toBeCloseTo(want[1] ?? 0, 3);
});

test('of a word alone there is no mean; one run that missed the limit is told', () => {
  const told = [score('a', { runtime: 'kept' }), score('a', { runtime: 'missed' })];
  expect(outsideRows([a], told)).toMatchObject([{ score: null, place: null, runtime: 'missed' }]);
});

test.each([
  { title: 'all right and all wrong', one: { score: 0 }, other: { score: 1 } },
  {
    title: 'runs that were all alike',
    one: { score: 0.7667, runs: 4, deviation: 0 },
    other: { score: 0.7333, runs: 4, deviation: 0 },
  },
])('the difference of $title is known no better than so few problems let it be', ({ one, other }) => {
  const told = [score('a', { problems: 30, ...one }), score('b', { problems: 30, ...other })];
  const [compared] = compareOutside(told, { first: 'a', second: 'b' });
  const { mean = 0, low = 0, high = 0 } = compared?.difference ?? {};
  expect(mean - low).toBeGreaterThan(0.05);
  expect(high - mean).toBeGreaterThan(0.05);
});

test('two are compared by the difference of their means, on benchmarks that both have', () => {
  const told = [
    score('a', { score: 0.7 }),
    score('b', { score: 0.8 }),
    score('b', { score: 0.8, benchmark: 'panel' }),
    score('a', { score: 0.9, benchmark: 'panel', version: 2 }),
    score('a', { place: 1, benchmark: 'board' }),
    score('b', { place: 2, benchmark: 'board' }),
  ];
  const [only, ...others] = compareOutside(told, { first: 'a', second: 'b' });
  expect(others).toEqual([]);
  expect(only).toMatchObject({
    benchmark: 'public',
    first: { mean: 0.7 },
    second: { mean: 0.8 },
    difference: { n: 50 },
  });
  // 1.96 × √(0.7 × 0.3 / 50 + 0.8 × 0.2 / 50)
  expect(only?.difference.mean).toBeCloseTo(0.1, 10);
  expect(only?.difference.high).toBeCloseTo(0.1 + 0.1686, 3);
  expect(only?.difference.low).toBeCloseTo(0.1 - 0.1686, 3);
});
