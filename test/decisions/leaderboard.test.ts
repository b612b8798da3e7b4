import { type GateVerdict, judgeGate } from '../../decisions/gate.ts';
import { sentenceOfVerdict } from '../../decisions/gate-sentences.ts';
import { leaderboard, type LeaderboardInput, type LeaderboardRow } from '../../decisions/leaderboard.ts';
import { scoreOf } from '../../decisions/scores.ts';
import { wilson } from '../../decisions/statistics.ts';
import { checkpoint, evaluation, type EvaluationBuilder } from '../support/builders.ts';
import { gateInput, rank } from '../support/gate-builders.ts';

const parent = checkpoint('parent', 320, { phase: 'base', parent: null });
const c25 = checkpoint('c25', 25);
const c50 = checkpoint('c50', 50);

function rows(seen: readonly EvaluationBuilder[], change: Partial<LeaderboardInput> = {}): readonly LeaderboardRow[] {
  return leaderboard({
    checkpoints: [parent, c50, c25],
    evaluations: seen.map((one) => one.build()),
    verdicts: {},
    ...change,
  });
}

test('a row has its numbers: problems, samples, mean, interval, pass@k, tokens, gain', () => {
  const [, row] = rows([
    evaluation('parent').scoring([0, 0, 2, 2]),
    evaluation('c25').scoring([1, 1, 3, 3]).tokens(12),
  ]);
  expect(row).toMatchObject({
    phase: 'sft',
    checkpoint: 'c25',
    step: 25,
    benchmark: 'addition',
    version: 1,
    problems: 4,
    samples: 16,
    seeds: 1,
    mean: 0.5,
    sdOverSeeds: null,
    passAtK: { k: 4, value: 1 },
    tokensPerSample: 12,
    truncatedShare: 0,
    seconds: 2,
    gain: { mean: 0.25, low: 0.25, high: 0.25, n: 4 },
    verdict: 'none',
    why: '',
  });
  expect(row?.low).toBeLessThan(0.5);
  expect(row?.high).toBeGreaterThan(0.5);
});

test('votes, what most samples need, and how long a run takes', () => {
  const seconds = [1, 2, 3, 4];
  const seen = evaluation('c25').scoring([4, 4, 1, 0]).build();
  const problems = seen.problems.map((one, index) => ({
    ...one,
    tokens: 40 * (index + 1),
    seconds: seconds[index] ?? 0,
  }));
  const [row] = leaderboard({ checkpoints: [c25], evaluations: [{ ...seen, problems }], verdicts: {} });
  // Of one right among four, a vote of four is right in 5 % of draws, and shared in 21 %.
  expect(row?.majorityAtK).toBeCloseTo((1 + 1 + 0.156) / 4, 2);
  expect(row?.tokensP95).toBeCloseTo(38.5, 10);
  expect(row?.run?.p50).toBeCloseTo(10, 0);
  expect(row?.run?.p95).toBeGreaterThanOrEqual(13);
});

test('a vote is not known where right samples have no answer, and none is held over one sample', () => {
  const seen = evaluation('c25').build();
  const silent = { ...seen, problems: seen.problems.map((one) => ({ ...one, answers: one.answers.map(() => null) })) };
  const majority = (one: typeof seen) =>
    leaderboard({ checkpoints: [c25], evaluations: [one], verdicts: {} })[0]?.majorityAtK;
  expect(majority(silent)).toBeNull();
  expect(majority(evaluation('c25').scoring([1, 0], 1).build())).toBeNull();
});

test('where problems are scored by votes the mean is over them, and what was not done in time is told', () => {
  const voted = (seed: number, votes: readonly number[]) => {
    const seen = evaluation('c25').seed(seed).scoring([3, 1]).build();
    const problems = seen.problems.map((one, index) => ({ ...one, voted: votes[index] ?? 0 }));
    return { ...seen, problems: problems.map((one, index) => (index === 1 ? { ...one, timedOut: 2 } : one)) };
  };
  const evaluations = [voted(1, [1, 0]), voted(2, [1, 0.5])];
  const [row] = leaderboard({ checkpoints: [c25], evaluations, verdicts: {} });
  expect(row).toMatchObject({ mean: 0.625, byVote: true, majorityAtK: null, timedOutShare: 0.25, samples: 16 });
  expect(rows([evaluation('c25')])[0]).not.toHaveProperty('byVote');
});

test('seeds are pooled, and their spread is shown', () => {
  const [row] = rows([evaluation('c25').scoring([4, 4]), evaluation('c25').seed(2).scoring([2, 2])]);
  expect(row).toMatchObject({ problems: 2, samples: 16, seeds: 2, mean: 0.75, passAtK: { k: 4 } });
  expect(row?.sdOverSeeds).toBeCloseTo(Math.SQRT1_2 / 2, 12);
});

describe('evaluations that leave problems out', () => {
  const easyAlone = evaluation('c25').scoring([4, 4]);
  test('count for nothing where there is a whole one', () => {
    const [row] = rows([easyAlone, evaluation('c25').seed(2)]);
    expect(row).toMatchObject({ mean: 0.5, seeds: 1, problems: 4 });
    expect(row).not.toHaveProperty('lacking');
  });
  test('are shown with what they lack where there is none, and without a gain or a run', () => {
    const row = rows([easyAlone, evaluation('parent')]).find(({ checkpoint: id }) => id === 'c25');
    expect(row).toMatchObject({ problems: 2, lacking: 2, mean: 1, gain: null, run: null });
  });
});

test("one sample per problem has Wilson's interval", () => {
  const [row] = rows([evaluation('c25').scoring([1, 0, 1, 1, 0], 1)]);
  expect(row).toMatchObject({ mean: 0.6, ...wilson(3, 5), passAtK: { k: 1, value: 0.6 } });
});

test.each([
  { what: 'none is right', correct: 0, of: [0, 10] },
  { what: 'all are right', correct: 4, of: [10, 10] },
  { what: 'half of the samples of each are right', correct: 2, of: [5, 10] },
])('where all problems score alike its interval is that of so many problems: $what', ({ correct, of: [right, n] }) => {
  const [row] = rows([evaluation('c25').scoring(Array.from({ length: 10 }, () => correct))]);
  expect(row).toMatchObject(wilson(right ?? 0, n ?? 0));
  expect((row?.high ?? 0) - (row?.low ?? 0)).toBeGreaterThan(0.2);
});

test('stands in the order of phases, then benchmark, version and step', () => {
  const seen = [
    evaluation('c50'),
    evaluation('c25').on('zeta'),
    evaluation('c25'),
    evaluation('c25').on('addition', 2),
    evaluation('parent'),
    evaluation('someone-else'),
  ];
  expect(rows(seen).map((row) => `${row.checkpoint} ${row.benchmark}@${row.version}`)).toEqual([
    'parent addition@1',
    'c25 addition@1',
    'c50 addition@1',
    'c25 addition@2',
    'c25 zeta@1',
  ]);
});

test('a gain is of the same benchmark and version, or none', () => {
  const gains = rows([evaluation('c25'), evaluation('parent').on('addition', 2)]).map((row) => row.gain);
  expect(gains).toEqual([null, null]);
  const second = [
    evaluation('c25').on('addition', 2).scoring([3, 3]),
    evaluation('parent').on('addition', 2).scoring([1, 1]),
  ];
  const [, row] = rows([...second, evaluation('parent').scoring([4, 4])]).filter((one) => one.version === 2);
  expect(row?.gain?.mean).toBe(0.5);
});

test('an evaluation without a problem makes no row', () => {
  expect(rows([evaluation('c25').scoring([])])).toEqual([]);
});

test("what is left of a score after shrinkage is the verdict's, as long as the score is the one it saw", () => {
  const gate = { evaluate: { benchmarks: ['addition'], seeds: 1, maxSeeds: 1 }, stages: [rank('earlier')] };
  const seen = [evaluation('c25').scoring([2, 1, 3, 2]), evaluation('c50').scoring([2, 3, 2, 2])];
  const verdict = judgeGate(gateInput({ ...gate, candidates: [c25, c50], parent: null, seen }));
  expect(sentenceOfVerdict(verdict)).toMatch(
    / Picked of 2 by scores that are partly luck: 53\.\d % \(.*\) after shrinkage\.$/,
  );
  const [first, second] = rows(seen, { verdicts: { sft: verdict } });
  expect([first?.mean, second?.mean]).toEqual([0.5, 0.5625]);
  expect(first?.shrunken).toMatchObject({ lookedAt: 2 });
  expect(first?.shrunken?.mean).toBeGreaterThan(0.5);
  expect(second?.shrunken?.mean).toBeLessThan(0.5625);
  const later = rows([...seen, evaluation('c25').seed(2).scoring([4, 4, 4, 4])], { verdicts: { sft: verdict } });
  expect(later[0]).not.toHaveProperty('shrunken');
  expect(later[1]).toHaveProperty('shrunken');
});

describe('what the gate said', () => {
  const seen = [evaluation('c25'), evaluation('c50')];
  const line = { step: 0, score: 0.5, seeds: 1, tokensPerSample: 10, fromLeader: null, tied: true };
  const estimate = { mean: -0.3, low: -0.4, high: -0.2, n: 40 };
  const bound = { step: 25, score: 0.2, seeds: 1, estimate };
  const verdictOf = (verdict: GateVerdict) =>
    rows(seen, { verdicts: { sft: verdict } }).map((row) => [row.checkpoint, row.verdict, row.why]);

  test('the promoted one and the one that lost a tie', () => {
    const verdict = verdictOf({
      kind: 'promote',
      checkpoint: c50,
      score: 0.5,
      because: { rule: 'tie', by: 'tokens', benchmark: 'addition', among: 2 },
      stages: [
        {
          stage: 'rank',
          benchmark: 'addition',
          tie: ['tokens'],
          lines: [
            { ...line, checkpoint: 'c50' },
            { ...line, checkpoint: 'c25', tokensPerSample: 11 },
          ],
        },
      ],
    });
    expect(verdict).toEqual([
      ['c25', 'passed-over', expect.stringContaining('11.0 tokens per sample against 10.0')],
      [
        'c50',
        'promote',
        'Promoted c50: 2 candidates cannot be told apart on addition, and it needs the fewest tokens.',
      ],
    ]);
  });

  test('one that missed a limit while another went on', () => {
    const verdict = verdictOf({
      kind: 'promote',
      checkpoint: c50,
      score: 0.5,
      because: { rule: 'newest', step: 50, passed: 1 },
      stages: [
        {
          stage: 'not-worse-than-parent',
          benchmark: 'addition',
          margin: 0.02,
          parent: { checkpoint: 'parent', score: 0.5, seeds: 1 },
          lines: [
            { ...bound, checkpoint: 'c25', outcome: 'failed', decidedBy: 'interval' },
            { ...bound, checkpoint: 'c50', outcome: 'passed', decidedBy: 'interval' },
          ],
        },
      ],
    });
    expect(verdict[0]).toEqual([
      'c25',
      'reject',
      "c25: 20.0 %, −30.0 (−40.0 to −20.0) points to the parent's 50.0 % (failed with 1 seed).",
    ]);
    expect(verdict[1]?.[1]).toBe('promote');
  });

  test.each<{ verdict: GateVerdict; want: string }>([
    {
      verdict: { kind: 'reject', because: { rule: 'none-passed', stage: 0, candidates: 2 }, stages: [] },
      want: 'reject',
    },
    {
      verdict: { kind: 'hold', because: { rule: 'evaluation-budget', missing: 4, left: 1 }, stages: [] },
      want: 'open',
    },
    {
      verdict: {
        kind: 'more-evaluations',
        missing: [],
        because: { rule: 'first-seeds', seeds: 1, missing: 1 },
        stages: [],
      },
      want: 'open',
    },
  ])('$verdict.kind makes every row of the phase $want, with the reason', ({ verdict, want }) => {
    for (const [, row, why] of verdictOf(verdict)) {
      expect(row).toBe(want);
      expect(why).not.toBe('');
    }
  });
});

test('the score of a checkpoint nobody evaluated is not known', () => {
  expect(scoreOf([], { checkpoint: 'c25', benchmark: 'addition', version: 1 })).toBeNull();
});

test('a row is a few hundred bytes: it travels through history', () => {
  const many = Array.from({ length: 500 }, (_, index) => index % 5);
  const [row] = rows([evaluation('c25').scoring(many)]);
  expect(JSON.stringify(row).length).toBeLessThan(600);
});
