import { gateStage } from '../../configs/schema-fields.ts';
import { type GateInput, judgeGate } from '../../decisions/gate.ts';
import { sentenceOfVerdict } from '../../decisions/gate-sentences.ts';
import type { OutsideEvidence } from '../../decisions/outside-evidence.ts';
import { standardDeviation } from '../../decisions/statistics.ts';
import { checkpoint } from '../support/builders.ts';

/** What the recipe of a write-up says, and what is known of its candidates. */
function judge(
  stages: readonly object[],
  names: readonly string[],
  known: Partial<GateInput> & { readonly outside: readonly OutsideEvidence[] },
) {
  return judgeGate({
    stages: stages.map((stage) => gateStage.parse(stage)),
    evaluate: { benchmarks: [], seeds: 1, maxSeeds: 16 },
    candidates: names.map((name, index) => checkpoint(name, index + 1)),
    parent: null,
    evaluations: [],
    versions: {},
    evaluationBudgetLeft: 100,
    ...known,
  });
}

/** Runs over 50 problems, by how many of them were right. */
function runs(name: string, benchmark: string, right: readonly number[]): OutsideEvidence {
  const mean = right.reduce((sum, one) => sum + one, 0) / right.length / 50;
  const deviation = standardDeviation(right.map((one) => one / 50));
  return { kind: 'runs', checkpoint: name, benchmark, problems: 50, runs: right.length, mean, deviation };
}

describe('five variants of the four-phase pipeline', () => {
  const names = ['i500', 'v23032026', 'v25032026', 'i1k-gold', 'i700'];
  const hard50 = { i500: 31.5, v23032026: 25.3, v25032026: 28, 'i1k-gold': 28.5, i700: 27 };
  const minutes = { i500: 194.5, v23032026: 186.7, v25032026: 182, 'i1k-gold': 172.5, i700: 175 };
  const table: OutsideEvidence[] = names.flatMap((name): OutsideEvidence[] => [
    // Two or three runs each; their spread is not told.
    {
      kind: 'runs',
      checkpoint: name,
      benchmark: 'hard-50',
      problems: 50,
      runs: 2,
      mean: hard50[name as keyof typeof hard50] / 50,
      deviation: null,
    },
    { kind: 'runtime', checkpoint: name, benchmark: 'hard-50', minutes: minutes[name as keyof typeof minutes] },
  ]);
  const publicRuns: OutsideEvidence[] = [
    runs('i500', 'public', [40, 35]),
    runs('i700', 'public', [38, 39]),
    { kind: 'order', benchmark: 'public', higher: 'i700', lower: 'i1k-gold' },
  ];

  test('by the published rule, public score and then runtime, i700 goes on', () => {
    const rule = [{ compare: { benchmark: 'public', by: 'mean' } }, { rank: { by: 'hard-50', tie: ['runtime'] } }];
    const verdict = judge(rule, names, { outside: [...table, ...publicRuns] });
    expect(verdict).toMatchObject({
      kind: 'promote',
      checkpoint: { id: 'i700' },
      because: { rule: 'tie', by: 'runtime' },
    });
    const [publicStage] = verdict.stages;
    expect(publicStage?.lines.map((line) => [line.checkpoint, 'outcome' in line ? line.outcome : ''])).toEqual([
      ['i700', 'highest'],
      ['v23032026', 'not-scored'],
      ['v25032026', 'not-scored'],
      ['i500', 'below'],
      ['i1k-gold', 'below'],
    ]);
  });

  test('by the default gate two runs of hard-50 cannot separate them: it names the pairs and the seeds that would', () => {
    const verdict = judge([{ compare: { benchmark: 'hard-50' } }], names, {
      outside: table,
      evaluate: { benchmarks: ['hard-50'], seeds: 2, maxSeeds: 16 },
      versions: { 'hard-50': 1 },
    });
    expect(verdict).toMatchObject({ kind: 'more-evaluations', because: { rule: 'undecided', benchmark: 'hard-50' } });
    expect(verdict.kind === 'more-evaluations' && verdict.missing.map(({ checkpoint: id }) => id)).toContain('i500');
    expect(sentenceOfVerdict(verdict)).toMatch(
      /i500 and i700 \(\d+ seeds more of each would decide if the difference stays\)/,
    );
  });
});

describe('SFT or RL under five hours, with a margin of 30 minutes', () => {
  const names = ['sft-t1.0', 'sft-t1.0-without-draft', 'rl-t0.8', 'rl-t1.0'];
  const score = 'integers-50';
  /** Times of RL are not told, and scores only as a figure: what fits and which is higher. */
  const table: OutsideEvidence[] = [
    { kind: 'runtime', checkpoint: 'sft-t1.0', benchmark: score, minutes: 253 },
    { kind: 'runtime', checkpoint: 'sft-t1.0-without-draft', benchmark: score, minutes: 342 },
    { kind: 'within-runtime', checkpoint: 'rl-t0.8', benchmark: score, within: true },
    { kind: 'within-runtime', checkpoint: 'rl-t1.0', benchmark: score, within: false },
    { kind: 'order', benchmark: score, higher: 'sft-t1.0', lower: 'rl-t0.8' },
  ];
  const limit = { require: { runtimeAtMost: { benchmark: score, minutes: 300, marginMinutes: 30 } } };

  test('by the published rule SFT at T=1.0 goes on', () => {
    const verdict = judge([limit, { compare: { benchmark: score, by: 'mean' } }], names, { outside: table });
    expect(verdict).toMatchObject({ kind: 'promote', checkpoint: { id: 'sft-t1.0' } });
    expect(verdict.stages[0]).toMatchObject({
      lines: [
        { checkpoint: 'rl-t1.0', outcome: 'failed', decidedBy: 'told' },
        { checkpoint: 'rl-t0.8', outcome: 'passed', decidedBy: 'told' },
        { checkpoint: 'sft-t1.0-without-draft', outcome: 'failed', decidedBy: 'outside-time' },
        { checkpoint: 'sft-t1.0', outcome: 'passed', decidedBy: 'outside-time' },
      ],
    });
  });

  test('by the default gate an order without numbers is no evidence: both need scores', () => {
    const verdict = judge([limit, { compare: { benchmark: score } }], names, { outside: table });
    expect(verdict).toMatchObject({ kind: 'more-evaluations', because: { contenders: ['sft-t1.0', 'rl-t0.8'] } });
    expect(sentenceOfVerdict(verdict)).toBe(
      'The evidence on integers-50 does not decide between sft-t1.0 and rl-t0.8 (no number of runs is told): scores from outside are needed.',
    );
  });
});

describe('v08a or v11a, where the score that counts is the mean of two runs', () => {
  const names = ['v11a', 'v08a'];
  const table: OutsideEvidence[] = [
    { kind: 'runs', checkpoint: 'v08a', benchmark: 'public', problems: 50, runs: 4, mean: 0.8, deviation: 0.024 },
    runs('v11a', 'public', [41, 37]),
  ];

  test('by the published rule, the higher mean, v08a goes on', () => {
    expect(judge([{ compare: { benchmark: 'public', by: 'mean' } }], names, { outside: table })).toMatchObject({
      kind: 'promote',
      checkpoint: { id: 'v08a' },
      score: 0.8,
    });
  });

  test('by the default gate one point with runs that spread by two is too little, and a release lets the higher go on', () => {
    const verdict = judge([{ compare: { benchmark: 'public' } }], names, { outside: table });
    expect(verdict).toMatchObject({ kind: 'more-evaluations', missing: [], because: { contenders: ['v08a', 'v11a'] } });
    expect(sentenceOfVerdict(verdict)).toMatch(/between v08a and v11a \(\d\d seeds more of each would decide/);
    const releases = [{ stage: 0, contenders: ['v08a', 'v11a'] }];
    expect(judge([{ compare: { benchmark: 'public' } }], names, { outside: table, releases })).toMatchObject({
      kind: 'promote',
      checkpoint: { id: 'v08a' },
      because: { rule: 'highest-of-undecided', among: 2 },
    });
  });
});

test('an early look takes nothing from the run that wins: of the epochs the tenth goes on', () => {
  const epoch = (name: string, mean: number): OutsideEvidence => ({
    kind: 'runs',
    checkpoint: name,
    benchmark: 'integers-285',
    problems: 285,
    runs: 16,
    mean,
    deviation: null,
  });
  const table = [epoch('epoch-2', 0.686), epoch('epoch-5', 0.7088), epoch('epoch-10', 0.7338)];
  expect(
    judge([{ compare: { benchmark: 'integers-285' } }], ['epoch-2', 'epoch-5', 'epoch-10'], { outside: table }),
  ).toMatchObject({
    kind: 'promote',
    checkpoint: { id: 'epoch-10' },
    because: { rule: 'highest', next: { checkpoint: 'epoch-5' } },
  });
});
