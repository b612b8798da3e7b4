import { gateStage } from '../../configs/schema-fields.ts';
import { judgeGate } from '../../decisions/gate.ts';
import { sentencesOfStage, sentenceOfVerdict, whyNot } from '../../decisions/gate-sentences.ts';
import { type EvaluationBuilder, evaluation } from '../support/builders.ts';
import { c10, c20, c30, gateInput, keys, level, noisy, rank } from '../support/gate-builders.ts';

const compare = (change: object = {}) => gateStage.parse({ compare: { benchmark: 'addition', ...change } });
const compared = (seen: readonly EvaluationBuilder[], change: Parameters<typeof gateInput>[0] = {}) =>
  judgeGate(gateInput({ stages: [compare()], candidates: [c10, c20, c30], parent: null, seen, ...change }));
/** Half right on each of forty problems, by luck that further seeds would even out. */
const lucky = (shift = 0): number[] => Array.from({ length: 40 }, (_, index) => 1 + ((index + shift) % 3));

test('what is surely below the highest is out, and the highest goes on', () => {
  const verdict = compared([
    evaluation('c10').scoring(level(1)),
    evaluation('c20').scoring(level(3)),
    evaluation('c30').scoring(level(2)),
  ]);
  expect(verdict).toMatchObject({
    kind: 'promote',
    checkpoint: c20,
    score: 0.75,
    because: { rule: 'highest', next: { checkpoint: 'c30', score: 0.5 } },
    stages: [{ stage: 'compare', lines: [{ outcome: 'highest' }, { outcome: 'below' }, { outcome: 'below' }] }],
  });
  expect(whyNot(verdict, 'c30')).toBe(
    'c30: 50.0 % with 1 seed, −25.0 (−25.0 to −25.0) points to the highest, surely below it.',
  );
});

test('those in question alone are asked for, one seed each, and the sentence names the pairs', () => {
  const verdict = compared([
    evaluation('c10').scoring(level(0)),
    evaluation('c20').scoring(lucky()),
    evaluation('c30').scoring(lucky(1)),
  ]);
  expect(keys(verdict)).toEqual(['c20 addition@1 2', 'c30 addition@1 2']);
  expect(verdict).toMatchObject({ because: { rule: 'undecided', contenders: ['c30', 'c20'], missing: 2 } });
  expect(sentenceOfVerdict(verdict)).toMatch(
    /^The evidence on addition does not decide between c30 and c20 \(.*\): 2 evaluations more\.$/,
  );
});

describe('when nothing more may be had', () => {
  const seen = [
    evaluation('c10').scoring(level(0)),
    evaluation('c20').scoring(lucky()).tokens(20),
    evaluation('c30').scoring(lucky(1)).tokens(10),
  ];
  const spent = { seen, evaluationBudgetLeft: 1 };

  test('the highest goes on, and says that the evidence does not tell them apart', () => {
    const verdict = compared(seen, spent);
    expect(verdict).toMatchObject({ kind: 'promote', because: { rule: 'highest-of-undecided', among: 2 } });
    expect(sentenceOfVerdict(verdict)).toMatch(/though the evidence does not tell 2 candidates apart\. /);
  });

  test('as a tie all go on to the next stage, which treats them as one', () => {
    const stages = [compare({ undecided: 'tie' }), rank('tokens')];
    expect(compared(seen, { ...spent, stages })).toMatchObject({
      kind: 'promote',
      checkpoint: c30,
      because: { rule: 'tie', by: 'tokens', among: 2 },
    });
  });

  test('a person is asked where the recipe says so, and the highest goes on once they release it', () => {
    const stages = [compare({ undecided: 'hold' })];
    const verdict = compared(seen, { ...spent, stages });
    expect(verdict).toMatchObject({ kind: 'hold', because: { rule: 'undecided', contenders: ['c30', 'c20'] } });
    expect(sentenceOfVerdict(verdict)).toMatch(
      /^Held: .* between c30 and c20 .* Once released, the highest goes on\.$/,
    );
    expect(compared(seen, { ...spent, stages, releases: [{ stage: 0, contenders: ['c20', 'c30'] }] })).toMatchObject({
      kind: 'promote',
      because: { rule: 'highest-of-undecided' },
    });
  });

  test.each([
    { title: 'of another stage', release: { stage: 1, contenders: ['c20', 'c30'] } },
    { title: 'that did not know of one in question', release: { stage: 0, contenders: ['c10', 'c30'] } },
  ])('a release $title does not let it go on', ({ release }) => {
    const stages = [compare({ undecided: 'hold' })];
    expect(compared(seen, { ...spent, stages, releases: [release] })).toMatchObject({ kind: 'hold' });
  });
});

test('of two comparisons that are held each is released for itself', () => {
  const other = gateStage.parse({ compare: { benchmark: 'other', undecided: 'hold' } });
  const seen = ['c10', 'c20'].flatMap((id, shift) => [
    evaluation(id).scoring(lucky(shift)),
    evaluation(id).on('other', 2).scoring(lucky(shift)),
  ]);
  // The first lets both through, so that the second has something to compare.
  const tie = gateStage.parse({ require: { scoreAtLeast: { benchmark: 'addition', score: 0.1 } } });
  const stages = [tie, compare({ undecided: 'tie' }), other];
  const change = { candidates: [c10, c20], stages, evaluationBudgetLeft: 0 };
  const both = ['c10', 'c20'];
  expect(compared(seen, { ...change, releases: [{ stage: 1, contenders: both }] })).toMatchObject({ kind: 'hold' });
  expect(compared(seen, { ...change, releases: [{ stage: 2, contenders: both }] })).toMatchObject({ kind: 'promote' });
});

describe('a tie that no stage puts in order', () => {
  const seen = [
    evaluation('c10').scoring(level(0)),
    evaluation('c20').scoring(lucky()),
    evaluation('c30').scoring(lucky(1)),
  ];
  const verdict = compared(seen, { evaluationBudgetLeft: 0, stages: [compare({ undecided: 'tie' })] });

  test('lets the highest go on, and does not call it the newest', () => {
    expect(verdict).toMatchObject({ checkpoint: c30, because: { rule: 'highest-of-undecided', among: 2 } });
    expect(whyNot(verdict, 'c20')).toMatch(/^c20: 49\.4 % .* points to the highest, inside the noise: /);
  });

  test('says so too where the highest misses a later limit', () => {
    const high = lucky(2).map((correct) => Math.min(4, correct + 1));
    const onOther = ['c10', 'c20', 'c30'].map((id) =>
      evaluation(id)
        .on('other', 2)
        .scoring(level(id === 'c30' ? 1 : 3)),
    );
    const limit = gateStage.parse({ require: { scoreAtLeast: { benchmark: 'other', score: 0.5 } } });
    const stages = [compare({ undecided: 'tie' }), limit];
    const all = [...seen.slice(1), evaluation('c10').scoring(high.map((n, at) => (at < 20 ? n : 0))), ...onOther];
    const passed = compared(all, { evaluationBudgetLeft: 0, stages });
    expect(passed).toMatchObject({ checkpoint: c20, because: { rule: 'highest-of-undecided', among: 2 } });
    expect(whyNot(passed, 'c10')).toBe('c20 is ahead on addition, though the evidence does not tell the two apart.');
  });
});

test('a release lets the highest of the stage that held go on, and takes nothing from a tie before it', () => {
  const other = gateStage.parse({ compare: { benchmark: 'other', undecided: 'hold' } });
  const stages = [compare({ undecided: 'tie' }), other];
  const seen = [
    evaluation('c10').scoring(lucky(1)),
    evaluation('c20').scoring(lucky()),
    evaluation('c10').on('other', 2).scoring(lucky()),
    evaluation('c20').on('other', 2).scoring(lucky(1)),
  ];
  const change = { candidates: [c10, c20], stages, evaluationBudgetLeft: 0 };
  const held = compared(seen, change);
  expect(sentenceOfVerdict(held)).toMatch(/on other does not decide between c20 and c10 .* the highest goes on\.$/);
  expect(compared(seen, { ...change, releases: [{ stage: 1, contenders: ['c10', 'c20'] }] })).toMatchObject({
    kind: 'promote',
    checkpoint: c20,
    because: { rule: 'highest-of-undecided', benchmark: 'other', among: 2 },
  });
});

test('by the mean the higher goes on, however little that is, and nothing is asked for', () => {
  const stages = [compare({ by: 'mean' })];
  const seen = [
    evaluation('c10').scoring(level(2, 1)),
    evaluation('c20').scoring(level(2)),
    evaluation('c30').scoring(noisy()),
  ];
  expect(compared(seen, { stages })).toMatchObject({ kind: 'promote', checkpoint: c10, because: { rule: 'highest' } });
});

test('of equal means the earlier goes on, whatever they are called', () => {
  const late = { ...c20, id: 'a-100', step: 100 };
  const same = [evaluation('c10').scoring(level(2)), evaluation('a-100').scoring(level(2))];
  expect(compared(same, { candidates: [late, c10] })).toMatchObject({ kind: 'promote', checkpoint: c10 });
});

test('two that are equal on every problem ask for nothing: no seed would tell more than that', () => {
  const same = [evaluation('c10').scoring(level(4)), evaluation('c20').scoring(level(4))];
  expect(compared(same, { candidates: [c10, c20] }).kind).toBe('promote');
});

test('an evaluation that leaves hard problems out does not count, and its seed is not asked for again', () => {
  const easyAlone = evaluation('c10').scoring([4, 4, 4]);
  const verdict = compared([easyAlone, evaluation('c20').scoring(level(2)), evaluation('c30').scoring(level(1))]);
  expect(keys(verdict)).toEqual(['c10 addition@1 2']);
});

test('a checkpoint whose evaluations always lack problems holds once its seeds are spent, and says which', () => {
  const easyAlone = [1, 2, 3].map((seed) => evaluation('c10').seed(seed).scoring(level(4).slice(0, 38)));
  const verdict = compared([...easyAlone, evaluation('c20').scoring(level(2)), evaluation('c30').scoring(level(1))]);
  expect(verdict).toMatchObject({ kind: 'hold', because: { rule: 'lacking-problems', checkpoint: 'c10', seeds: 3 } });
  expect(sentenceOfVerdict(verdict)).toBe(
    'Held: 3 evaluations of c10 on addition lack problem-38, problem-39, which other evaluations have, and all 3 seeds are spent. Mend the evaluator, raise the version of addition and start the pipeline again.',
  );
});

describe('a runtime limit', () => {
  const limit = (minutes: number, marginMinutes = 0) =>
    gateStage.parse({ require: { runtimeAtMost: { benchmark: 'addition', minutes, marginMinutes } } });
  /** Forty problems of half a second each: 20 seconds, for any problems like these. */
  const seen = [evaluation('c10').scoring(level(2))];
  const judged = (stage: ReturnType<typeof limit>) => compared(seen, { stages: [stage], candidates: [c10] });

  test.each([
    { minutes: 0.5, marginMinutes: 0, want: 'promote' },
    { minutes: 0.5, marginMinutes: 0.25, want: 'reject' },
    { minutes: 0.25, marginMinutes: 0, want: 'reject' },
  ])('of $minutes minutes less $marginMinutes: $want', ({ minutes, marginMinutes, want }) => {
    expect(judged(limit(minutes, marginMinutes)).kind).toBe(want);
  });

  test('is not kept by seeds that leave out what is slow', () => {
    const halfSlow = evaluation('c10').scoring(level(2)).build();
    const problems = halfSlow.problems.map((one, index) => ({ ...one, seconds: index < 20 ? 0 : 1 }));
    const fastAlone = [2, 3].map((seed) => ({ ...halfSlow, seed, problems: problems.slice(0, 20) }));
    const input = gateInput({ stages: [limit(0.36)], candidates: [c10], parent: null });
    const judgedWith = (more: typeof fastAlone) =>
      judgeGate({ ...input, evaluations: [{ ...halfSlow, problems }, ...more] });
    expect(judgedWith([]).kind).toBe('reject');
    expect(judgedWith(fastAlone)).toEqual(judgedWith([]));
  });

  test('tells the time, and what 95 % of draws of as many problems stay below', () => {
    const [report] = judged(limit(0.5, 0.25)).stages;
    if (report === undefined) throw new Error('no stage');
    expect(sentencesOfStage(report)).toEqual([
      'A run over addition within 0.5 minutes less a margin of 0.25:',
      'c10: 0.3 minutes, 95 % of draws within 0.3 (failed).',
    ]);
  });

  test('is not kept by what nobody knows the time of', () => {
    const outside = [{ kind: 'order', benchmark: 'public', higher: 'c10', lower: 'c20' }] as const;
    const stages = [gateStage.parse({ require: { runtimeAtMost: { benchmark: 'public', minutes: 300 } } })];
    const verdict = compared([], { stages, outside, evaluate: { benchmarks: [], seeds: 1, maxSeeds: 1 } });
    expect(verdict.kind).toBe('reject');
    expect(verdict.stages[0]).toMatchObject({ lines: [{ decidedBy: 'unknown' }, {}, {}] });
  });
});
