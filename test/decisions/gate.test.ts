import fc from 'fast-check';
import type { GateStage } from '../../configs/schema.ts';
import type { CheckpointFact, Evaluation } from '../../decisions/evaluation.ts';
import { type GateInput, type GateVerdict, judgeGate } from '../../decisions/gate.ts';
import { sentencesOfStage, sentenceOfVerdict } from '../../decisions/gate-sentences.ts';
import { checkpoint, evaluation, type EvaluationBuilder } from '../support/builders.ts';

const notWorse: GateStage = { require: { notWorseThanParent: { benchmark: 'addition', margin: 0.02 } } };
const atLeast = (score: number): GateStage => ({ require: { scoreAtLeast: { benchmark: 'addition', score } } });
const rank = (...tie: ('tokens' | 'earlier')[]): GateStage => ({ rank: { by: 'addition', tie } });

const c10 = checkpoint('c10', 10);
const c20 = checkpoint('c20', 20);
const c30 = checkpoint('c30', 30);
const parent = checkpoint('parent', 50, { phase: 'base', parent: null });

/** Correct samples of 4 on each of 40 problems: `base` on each, one more on the first `more`. */
const level = (base: number, more = 0): number[] =>
  Array.from({ length: 40 }, (_, index) => base + (index < more ? 1 : 0));
/** As good as `level(2)` on the mean, but with luck spread over problems. */
const noisy = (shift = 0): number[] =>
  Array.from(
    { length: 40 },
    (_, index) => (index % 2 === 0 ? 4 : 0) + (index < shift ? (index % 2 === 0 ? -1 : 1) : 0),
  );

function input(
  change: Partial<Omit<GateInput, 'evaluations'>> & { readonly seen?: readonly EvaluationBuilder[] } = {},
): GateInput {
  const { seen = [], ...rest } = change;
  return {
    stages: [notWorse, rank('tokens', 'earlier')],
    evaluate: { benchmarks: ['addition'], seeds: 1, maxSeeds: 3 },
    candidates: [c10, c20],
    parent,
    versions: { addition: 1, other: 2 },
    evaluationBudgetLeft: 100,
    evaluations: seen.map((one) => one.build()),
    ...rest,
  };
}
const keys = (verdict: GateVerdict): string[] =>
  verdict.kind === 'more-evaluations'
    ? verdict.missing.map((one) => `${one.checkpoint} ${one.benchmark}@${one.version} ${one.seed}`)
    : [];

describe('without a gate', () => {
  test('the newest goes on, and says that no gate is set', () => {
    expect(judgeGate(input({ stages: [], seen: [] }))).toMatchObject({
      kind: 'promote',
      checkpoint: c20,
      score: null,
      because: { rule: 'no-gate', step: 20 },
    });
  });
  test('it carries its score where it was evaluated', () => {
    expect(judgeGate(input({ stages: [], seen: [evaluation('c20')] }))).toMatchObject({ score: 0.5 });
  });
  test('nothing to promote holds', () => {
    expect(judgeGate(input({ candidates: [] }))).toMatchObject({ kind: 'hold', because: { rule: 'no-candidates' } });
  });
});

describe('what is missing', () => {
  test.each<{ title: string; change: Parameters<typeof input>[0]; want: string[] }>([
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
    expect(keys(judgeGate(input(change)))).toEqual(want);
  });

  test('holds when the budget does not reach for the first seeds', () => {
    expect(judgeGate(input({ evaluationBudgetLeft: 2 }))).toMatchObject({
      kind: 'hold',
      because: { rule: 'evaluation-budget', missing: 3, left: 2 },
    });
  });

  test('refuses a benchmark without a version', () => {
    expect(() => judgeGate(input({ versions: {} }))).toThrow(expect.objectContaining({ code: 'invalid-input' }));
  });

  test('refuses an evaluation without a problem: it would be asked for for ever', () => {
    expect(() => judgeGate(input({ seen: [evaluation('c10').scoring([])] }))).toThrow(
      expect.objectContaining({ code: 'ledger-conflict' }),
    );
  });
});

describe('not worse than the parent', () => {
  const only = (seen: EvaluationBuilder[], change: Parameters<typeof input>[0] = {}) =>
    judgeGate(input({ stages: [notWorse], candidates: [c10], seen, ...change }));
  const outcomes = (verdict: GateVerdict) =>
    verdict.stages.flatMap((report) =>
      report.stage === 'rank' ? [] : report.lines.map((line) => [line.outcome, line.decidedBy]),
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
    const verdict = judgeGate(input({ seen }));
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

  test.each<{ title: string; seeds: number[]; change: Parameters<typeof input>[0] }>([
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
    judgeGate(input({ stages: [atLeast(score)], candidates: [c10], seen: [evaluation('c10').scoring(correct)] }));
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

describe('rank', () => {
  const ranked = (seen: EvaluationBuilder[], stage: GateStage = rank('tokens', 'earlier')) =>
    judgeGate(input({ stages: [stage], candidates: [c10, c20, c30], seen }));

  test('the highest mean goes on when the noise does not reach it', () => {
    const verdict = ranked([
      evaluation('c10').scoring(level(1)),
      evaluation('c20').scoring(level(3)),
      evaluation('c30').scoring(level(2)),
    ]);
    expect(verdict).toMatchObject({
      kind: 'promote',
      checkpoint: c20,
      score: 0.75,
      because: { rule: 'highest', next: { checkpoint: 'c30' } },
    });
  });

  test.each<{ title: string; stage: GateStage; tokens: [number, number]; want: string; by: string }>([
    { title: 'fewer tokens', stage: rank('tokens', 'earlier'), tokens: [20, 10], want: 'c20', by: 'tokens' },
    {
      title: 'earlier where tokens are equal',
      stage: rank('tokens', 'earlier'),
      tokens: [10, 10],
      want: 'c10',
      by: 'earlier',
    },
    {
      title: 'earlier first, where the recipe says so',
      stage: rank('earlier', 'tokens'),
      tokens: [20, 10],
      want: 'c10',
      by: 'earlier',
    },
    { title: 'earlier where the recipe names no rule', stage: rank(), tokens: [20, 10], want: 'c10', by: 'earlier' },
  ])('inside the noise it is $title', ({ stage, tokens, want, by }) => {
    const verdict = ranked(
      [
        evaluation('c10').scoring(level(2, 1)).tokens(tokens[0]),
        evaluation('c20').scoring(noisy(6)).tokens(tokens[1]),
        evaluation('c30').scoring(level(0)).tokens(1),
      ],
      stage,
    );
    expect(verdict).toMatchObject({
      kind: 'promote',
      checkpoint: { id: want },
      because: { rule: 'tie', by, among: 2 },
    });
    expect(verdict.stages[0]).toMatchObject({
      lines: [{ checkpoint: want, tied: true }, { tied: true }, { checkpoint: 'c30', tied: false }],
    });
  });

  test('what is surely worse never wins by its tokens', () => {
    const verdict = ranked([
      evaluation('c10').scoring(level(3)).tokens(99),
      evaluation('c20').scoring(level(1)).tokens(1),
      evaluation('c30').scoring(level(1)).tokens(1),
    ]);
    expect(verdict).toMatchObject({ kind: 'promote', checkpoint: c10 });
  });

  test('stages apply in order: what missed a bound is not ranked', () => {
    const seen = [
      evaluation('c10').scoring(level(1)),
      evaluation('c20').scoring(level(2)),
      evaluation('parent').scoring(level(2)),
    ];
    const verdict = judgeGate(input({ seen }));
    expect(verdict).toMatchObject({ kind: 'promote', checkpoint: c20, because: { rule: 'highest', next: null } });
    expect(verdict.stages[1]).toMatchObject({ stage: 'rank', lines: [{ checkpoint: 'c20' }] });
  });

  test('the parent is a bound, never a candidate, however good', () => {
    const seen = [
      evaluation('c10').scoring(level(1)),
      evaluation('c20').scoring(level(1)),
      evaluation('parent').scoring(level(4)),
    ];
    expect(judgeGate(input({ seen })).kind).toBe('reject');
  });

  test('a second rank decides among those that the first cannot tell apart', () => {
    const second: GateStage = { rank: { by: 'other', tie: ['earlier'] } };
    const seen = [
      evaluation('c10').scoring(level(2, 1)),
      evaluation('c20').scoring(noisy()),
      evaluation('c10').on('other', 2).scoring(level(1)),
      evaluation('c20').on('other', 2).scoring(level(3)),
    ];
    const evaluate = { benchmarks: ['addition', 'other'], seeds: 1, maxSeeds: 1 };
    expect(judgeGate(input({ stages: [rank('earlier'), second], evaluate, seen }))).toMatchObject({
      kind: 'promote',
      checkpoint: c20,
    });
  });
});

test('without a rank the newest of those that passed goes on', () => {
  const seen = [
    evaluation('c10').scoring(level(3)),
    evaluation('c20').scoring(level(3)),
    evaluation('parent').scoring(level(2)),
  ];
  expect(judgeGate(input({ stages: [notWorse], seen }))).toMatchObject({
    kind: 'promote',
    checkpoint: c20,
    score: 0.75,
    because: { rule: 'newest', passed: 2 },
  });
});

describe('over random evidence', () => {
  const correct = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 6, maxLength: 6 });
  const ids = ['c10', 'c20', 'parent'] as const;
  const evidenceOf = fc
    .array(
      fc.record({
        id: fc.constantFrom(...ids),
        seed: fc.integer({ min: 1, max: 3 }),
        correct,
        tokens: fc.integer({ min: 1, max: 3 }),
      }),
      { maxLength: 9 },
    )
    .map((rows) => {
      const byKey = new Map(rows.map((row) => [`${row.id} ${row.seed}`, row]));
      return [...byKey.values()].map((row) =>
        evaluation(row.id).seed(row.seed).scoring(row.correct, 2).tokens(row.tokens).build(),
      );
    });
  const shuffled = <T>(list: readonly T[], order: readonly number[]): T[] =>
    list
      .map((item, index) => ({ item, key: order[index % order.length] ?? 0 }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);

  test('the same evidence gives the same verdict, in whatever order it arrived', () => {
    fc.assert(
      fc.property(
        evidenceOf,
        fc.array(fc.integer(), { minLength: 1, maxLength: 9 }),
        (evaluations: readonly Evaluation[], order) => {
          const verdict = judgeGate({ ...input(), evaluations });
          const again = judgeGate({
            ...input(),
            candidates: shuffled<CheckpointFact>([c10, c20], order),
            evaluations: shuffled(evaluations, order).map((one) => ({
              ...one,
              problems: shuffled(one.problems, order),
            })),
          });
          expect(again).toEqual(verdict);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('asking ends: whatever the answers are, each is asked for once and the gate decides within its seeds', () => {
    fc.assert(
      fc.property(fc.infiniteStream(correct), fc.integer({ min: 0, max: 12 }), (answers, budget) => {
        const evaluations: Evaluation[] = [];
        let left = budget;
        for (let round = 0; ; round += 1) {
          const verdict = judgeGate({ ...input(), evaluations, evaluationBudgetLeft: left });
          for (const line of verdict.stages) expect(sentencesOfStage(line).length).toBeGreaterThan(0);
          expect(sentenceOfVerdict(verdict)).not.toMatch(/undefined|NaN|\[object/);
          if (verdict.kind !== 'more-evaluations') break;
          expect(round).toBeLessThanOrEqual(3);
          expect(verdict.missing.length).toBeGreaterThan(0);
          for (const key of verdict.missing) {
            expect(key.seed).toBeLessThanOrEqual(3);
            expect(evaluations.some((one) => one.checkpoint === key.checkpoint && one.seed === key.seed)).toBe(false);
            evaluations.push(evaluation(key.checkpoint).seed(key.seed).scoring(answers.next().value, 2).build());
            left -= 1;
          }
          expect(left).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 40 },
    );
  });
});
