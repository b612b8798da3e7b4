import { compareTwo } from '../../../decisions/comparison.ts';
import type { Evaluation } from '../../../decisions/evaluation.ts';
import { comparisonText } from '../../../workers/terminal/comparison-text.ts';
import { evaluation } from '../../support/builders.ts';

function text(...evaluations: readonly Evaluation[]): string {
  const comparison = compareTwo(evaluations, { first: 'a', second: 'b', benchmark: 'addition', version: 1 });
  return comparisonText({
    answer: 'compare',
    first: 'a',
    second: 'b',
    comparisons: comparison === null ? [] : [comparison],
    omitted: 0,
  });
}

test('tells the difference with its interval, what moved, and what it costs', () => {
  const type = (one: Evaluation): Evaluation => ({
    ...one,
    problems: one.problems.map((outcome, index) => ({ ...outcome, type: index < 3 ? 'sums' : 'areas' })),
  });
  const said = text(
    type(evaluation('a').scoring([0, 0, 0, 4]).build()),
    type(evaluation('b').scoring([4, 4, 4, 4]).tokens(12).build()),
  );
  expect(said.split('\n')).toEqual([
    'first:  a',
    'second: b',
    '',
    'addition, version 1',
    '  over the 4 problems that both have',
    '',
    '  first    25.0 %  16 samples over 1 seed, 10.0 tokens and 0.1 s each',
    '  second  100.0 %  16 samples over 1 seed, 12.0 tokens and 0.1 s each',
    '',
    expect.stringMatching(
      /^ {2}difference {2}\+75\.0 points \(\+25\.0 to \+100\.0\): the second is higher; it is higher in \d+\.\d % of draws$/,
    ),
    '  tokens      +2.0 (+2.0 to +2.0) a sample, +20 %',
    '  time        +0.00 (+0.00 to +0.00) ms a sample, +0 %',
    '',
    '  problems, first → second (several samples: counted by the share of pairs of one sample of each)',
    '    right → right     1.0    right → wrong     0.0',
    '    wrong → right     3.0    wrong → wrong     0.0',
    '',
    '    type   problems    first   second  difference in points',
    '    ─────  ────────  ───────  ───────  ─────────────────────────',
    '    sums          3    0.0 %  100.0 %  +100.0 (+100.0 to +100.0)',
    '    areas         1  100.0 %  100.0 %  0.0 (−100.0 to +100.0)',
    '',
    '  moved by half of their samples or more, right samples:',
    '    problem    type   first  second',
    '    ─────────  ────  ──────  ──────',
    '    problem-0  sums  0 of 4  4 of 4',
    '    problem-1  sums  0 of 4  4 of 4',
    '    problem-2  sums  0 of 4  4 of 4',
  ]);
});

test('one sample a problem is counted in whole problems, with the test of those that changed', () => {
  const said = text(evaluation('a').scoring([1, 0, 1, 0], 1).build(), evaluation('b').scoring([1, 0, 0, 1], 1).build());
  expect(said).toMatch(/0\.0 points .*: inside the noise; it is higher in \d+\.\d % of draws; McNemar p = 1\.0\n/);
  expect(said).toMatch(/ {2}problems, first → second\n {4}right → right {7}1 {4}right → wrong {7}1\n/);
});

test('problems that only one has are told, and one problem says nothing', () => {
  const a = evaluation('a').scoring([1, 1], 1).build();
  const b = evaluation('b').scoring([0], 1).build();
  const said = text(a, b);
  expect(said).toContain('  over the 1 problem that both have; without 1 that only the first has');
  expect(said).toContain('one problem says nothing');
});

test('nothing that moved is said', () => {
  expect(text(evaluation('a').build(), evaluation('b').build())).toContain('No problem moved by half');
});

test('scores from outside are compared by their means, and it says that they are not paired', () => {
  const side = { mean: 0.7, low: 0.562, high: 0.809, runs: 1, problems: 50 };
  const second = { ...side, mean: 0.8, low: 0.67, high: 0.888, runs: 2 };
  const difference = { mean: 0.1, low: -0.05, high: 0.25, n: 50 };
  const outside = [{ benchmark: 'public', version: 1, first: side, second, difference }];
  const said = comparisonText({ answer: 'compare', first: 'a', second: 'b', comparisons: [], outside, omitted: 0 });
  expect(said.split('\n').slice(3)).toEqual([
    'public, version 1, from outside',
    '  not paired: scores from outside have no outcome per problem',
    '',
    '  first    70.0 %  1 run over 50 problems (56.2 % to 80.9 %)',
    '  second   80.0 %  2 runs over 50 problems (67.0 % to 88.8 %)',
    '',
    '  difference  +10.0 points (−5.0 to +25.0): inside the noise',
  ]);
});

test('of another harness no tokens and no time are told where it told none', () => {
  const costless = (one: Evaluation): Evaluation => ({
    ...one,
    problems: one.problems.map((outcome) => ({ ...outcome, tokens: 0, seconds: 0 })),
  });
  const said = text(
    costless(evaluation('a').scoring([0, 4]).build()),
    costless(evaluation('b').scoring([4, 4]).build()),
  );
  expect(said).toContain('  first    50.0 %  8 samples over 1 seed\n');
  expect(said).not.toMatch(/tokens|time/);
  const onlyOne = text(
    evaluation('a').scoring([0, 4]).tokens(10).build(),
    costless(evaluation('b').scoring([4, 4]).build()),
  );
  expect(onlyOne).not.toMatch(/^ +(tokens|time) /m);
});

test('what is not compared is told: beyond what is shown, and without a problem in common', () => {
  const of = { answer: 'compare' as const, first: 'a', second: 'b', comparisons: [], omitted: 1 };
  expect(comparisonText({ ...of, outsideOmitted: 2, incomparable: ['zeta (version 1)'] })).toMatch(
    /\n\nOn zeta \(version 1\) they have no problem in common\.\n\n3 more benchmarks left out: --benchmark <name> shows one\.$/,
  );
});
