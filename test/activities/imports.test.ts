/** Results of other harnesses on a real ledger: exactly once, under a name and version that mean one thing, and counted where they are asked to. */
import type { ImportedResult } from '../../configs/schema-import.ts';
import { answerActivities } from '../../activities/answers.ts';
import type {
  ComparisonAnswer,
  Explanation,
  ImportedEvaluations,
  LeaderboardAnswer,
  Question,
} from '../../workflows/contract-questions.ts';
import { type ActivityBench, contextOf, runId } from '../support/activity-bench.ts';
import { evaluation as evaluationBuilder } from '../support/builders.ts';
import { benchBeforeItsGate, checkpointAt as id, phase, recipe } from '../support/before-its-gate.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await benchBeforeItsGate();
});
afterEach(() => bench.close());

const digest = (letter: string) => letter.repeat(64);
const outcomes = (right: string, change: Partial<ImportedResult> = {}): ImportedResult => ({
  tool: 'lm-eval',
  task: 'gsm8k',
  metric: 'exact_match,strict-match',
  settings: { taskVersion: 3, fewShots: 5 },
  source: `samples_${right}.jsonl`,
  digest: digest('a'),
  run: { digest: change.digest ?? digest('a'), parts: 1 },
  found: { kind: 'outcomes', problems: Array.from(right, (__, index) => `p${String(index)}`), right },
  ...change,
});
const mean: ImportedResult = {
  ...outcomes('1'),
  ...{ tool: 'lighteval', source: 'results.json', settings: {} },
  found: { kind: 'mean', score: 1, problems: 4, runs: 1, standardError: 0 },
};
const otherMean = { ...mean, digest: digest('b'), run: { digest: digest('b'), parts: 1 } };

const ask = <Answer>(question: Question) =>
  answerActivities(bench.dependencies).answerQuestion(question) as Promise<Answer>;
const bring = (
  results: readonly ImportedResult[],
  more: { checkpoint?: string; benchmark?: string; by?: string } = {},
) => ask<ImportedEvaluations>({ question: 'import-eval', checkpoint: id(50), by: 'ann', ...more, results });
const boardOf = async () => (await ask<LeaderboardAnswer>({ question: 'leaderboard', pipeline: 'demo' })).rows;

test('outcomes become an evaluation: on the leaderboard, in explain, and paired by compare', async () => {
  const { evaluations, scores, shows = [] } = await bring([outcomes('1101')]);
  expect([scores, ...shows.map(({ rows }) => rows)]).toMatchObject([[], [{ checkpoint: id(50), mean: 0.75 }]]);
  expect(evaluations).toMatchObject([
    {
      ...{ benchmark: 'lm-eval-gsm8k', version: 1, problems: 4, mean: 0.75, recorded: true },
      sentence: expect.stringContaining('lm-eval-gsm8k, version 1, 75.0 % of 4 problems, exact_match,') as string,
    },
  ]);
  await bring([outcomes('0100', { digest: digest('b') })], { checkpoint: id(40) });
  expect(await boardOf()).toMatchObject([
    { checkpoint: id(40), benchmark: 'lm-eval-gsm8k', problems: 4, mean: 0.25 },
    { checkpoint: id(50), benchmark: 'lm-eval-gsm8k', problems: 4, mean: 0.75, verdict: 'none' },
  ]);
  const { comparisons } = await ask<ComparisonAnswer>({ question: 'compare', first: id(40), second: id(50) });
  expect(comparisons).toMatchObject([
    { benchmark: 'lm-eval-gsm8k', problems: 4, transitions: { wrongRight: 2, rightWrong: 0, rightRight: 1 } },
  ]);
  const { phases } = await ask<Explanation>({ question: 'explain', pipeline: 'demo' });
  const told = phases.flatMap(({ events }) => events.filter(({ about }) => about === 'import'));
  expect(told.map(({ sentence }) => sentence)).toContain(
    `ann imported lm-eval-gsm8k of ${id(50)}: 75.0 % of 4 problems, exact_match,strict-match of gsm8k by lm-eval, from samples_1101.jsonl.`,
  );
});

test('the same file twice counts once, whoever brings it, and both at once; another file is another evaluation', async () => {
  const both = await Promise.all([bring([outcomes('1101')]), bring([outcomes('1101')], { by: 'bob' })]);
  expect(both.map(({ evaluations }) => evaluations[0]?.recorded).sort()).toEqual([false, true]);
  const again = await bring([outcomes('1101')], { by: 'carl' });
  expect(again.evaluations[0]?.sentence).toMatch(
    /^Nothing new: samples_1101\.jsonl was imported as [0-9a-f]{12} \(lm-eval-gsm8k, version 1\) by (ann|bob) at 2026-11-29 10:00 UTC\.$/,
  );
  const { shows = [] } = await bring([outcomes('1101'), outcomes('1111', { digest: digest('b') })]);
  const row = { problems: 4, samples: 8, seeds: 2, mean: 0.875 };
  expect([await boardOf(), ...shows.map(({ rows }) => rows)]).toMatchObject([[row], [row]]);
});

test.each<{ what: string; change: Partial<ImportedResult>; want: string }>([
  {
    what: 'metric',
    change: { metric: 'exact_match,flexible-extract' },
    want: 'metric is "exact_match,flexible-extract" and was "exact_match,strict-match"',
  },
  { what: 'setting', change: { settings: { taskVersion: 3, fewShots: 0 } }, want: 'fewShots is 0 and was 5' },
  {
    what: 'data',
    change: { found: { kind: 'outcomes', problems: ['q0', 'q1', 'q2', 'q3'], right: '1111' } },
    want: 'the problems are others',
  },
])('another $what is another version, and the answer says what differs', async ({ change, want }) => {
  await bring([outcomes('1101')]);
  const other = outcomes('1101', { digest: digest('b'), ...change });
  const { evaluations } = await bring([other]);
  expect(evaluations).toMatchObject([{ version: 2 }]);
  expect(evaluations[0]?.sentence).toContain(`It is compared with nothing of version 1: ${want}.`);
  expect((await bring([other])).evaluations).toMatchObject([{ version: 2, recorded: false }]);
  expect((await bring([outcomes('1101')])).evaluations).toMatchObject([{ version: 1, recorded: false }]);
});

test('a mean after outcomes of the same run is another version, and it is said as that', async () => {
  await bring([outcomes('1101')]);
  const alone = { ...outcomes('1101'), found: { kind: 'mean' as const, score: 0.75, problems: 4, runs: 1 } };
  const { scores } = await bring([alone]);
  expect(scores[0]?.sentence).toMatch(/ nothing before: it is a mean alone and was outcomes per problem\.$/);
});

test('what both were evaluated on without a problem in common is named beside what is compared', async () => {
  await bring([mean]);
  await bring([otherMean], { checkpoint: id(40) });
  for (const step of [40, 50]) {
    const evaluation = evaluationBuilder(id(step)).on('zeta').build();
    const problems = evaluation.problems.map((one) => ({ ...one, problem: `${one.problem} of ${String(step)}` }));
    const of = { runId: 'run', jobName: 'job', at: '2026-11-29T11:00:00.000Z' };
    await bench.ledger.recordEvaluation({ evaluation: { ...evaluation, problems }, ...of });
  }
  expect(await ask({ question: 'compare', first: id(40), second: id(50) })).toMatchObject({
    ...{ comparisons: [], outsideOmitted: 0, incomparable: ['zeta (version 1)'] },
    outside: [{ benchmark: 'lighteval-gsm8k', difference: { mean: 0 } }],
  });
});

test('a mean is a score from outside, once', async () => {
  const { evaluations, scores } = await bring([mean]);
  expect(evaluations).toEqual([]);
  expect(scores[0]?.sentence).toContain(
    'lighteval-gsm8k 100.0 % of 4 problems, from lighteval gsm8k results.json (exact_match,strict-match, aaaaaaaaaaaa)',
  );
  expect((await bring([mean])).scores).toMatchObject([{ recorded: false }]);
  expect(await bench.ledger.outsideScoresOf([id(50)])).toMatchObject([
    { benchmark: 'lighteval-gsm8k', score: 1, problems: 4, standardError: 0, by: 'ann' },
  ]);
});

test('scores from outside stand on the leaderboard, of a pipeline and of all, and are compared by their means', async () => {
  await bring([mean]);
  const lower = { kind: 'mean' as const, score: 0.25, problems: 4, runs: 1 };
  await bring([{ ...otherMean, found: lower }], { checkpoint: id(40) });
  const checkpoints = async (question: object) => {
    const { rows, outside } = await ask<LeaderboardAnswer>({ question: 'leaderboard', ...question });
    expect(rows).toEqual([]);
    return outside?.map(({ pipeline, checkpoint, benchmark }) => [pipeline, checkpoint, benchmark]);
  };
  const [at40, at50] = [40, 50].map((step) => ['demo', id(step), 'lighteval-gsm8k']);
  expect(await checkpoints({ pipeline: 'demo' })).toEqual([at40, at50]);
  expect(await checkpoints({ benchmark: 'lighteval-gsm8k' })).toEqual([at50, at40]);
  const { comparisons, outside } = await ask<ComparisonAnswer>({ question: 'compare', first: id(40), second: id(50) });
  expect(comparisons).toEqual([]);
  expect(outside).toMatchObject([
    { benchmark: 'lighteval-gsm8k', first: { mean: 0.25 }, second: { mean: 1 }, difference: { mean: 0.75 } },
  ]);
  await bring([outcomes('1101')]);
  await expect(ask({ question: 'compare', first: id(40), second: id(50), benchmark: 'lm-eval-gsm8k' })).rejects.toThrow(
    'nothing was evaluated on the same benchmark and version',
  );
});

test('a gate that waits hears of it on the benchmark that is named, and of nothing else', async () => {
  const judge = () => bench.as(runId).judgeGate({ context: contextOf({ phase, benchmarks: recipe.benchmarks }) });
  await bring([outcomes('1101')]);
  expect(await judge()).toMatchObject({ kind: 'hold', hearsScores: true });
  const { evaluations, scores } = await bring([outcomes('1101')], { benchmark: 'public' });
  expect(evaluations).toMatchObject([{ recorded: false }]);
  expect(scores).toMatchObject([{ recorded: true, wakes: ['demo/sft'] }]);
  expect((await bring([outcomes('1101')], { benchmark: 'public' })).scores).toMatchObject([{ recorded: false }]);
  bench.pass(60);
  expect(await judge()).toMatchObject({ kind: 'promote', checkpoint: { id: id(50) }, score: 0.75 });
});

const runsOn = async (benchmark: string) => {
  const { outside } = await ask<LeaderboardAnswer>({ question: 'leaderboard', benchmark });
  return outside?.map(({ checkpoint, score }) => [checkpoint, score?.runs, score?.mean]);
};
const toPublic = { benchmark: 'public' };

test('a run counts once on a benchmark: its mean, then its outcomes, and the other way round', async () => {
  const whole = outcomes('1101', { digest: digest('b'), run: { digest: digest('9'), parts: 1 } });
  const itsMean: ImportedResult = {
    ...whole,
    ...{ digest: digest('9'), source: 'results.json' },
    found: { kind: 'mean', score: 0.75, problems: 4, runs: 1, standardError: 0.25 },
  };
  await bring([itsMean], toPublic);
  const { evaluations, scores } = await bring([whole], toPublic);
  expect(evaluations).toMatchObject([{ recorded: true }]);
  expect(scores).toMatchObject([
    { recorded: false, sentence: expect.stringMatching(/^Nothing new: public 75\.0 %/) as string },
  ]);
  expect(await runsOn('public')).toEqual([[id(50), 1, 0.75]]);
  await bring([whole], { ...toPublic, checkpoint: id(40) });
  expect((await bring([itsMean], { ...toPublic, checkpoint: id(40) })).scores).toMatchObject([{ recorded: false }]);
  expect(await runsOn('public')).toContainEqual([id(40), 1, 0.75]);
});

test('a run in parts counts by its mean or by them, and is refused by both where some are not told', async () => {
  const run = { digest: digest('e'), parts: 2 };
  const parts = ['1100', '1111'].map((right, seed) => outcomes(right, { digest: digest(String(seed)), run }));
  const both: ImportedResult = {
    ...outcomes('1'),
    ...{ digest: run.digest, run, source: 'metrics.json' },
    found: { kind: 'mean', score: 0.75, problems: 4, runs: 2, deviation: 0.35 },
  };
  await bring(parts.slice(0, 1), toPublic);
  await expect(bring([both], toPublic)).rejects.toThrow(
    /^benchmark: 1 of the 2 runs of gsm8k .* count on "public" already/,
  );
  await bring(parts, toPublic);
  expect((await bring([both], toPublic)).scores).toMatchObject([{ recorded: false }]);
  await bring([both], { ...toPublic, checkpoint: id(40) });
  const { scores } = await bring(parts, { ...toPublic, checkpoint: id(40) });
  expect(scores.map(({ recorded }) => recorded)).toEqual([false, false]);
  expect(await runsOn('public')).toEqual([
    [id(40), 2, 0.75],
    [id(50), 2, 0.75],
  ]);
});

test.each([{ task: 'aime' }, { metric: 'exact_match,flexible-extract' }])(
  'another task or metric, %o, on the same benchmark is refused, one after the other too',
  async (change) => {
    const { scores } = await bring([outcomes('1101')], toPublic);
    await expect(bring([outcomes('1111', { digest: digest('b'), ...change })], toPublic)).rejects.toThrow(
      `"public" has a score of ${id(50)} by gsm8k (lm-eval, exact_match,strict-match), "${scores[0]?.id ?? ''}"`,
    );
    expect(await runsOn('public')).toEqual([[id(50), 1, 0.75]]);
  },
);

test('a mean that was imported is corrected as any score, in the version that it has, and stays so', async () => {
  await bring([{ ...mean, digest: digest('c'), settings: { fewShots: 3 } }], { checkpoint: id(40) });
  const { scores } = await bring([mean]);
  const name = 'lighteval-gsm8k';
  const score = { checkpoint: id(40), benchmark: name, score: '2/4', note: 'a typo' };
  const [wrong] = await bench.ledger.outsideScoresOf([id(40)]);
  await ask({ question: 'record-score', score: { ...score, corrects: wrong?.id } });
  await ask({ question: 'record-score', score: { ...score, checkpoint: id(50), corrects: scores[0]?.id } });
  const { outside } = await ask<LeaderboardAnswer>({ question: 'leaderboard', benchmark: name });
  expect(outside?.map(({ checkpoint, version, score: shown }) => [checkpoint, version, shown?.mean])).toEqual([
    [id(40), 1, 0.5],
    [id(50), 2, 0.5],
  ]);
  expect((await bring([mean])).scores).toMatchObject([{ recorded: false }]);
});

interface Refused {
  readonly title: string;
  readonly more: Parameters<typeof bring>[1];
  readonly results?: readonly ImportedResult[];
  readonly want: RegExp;
}

test.each<Refused>([
  {
    title: 'a checkpoint that nobody knows',
    more: { checkpoint: 'demo/sft/a1/checkpoint-60' },
    want: /^no checkpoint/,
  },
  {
    title: 'a benchmark that jobs evaluate',
    more: { benchmark: 'addition' },
    want: /^benchmark: jobs evaluate "addition"/,
  },
  { title: 'a benchmark that nobody knows', more: { benchmark: 'publik' }, want: /did you mean "public"/ },
  {
    title: 'another number of problems than the recipe says',
    more: { benchmark: 'public' },
    results: [outcomes('110')],
    want: /^score: is over 3 problems, and the recipe's "public" has 4$/,
  },
  {
    title: 'two tasks on one benchmark at once',
    more: { benchmark: 'public' },
    results: [outcomes('1101'), outcomes('1101', { task: 'aime' })],
    want: /name one with --task: gsm8k \(lm-eval, exact_match,strict-match\), aime/,
  },
])('refuses $title, and records nothing', async ({ more, results = [outcomes('1101')], want }) => {
  await expect(bring(results, more)).rejects.toMatchObject({ message: expect.stringMatching(want) as string });
  expect(await boardOf()).toEqual([]);
  expect(await bench.ledger.outsideScoresOf([id(50)])).toEqual([]);
});

test('names of tasks are made as names of benchmarks are, long ones too', async () => {
  const task = 'leaderboard_math_counting_and_prob_hard';
  const { evaluations } = await bring([
    outcomes('1101', { task }),
    outcomes('1101', { task: `${task}er`, digest: digest('b') }),
  ]);
  const names = evaluations.map(({ benchmark }) => benchmark);
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^lm-eval-leaderboard-math-[a-z0-9-]{1,15}$/);
});

test('no budget of evaluations is spent by it, and its checkpoint is kept', async () => {
  await bring([outcomes('1101')]);
  expect(await bench.ledger.evaluationCountOf('run-1')).toBe(0);
  expect([...(await bench.ledger.usesOf([id(50)])).evaluated]).toEqual([id(50)]);
});
