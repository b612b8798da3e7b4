/** The bench of the gate: what it draws has the accuracy that it says, all designs see the same, and a missed bar is seen. */
import { count, type Counts } from '../../../bench/gate/count.ts';
import { gateWithin, highestMeanOf } from '../../../bench/gate/designs.ts';
import { type Shape, shapes } from '../../../bench/gate/shapes.ts';
import { simulate } from '../../../bench/gate/simulated-checkpoints.ts';
import { barsOf, gateTable } from '../../../bench/gate/table.ts';

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test('a checkpoint has its accuracy over many problems, and its evaluations have it too', () => {
  const many: Shape = { name: 'many', problems: 20_000, samples: 2, parent: 0.8, candidates: [0.3] };
  const { parent, candidates, evaluate } = simulate(many, 7);
  for (const one of [parent, ...candidates]) {
    expect(Math.abs(mean(one.chances) - one.accuracy)).toBeLessThan(0.01);
    const seen = mean(evaluate(one, 1).problems.map(({ correct }) => correct / 2));
    expect(Math.abs(seen - one.accuracy)).toBeLessThan(0.01);
  }
});

test('every design sees the same draws and the same runs of them, and another seed is another run', () => {
  const [shape] = shapes;
  if (shape === undefined) throw new Error('no shape');
  const [one, other] = [simulate(shape, 3), simulate(shape, 3)];
  expect(other.candidates).toEqual(one.candidates);
  expect(other.evaluate(other.parent, 2)).toEqual(one.evaluate(one.parent, 2));
  expect(one.evaluate(one.parent, 2)).not.toEqual(one.evaluate(one.parent, 3));
});

test('the gate stays within its budget, and a clear selection costs it less than the budget', () => {
  const clear: Shape = { name: 'clear', problems: 100, samples: 4, parent: 0.5, candidates: [0.3, 0.8, 0.4] };
  const selection = simulate(clear, 1);
  const { chosen, evaluations } = gateWithin({ runs: 6, maxSeeds: 12 })(selection);
  expect(chosen?.id).toBe('c2');
  expect(evaluations).toBeLessThan(8);
  for (const [index, shape] of shapes.entries()) {
    const spent = gateWithin({ runs: 2, maxSeeds: 12 })(simulate(shape, index + 1)).evaluations;
    expect(spent).toBeLessThanOrEqual(2 * (shape.candidates.length + 1));
  }
});

test('fixed designs keep the parent when it is the highest, and that is no regression', () => {
  const falls: Shape = { name: 'falls', problems: 100, samples: 4, parent: 0.8, candidates: [0.3, 0.4] };
  expect(highestMeanOf(1)(simulate(falls, 1)).chosen?.id).toBe('parent');
  const counts = count({ name: 'one', design: highestMeanOf(1), draws: 10 });
  expect(counts.map(({ draws }) => draws)).toEqual(shapes.map(() => 2));
});

describe('bars', () => {
  const row = (design: string, change: Partial<Counts> = {}): Counts => ({
    design,
    shape: 'a',
    draws: 100,
    nearBest: 80,
    regressions: 10,
    held: 0,
    evaluations: 400,
    ofFixed: 800,
    scored: 100,
    above: 2,
    aboveAfterShrinkage: -0.5,
    ...change,
  });
  const met = (gate: Partial<Counts>, milliseconds = 50) =>
    barsOf(
      [
        row('highest single run'),
        row('highest mean of 3 runs', { regressions: 8 }),
        row('8 runs of everything', { nearBest: 82 }),
        row('gate', { regressions: 7, ...gate }),
      ],
      milliseconds,
    ).map((bar) => bar.met);

  test.each([
    { title: 'all are met', gate: {}, want: [true, true, true, true, true] },
    { title: 'as many regressions as three runs', gate: { regressions: 8 }, want: [false, true, true, true, true] },
    { title: 'more than half the evaluations', gate: { evaluations: 401 }, want: [true, false, true, true, true] },
    { title: 'more than two points below', gate: { nearBest: 79 }, want: [true, true, false, true, true] },
    { title: 'more than a fifth held', gate: { held: 21 }, want: [true, true, true, false, true] },
  ])('$title', ({ gate, want }) => {
    expect(met(gate)).toEqual(want);
  });

  test('a slow vote is seen, and the table says so', () => {
    expect(met({}, 100)).toEqual([true, true, true, true, false]);
    const counts = ['highest single run', 'highest mean of 3 runs', '8 runs of everything', 'gate'].map((name) =>
      row(name),
    );
    const bars = barsOf(counts, 100);
    const table = gateTable({ draws: 100, counts, bars });
    expect(table).toMatch(/maj@8 .* 100 ms of processor +< 100 ms +not met$/);
    expect(table).toMatch(/all +gate .* 2\.0 +-0\.5\n/);
  });
});
