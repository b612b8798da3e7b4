import type { LeaderboardRow } from '../../../decisions/leaderboard.ts';
import type { LeaderboardAnswer, MissingEvaluation } from '../../../workflows/contract-questions.ts';
import { leaderboardAnswerText, leaderboardText } from '../../../workers/terminal/leaderboard-text.ts';

function row(change: Partial<LeaderboardRow>): LeaderboardRow {
  return {
    phase: 'sft',
    checkpoint: 'demo/sft/a1/checkpoint-50',
    step: 50,
    benchmark: 'addition',
    version: 1,
    problems: 200,
    samples: 1600,
    seeds: 1,
    mean: 0.6345,
    sdOverSeeds: null,
    low: 0.6,
    high: 0.66,
    passAtK: { k: 8, value: 0.9 },
    majorityAtK: 0.712,
    tokensPerSample: 17.34,
    tokensP95: 21,
    truncatedShare: 0,
    seconds: 5.25,
    run: { p50: 5.25, p95: 6.1 },
    gain: null,
    verdict: 'promote',
    why: 'the highest',
    ...change,
  };
}
const gain = (mean: number, low: number, high: number): LeaderboardRow['gain'] =>
  ({ mean, low, high }) as LeaderboardRow['gain'];

test('votes and what was not done in time have columns of their own', () => {
  const text = leaderboardText([row({ byVote: true, majorityAtK: null, samples: 1060, timedOutShare: 0.052 })]);
  expect(text.split('\n')[0]).toMatch(/ n +by +mean .* late +run, s/);
  expect(text.split('\n')[2]).toMatch(/200×5 +vote +0\.634 .* 5\.2 % /);
});

test('what is left after shrinkage stands beside the mean, where anything was picked', () => {
  const shrunken = { mean: 0.6119, low: 0.58, high: 0.65, lookedAt: 9 };
  const text = leaderboardText([row({ shrunken }), row({ step: 25 })]);
  const [head, , first, second] = text.split('\n');
  expect(head).toMatch(/ mean +95 % +shrunken /);
  expect(first).toMatch(/ 0\.634 +0\.600–0\.660 +0\.612 /);
  expect(second).toMatch(/ 0\.634 +0\.600–0\.660 +0\.712 /);
  expect(text).toContain('k: the samples.\nshrunken: the mean less the luck of being picked.');
});

test('one line a candidate with its numbers, then why', () => {
  const text = leaderboardText([
    row({ phase: 'base', step: 480, mean: 0.3, low: 0.27, high: 0.33, verdict: 'none', why: '' }),
    row({ gain: gain(0.334, 0.3, 0.365) }),
    row({ phase: 'orpo', step: 20, gain: gain(-0.012, -0.03, 0.005), verdict: 'passed-over', why: 'inside the noise' }),
  ]);
  expect(text.split('\n')).toEqual([
    'phase  step  benchmark      n   mean  95 %         gain in points        maj@k  pass@k     tokens   run, s  verdict',
    '─────  ────  ─────────  ─────  ─────  ───────────  ────────────────────  ─────  ──────  ─────────  ───────  ──────────',
    'base    480  addition   200×8  0.300  0.270–0.330                        0.712   0.900  17.3/21.0  5.3/6.1',
    'sft      50  addition   200×8  0.634  0.600–0.660  +33.4 [+30.0, +36.5]  0.712   0.900  17.3/21.0  5.3/6.1  promoted',
    'orpo     20  addition   200×8  0.634  0.600–0.660  -1.2 [-3.0, +0.5]     0.712   0.900  17.3/21.0  5.3/6.1  not chosen',
    '',
    'n: problems × samples (× seeds). gain: over the parent. tokens: of a sample, mean/p95. run: p50/p95. k: the samples.',
    '',
    'Why:',
    '  sft 50: the highest',
    '  orpo 20: inside the noise',
  ]);
});

test('says only what there is to say: no vote of one sample, no gain without a parent, no spread of one seed', () => {
  const [head] = leaderboardText([row({ samples: 200, passAtK: { k: 1, value: 0.6 }, majorityAtK: null })]).split('\n');
  expect(head?.split(/ {2,}/)).toEqual([
    'phase',
    'step',
    'benchmark',
    'n',
    'mean',
    '95 %',
    'tokens',
    'run, s',
    'verdict',
  ]);
});

test('several seeds have a spread, and cut samples a share', () => {
  const text = leaderboardText([row({ seeds: 2, samples: 3200, sdOverSeeds: 0.0123, truncatedShare: 0.026 })]);
  expect(text).toMatch(/ 200×8×2 {2}0\.634 {2}0\.012 {2}/);
  expect(text).toContain('  2.6 %  ');
});

test('an older row says what it has', () => {
  const { majorityAtK: _majority, tokensP95: _tokens, run: _run, ...before } = row({});
  expect(leaderboardText([before])).toMatch(
    /sft {6}50 {2}addition {3}200×8 {2}0\.634 {2}0\.600–0\.660 {3}0\.900 {4}17\.3 {10}promoted/,
  );
});

describe('what the ledger has', () => {
  const answer = (change: Partial<LeaderboardAnswer>): LeaderboardAnswer => ({
    answer: 'leaderboard',
    pipeline: 'demo',
    rows: [],
    missing: [],
    missingOmitted: 0,
    omitted: 0,
    olderLeftOut: false,
    ...change,
  });
  const missing: MissingEvaluation = {
    checkpoint: 'demo/sft/a1/checkpoint-25',
    phase: 'sft',
    benchmark: 'addition',
    version: 1,
    seed: 2,
    job: 3,
    state: 'failed',
    because: 'gpu-oom: out of memory.',
  };

  test('of all pipelines is a table for each benchmark and version, each row with its pipeline', () => {
    const rows = [
      { ...row({}), pipeline: 'one' },
      { ...row({ version: 2 }), pipeline: 'other' },
    ];
    const text = leaderboardAnswerText(answer({ pipeline: null, rows, omitted: 7, olderLeftOut: true }));
    expect(text).toMatch(
      /^addition, version 1, best first:\n\npipeline {2}phase[^]*\none [^]*\naddition, version 2, best first:[^]*\nother /,
    );
    expect(text).toContain('7 more are left out (--most shows more).');
    expect(text).toContain('Only the newest 2,000 evaluations were looked at.');
    expect(text).not.toContain('Why:');
  });

  test('two versions in one pipeline are told apart', () => {
    const rows = [1, 2].map((version) => ({ ...row({ version }), pipeline: 'demo' }));
    expect(leaderboardAnswerText(answer({ rows }))).toMatch(/ addition@1 [^]* addition@2 /);
  });

  test('an evaluation that failed is named, with its job and why', () => {
    expect(leaderboardAnswerText(answer({ missing: [missing] }))).toBe(
      'Not evaluated:\n  demo/sft/a1/checkpoint-25 on addition, version 1, seed 2: evaluation job 3 is failed: gpu-oom: out of memory.',
    );
  });

  test('how many more of them there are is said', () => {
    expect(leaderboardAnswerText(answer({ missing: [missing], missingOmitted: 12 }))).toMatch(/\n {2}… and 12 more$/);
  });

  test('a name in the ledger can do nothing to a terminal', () => {
    const odd = { ...missing, checkpoint: 'a\u001b[2J\nb', because: 'killed\u0007\n  by hand' };
    const text = leaderboardAnswerText(answer({ missing: [odd] }));
    expect(text).toContain('  ab on addition');
    // eslint-disable-next-line no-control-regex -- they are what is looked for
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(text.split('\n')).toHaveLength(2);
  });

  test('scores from outside have a table of their own, with what anybody told', () => {
    const score = { mean: 0.8, low: 0.67, high: 0.89, runs: 2, problems: 50 };
    const told = { pipeline: 'demo', phase: 'sft', checkpoint: 'c', step: 50, benchmark: 'public', version: 1 };
    const outside = [
      { ...told, score, place: null, runtime: 253, sources: ['round 3', 'round 4'] },
      { ...told, step: 75, score: null, place: null, runtime: 'kept' as const, sources: [] },
    ];
    const [title, , ...table] = leaderboardAnswerText(answer({ outside, outsideOmitted: 2 })).split('\n');
    expect(title).toBe('Scores from outside (n: problems × runs):');
    expect(table).toEqual([
      'phase  step  benchmark     n   mean  95 %         runtime  from',
      '─────  ────  ─────────  ────  ─────  ───────────  ───────  ────────────────',
      'sft      50  public@1   50×2  0.800  0.670–0.890  253 min  round 3; round 4',
      'sft      75  public@1                             kept',
      '',
      '2 more scores from outside are left out.',
    ]);
    const ofAll = leaderboardAnswerText(answer({ pipeline: null, outside }));
    expect(ofAll).toMatch(/\n\npipeline {2}phase [^]*\ndemo +sft +50 /);
  });

  test('tokens and times that nobody told are empty', () => {
    const imported = { ...row({ tokensPerSample: null, tokensP95: null, run: { p50: 0, p95: 0 } }), pipeline: 'demo' };
    expect(leaderboardAnswerText(answer({ rows: [imported] }))).toMatch(/ 0\.900 {18}promoted\n/);
  });

  test('nothing is said in a sentence', () => {
    expect(leaderboardAnswerText(answer({}))).toBe('Nothing was evaluated yet.');
  });
});

test('a row that lacks problems says how many there are', () => {
  expect(leaderboardText([row({ problems: 150, samples: 1200, lacking: 50 })])).toContain('  150 of 200×8  ');
});

test('fits a terminal of 120 columns where names are of the usual length', () => {
  const rows = [row({ phase: 'drgrpo', step: 12_000, benchmark: 'aime-2026', gain: gain(0.334, 0.3, 0.365) })];
  for (const line of leaderboardText(rows).split('\n')) expect(line.length).toBeLessThanOrEqual(120);
});

test('nothing evaluated is a head and nothing below', () => {
  expect(leaderboardText([]).split('\n').slice(0, 3)).toEqual([
    expect.stringMatching(/^phase/),
    expect.stringMatching(/^─/),
    '',
  ]);
});
