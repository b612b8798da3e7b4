import { compareWithBest, type Comparable } from '../../decisions/comparison-with-best.ts';
import { normalNumbers } from '../../decisions/normal.ts';
import { pairedBootstrap, type ProblemScore } from '../../decisions/statistics.ts';

const scores = (values: readonly number[]): ProblemScore[] =>
  values.map((score, index) => ({ problem: `p${String(index).padStart(3, '0')}`, score }));
const own = (id: string, values: readonly number[]): Comparable => ({
  id,
  mean: values.reduce((sum, value) => sum + value, 0) / values.length,
  problems: scores(values),
  standardError: 0,
});
const known = (id: string, mean: number, standardError: number): Comparable => ({
  id,
  mean,
  problems: null,
  standardError,
});

test('of two the interval is about the paired one, and the highest has none', () => {
  const normal = normalNumbers(3);
  const a = Array.from({ length: 200 }, () => 0.5 + 0.2 * normal());
  const b = a.map((value) => value - 0.02 + 0.1 * normal());
  const { best, lines } = compareWithBest([own('a', a), own('b', b)]);
  const paired = pairedBootstrap(scores(b), scores(a));
  expect(best).toBe('a');
  expect(lines[0]?.fromBest).toMatchObject({ mean: 0, low: 0, high: 0 });
  expect(lines[1]?.fromBest.low).toBeCloseTo(paired.low, 2);
  expect(lines[1]?.fromBest.high).toBeCloseTo(paired.high, 2);
});

test('equally good ones are hardly ever told apart, however many there are', () => {
  const normal = normalNumbers(5);
  const rounds = 60;
  let found = 0;
  for (let round = 0; round < rounds; round += 1) {
    const candidates = Array.from({ length: 6 }, (_, index) =>
      own(
        `c${index}`,
        Array.from({ length: 50 }, () => 0.5 + 0.2 * normal()),
      ),
    );
    if (compareWithBest(candidates).lines.some(({ fromBest }) => fromBest.high < 0)) found += 1;
  }
  expect(found / rounds).toBeLessThanOrEqual(0.12);
});

test('the chance to be the best is shared by equals and sums to one', () => {
  const even = compareWithBest([own('a', [0, 1, 0, 1]), own('b', [0, 1, 0, 1])]);
  expect(even.lines.map(({ chanceOfBest }) => chanceOfBest)).toEqual([0.5, 0.5]);
  const three = compareWithBest([known('a', 0.5, 0.02), known('b', 0.52, 0.02), known('c', 0.4, 0.02)]);
  expect(three.lines.reduce((sum, { chanceOfBest }) => sum + chanceOfBest, 0)).toBeCloseTo(1, 9);
  // The chance that a normal difference of 0.02 with error 0.0283 is above zero: 76 %.
  expect(three.lines[0]).toMatchObject({ id: 'b' });
  expect(three.lines[0]?.chanceOfBest).toBeCloseTo(0.76, 1);
});

test('fewer than two common problems say nothing', () => {
  const [, other] = compareWithBest([own('a', [1]), own('b', [0])]).lines;
  expect(other?.fromBest).toMatchObject({ low: -1, high: 0, n: 1 });
});

test('of equal means the first is the best, and the order changes nothing else', () => {
  const list = [own('a', [0, 1, 1, 0.5]), own('b', [1, 1, 0, 0.5]), own('c', [0, 0, 1, 0])];
  const [one, other] = [compareWithBest(list), compareWithBest([...list].reverse())];
  expect([one.best, other.best]).toEqual(['a', 'b']);
  expect(other.critical).toBe(one.critical);
  expect(other.lines.find(({ id }) => id === 'c')?.chanceOfBest).toBe(
    one.lines.find(({ id }) => id === 'c')?.chanceOfBest,
  );
});
