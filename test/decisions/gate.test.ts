import { type GateVerdict, judgeGate } from '../../decisions/gate.ts';
import { type EvaluationBuilder, evaluation, refusalOf } from '../support/builders.ts';
import { atLeast, c10, c20, gateInput, keys, level, noisy, notWorse, rank } from '../support/gate-builders.ts';

describe('without a gate', () => {
  test('the newest goes on, and says that no gate is set', () => {
    expect(judgeGate(gateInput({ stages: [], seen: [] }))).toMatchObject({
      kind: 'promote',
      checkpoint: c20,
      score: null,
      because: { rule: 'no-gate', step: 20 },
    });
  });
  test('it carries its score where it was evaluated', () => {
    expect(judgeGate(gateInput({ stages: [], seen: [evaluation('c20')] }))).toMatchObject({ score: 0.5 });
  });
  test('nothing to promote holds', () => {
    expect(judgeGate(gateInput({ candidates: [] }))).toMatchObject({
      kind: 'hold',
      because: { rule: 'no-candidates' },
    });
  });
});

describe('what is missing', () => {
  test.each<{ title: string; change: Parameters<typeof gateInput>[0]; want: string[] }>([
    {
      title: 'every candidate, and the parent that bounds them',
      change: {},
      want: ['c10 addition@1 1', 'c20 addition@1 1', 'parent addition@1 1'],
    },
    {
      title: 'only what is not there',
      change: { seen: [evaluation('c10'), evaluation('parent')] },
      want: ['c20 addition@1 1'],
    },
    {
      title: 'each seed that the recipe begins with',
      change: {
        candidates: [c10],
        parent: null,
        evaluate: { benchmarks: ['addition'], seeds: 2, maxSeeds: 3 },
        seen: [evaluation('c10').seed(2)],
      },
      want: ['c10 addition@1 1'],
    },
    {
      title: 'no parent where no stage compares with it',
      change: { candidates: [c10], stages: [rank('earlier')] },
      want: ['c10 addition@1 1'],
    },
    {
      title: 'benchmarks that are evaluated, though no stage looks at them',
      change: {
        candidates: [c10],
        evaluate: { benchmarks: ['addition', 'other'], seeds: 1, maxSeeds: 1 },
        stages: [rank('earlier')],
      },
      want: ['c10 addition@1 1', 'c10 other@2 1'],
    },
    {
      title: 'evaluations of this version: an older one does not count',
      change: { candidates: [c10], stages: [rank('earlier')], seen: [evaluation('c10').on('addition', 7)] },
      want: ['c10 addition@1 1'],
    },
    {
      title: 'no doubles where two stages compare with the parent',
      change: { candidates: [], stages: [notWorse, notWorse] },
      want: [],
    },
  ])('names $title', ({ change, want }) => {
    expect(keys(judgeGate(gateInput(change)))).toEqual(want);
  });

  test('holds when the budget does not reach for the first seeds', () => {
    expect(judgeGate(gateInput({ evaluationBudgetLeft: 2 }))).toMatchObject({
      kind: 'hold',
      because: { rule: 'evaluation-budget', missing: 3, left: 2 },
    });
  });

  test('refuses a benchmark without a version', () => {
    expect(refusalOf(() => judgeGate(gateInput({ versions: {} })))).toBe('invalid-input');
  });

  test('refuses an evaluation without a problem: it would be asked for for ever', () => {
    expect(refusalOf(() => judgeGate(gateInput({ seen: [evaluation('c10').scoring([])] })))).toBe('ledger-conflict');
  });
});

describe('not worse than the parent', () => {
  const only = (seen: EvaluationBuilder[], change: Parameters<typeof gateInput>[0] = {}) =>
    judgeGate(gateInput({ stages: [notWorse], candidates: [c10], seen, ...change }));
  const outcomes = (verdict: GateVerdict) =>
    verdict.stages.flatMap((report) =>
      report.stage === 'not-worse-than-parent' || report.stage === 'score-at-least'
        ? report.lines.map((line) => [line.outcome, line.decidedBy])
        : [],
    );

  test.each<{ title: string; candidate: number[]; want: string }>([
    { title: 'better on every problem passes', candidate: level(3), want: 'promote' },
    { title: 'the same on every problem passes', candidate: level(2), want: 'promote' },
    { title: 'worse on every problem is rejected', candidate: level(1), want: 'reject' },
    { title: 'undecided asks for more', candidate: noisy(), want: 'more-evaluations' },
  ])('$title', ({ candidate, want }) => {
    expect(only([evaluation('c10').scoring(candidate), evaluation('parent').scoring(level(2))]).kind).toBe(want);
  });

  test('without a parent all pass, and the report says so', () => {
    const verdict = only([evaluation('c10').scoring(level(1))], { parent: null });
    expect(verdict.kind).toBe('promote');
    expect(outcomes(verdict)).toEqual([['passed', 'no-parent']]);
  });

  test('the undecided ask for one more seed of themselves and of the parent, and of nobody else', () => {
    const seen = [
      evaluation('c10').scoring(level(3)),
      evaluation('c20').scoring(noisy()),
      evaluation('parent').scoring(level(2)),
    ];
    const verdict = judgeGate(gateInput({ seen }));
    expect(keys(verdict)).toEqual(['c20 addition@1 2', 'parent addition@1 2']);
    expect(verdict).toMatchObject({
      because: { rule: 'undecided', contenders: ['c20'], missing: 2 },
      stages: [{ stage: 'not-worse-than-parent' }],
    });
  });

  test('an evaluation that only the other side lacks is asked of that side alone', () => {
    const seen = [1, 2, 3].map((seed) => evaluation('c10').seed(seed).scoring(noisy()));
    expect(keys(only([...seen, evaluation('parent').scoring(level(2))]))).toEqual(['parent addition@1 2']);
  });

  test.each<{ title: string; seeds: number[]; change: Parameters<typeof gateInput>[0] }>([
    { title: 'all seeds are spent', seeds: [1, 2, 3], change: {} },
    { title: 'the budget is spent', seeds: [1], change: { evaluationBudgetLeft: 0 } },
  ])('the point estimate decides when $title, and the report says so', ({ seeds, change }) => {
    const evaluated = (id: string, correct: number[]) =>
      seeds.map((seed) => evaluation(id).seed(seed).scoring(correct));
    const passes = only([...evaluated('c10', noisy()), ...evaluated('parent', level(2))], change);
    expect(passes.kind).toBe('promote');
    expect(outcomes(passes)).toEqual([['passed', 'point-estimate']]);
    const lower = noisy().map((correct) => Math.max(0, correct - 1));
    const fails = only([...evaluated('c10', lower), ...evaluated('parent', level(2))], {
      ...change,
      stages: [atLeast(0.45)],
    });
    expect(fails.kind).toBe('reject');
    expect(outcomes(fails)).toEqual([['failed', 'point-estimate']]);
  });
});

describe('a score at least', () => {
  const at = (score: number, correct: number[]) =>
    judgeGate(gateInput({ stages: [atLeast(score)], candidates: [c10], seen: [evaluation('c10').scoring(correct)] }));
  test.each<{ title: string; score: number; correct: number[]; want: string }>([
    { title: 'surely above passes', score: 0.5, correct: level(3), want: 'promote' },
    { title: 'surely below is rejected', score: 0.9, correct: level(2, 3), want: 'reject' },
    { title: 'undecided asks for one more seed', score: 0.5, correct: noisy(), want: 'more-evaluations' },
  ])('$title', ({ score, correct, want }) => {
    expect(at(score, correct).kind).toBe(want);
  });

  test('a rejection names the stage that none passed', () => {
    expect(at(0.9, level(2, 3))).toMatchObject({
      because: { rule: 'none-passed', stage: 0, candidates: 1 },
      stages: [{ stage: 'score-at-least', atLeast: 0.9 }],
    });
  });
});

test('without a rank the newest of those that passed goes on', () => {
  const seen = [
    evaluation('c10').scoring(level(3)),
    evaluation('c20').scoring(level(3)),
    evaluation('parent').scoring(level(2)),
  ];
  expect(judgeGate(gateInput({ stages: [notWorse], seen }))).toMatchObject({
    kind: 'promote',
    checkpoint: c20,
    score: 0.75,
    because: { rule: 'newest', passed: 2 },
  });
});
