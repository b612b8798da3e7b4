import { type Comparison, compareTwo } from '../../decisions/comparison.ts';
import type { Evaluation } from '../../decisions/evaluation.ts';
import { mcnemar } from '../../decisions/statistics.ts';
import { evaluation } from '../support/builders.ts';

const key = { first: 'a', second: 'b', benchmark: 'addition', version: 1 };

function compared(...evaluations: readonly Evaluation[]): Comparison {
  const comparison = compareTwo(evaluations, key);
  if (comparison === null) throw new Error('nothing in common');
  return comparison;
}
const single = (of: string, correct: readonly number[]) => evaluation(of).scoring(correct, 1).build();
const without = (one: Evaluation, ...names: readonly string[]): Evaluation => ({
  ...one,
  problems: one.problems.filter(({ problem }) => !names.includes(problem)),
});

test('one sample a problem: transitions are counts, and McNemar tests those that changed', () => {
  const found = compared(single('a', [1, 1, 1, 0, 0, 0, 0, 0]), single('b', [1, 1, 0, 1, 1, 1, 1, 0]));
  expect(found.transitions).toEqual({ rightRight: 2, rightWrong: 1, wrongRight: 4, wrongWrong: 1 });
  expect(found.mcnemar).toBe(mcnemar(1, 4));
  expect(found.difference).toMatchObject({ mean: 3 / 8, n: 8 });
  expect(found.moved).toHaveLength(5);
});

test('several samples count by their shares, and agree with the difference', () => {
  const {
    transitions,
    difference,
    problems,
    mcnemar: test,
  } = compared(evaluation('a').scoring([3, 0, 4]).build(), evaluation('b').scoring([1, 0, 4]).build());
  expect(transitions).toEqual({ rightRight: 1.1875, rightWrong: 0.5625, wrongRight: 0.0625, wrongWrong: 1.1875 });
  expect(difference.mean * problems).toBeCloseTo(transitions.wrongRight - transitions.rightWrong, 12);
  expect(test).toBeNull();
});

test('the other way round everything is the other way round', () => {
  const [a, b] = [evaluation('a').scoring([3, 0, 4, 2]).build(), evaluation('b').scoring([1, 1, 4, 4]).build()];
  const one = compared(a, b);
  const other = compareTwo([b, a], { ...key, first: 'b', second: 'a' });
  expect(other?.difference.mean).toBeCloseTo(-one.difference.mean, 12);
  expect(other?.transitions).toMatchObject({
    rightWrong: one.transitions.wrongRight,
    wrongRight: one.transitions.rightWrong,
  });
  expect((other?.chanceOfHigher ?? 0) + (one.chanceOfHigher ?? 0)).toBeCloseTo(1, 1);
});

test('the chance is that of draws: sure where all differ, half where none does', () => {
  expect(compared(single('a', [0, 0, 0]), single('b', [1, 1, 1])).chanceOfHigher).toBe(1);
  expect(compared(single('a', [0, 1, 0]), single('b', [0, 1, 0])).chanceOfHigher).toBe(0.5);
});

test('only problems that both have count, and the others are told', () => {
  const a = single('a', [1, 1, 1, 1]);
  const found = compared(without(a, 'problem-0'), without(single('b', [0, 0, 1, 1]), 'problem-2', 'problem-3'));
  expect(found).toMatchObject({ problems: 1, onlyFirst: 2, onlySecond: 1, difference: { mean: -1, n: 1 } });
  expect(found).toMatchObject({ chanceOfHigher: null, tokens: null, seconds: null });
  expect(
    compareTwo(
      [without(a, 'problem-1'), without({ ...a, checkpoint: 'b' }, 'problem-0', 'problem-2', 'problem-3')],
      key,
    ),
  ).toBeNull();
});

test('another version of the benchmark is not looked at', () => {
  expect(compareTwo([single('a', [1]), evaluation('b').on('addition', 2).build()], key)).toBeNull();
});

test('seeds of each are pooled by problem, however many each has', () => {
  const seeds = [1, 2].map((seed) => evaluation('b').seed(seed).scoring([4, seed]).build());
  const { second, first } = compared(evaluation('a').scoring([4, 0]).build(), ...seeds);
  expect([first.seeds, first.samples, second.seeds, second.samples]).toEqual([1, 8, 2, 16]);
  expect(second.mean).toBeCloseTo((1 + 3 / 8) / 2, 12);
});

test('types are told apart, the largest first; nothing is said where there are none', () => {
  const typed = (one: Evaluation): Evaluation => ({
    ...one,
    problems: one.problems.map((outcome, index) =>
      index === 0 ? outcome : { ...outcome, type: index < 3 ? 'sums' : 'areas' },
    ),
  });
  const { types } = compared(typed(single('a', [0, 0, 0, 1])), typed(single('b', [0, 1, 1, 0])));
  expect(
    types.map(({ type, problems, first, second, difference }) => [type, problems, first, second, difference.mean]),
  ).toEqual([
    ['sums', 2, 0, 1, 1],
    [null, 1, 0, 0, 0],
    ['areas', 1, 1, 0, -1],
  ]);
  expect(compared(single('a', [1, 1]), single('b', [1, 0])).types).toEqual([]);
});

test('types that are not listed are counted', () => {
  const one = single('a', Array<number>(32).fill(1));
  const typed = { ...one, problems: one.problems.map((outcome) => ({ ...outcome, type: outcome.problem })) };
  const { types, typesOmitted } = compared(typed, { ...typed, checkpoint: 'b' });
  expect([types.length, typesOmitted]).toEqual([30, 2]);
});

test('problems that moved by half of their samples are listed, the largest change first, ten at most', () => {
  const { moved, movedOmitted } = compared(
    evaluation('a')
      .scoring([4, 0, 2, 3, ...Array.from({ length: 10 }, () => 0)])
      .build(),
    evaluation('b')
      .scoring([3, 4, 0, 2, ...Array.from({ length: 10 }, () => 2)])
      .build(),
  );
  expect(moved[0]).toEqual({
    problem: 'problem-1',
    first: { samples: 4, correct: 0 },
    second: { samples: 4, correct: 4 },
  });
  expect([moved.length, movedOmitted]).toEqual([10, 2]);
});

test('tokens and time are per sample, paired by problem', () => {
  const { tokens, first, second } = compared(evaluation('a').tokens(10).build(), evaluation('b').tokens(14).build());
  expect(tokens).toMatchObject({ mean: 4, low: 4, high: 4 });
  expect([first.tokensPerSample, second.tokensPerSample, first.secondsPerSample]).toEqual([10, 14, 0.125]);
});

test('where problems are scored by votes, the votes are compared, and what was not done in time is told', () => {
  const voted = (of: string, votes: readonly number[]) => {
    const seen = evaluation(of).scoring([3, 1]).build();
    return {
      ...seen,
      problems: seen.problems.map((one, index) => ({ ...one, voted: votes[index] ?? 0, timedOut: 1 })),
    };
  };
  const found = compareTwo([voted('one', [1, 0]), voted('other', [1, 1])], {
    ...{ first: 'one', second: 'other', benchmark: 'addition', version: 1 },
  });
  expect(found).toMatchObject({
    byVote: true,
    first: { mean: 0.5, timedOutShare: 0.25 },
    second: { mean: 1 },
    transitions: { rightRight: 1, rightWrong: 0, wrongRight: 1, wrongWrong: 0 },
  });
});
