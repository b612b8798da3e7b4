/** Scores from outside on a real ledger: what is refused, what counts once, and a gate that waits for them. */
import { answerActivities } from '../../activities/answers.ts';
import { scoreActivities } from '../../activities/scores.ts';
import { type Phase, phaseSchema, recipeSchema } from '../../configs/schema.ts';
import type { ScoreInput } from '../../configs/schema-score.ts';
import type { LeaderboardAnswer, Question, RecordedScore } from '../../workflows/contract-questions.ts';
import type { ResolvedPipeline } from '../../workflows/contract.ts';
import { activityBench, type ActivityBench, contextOf, runId, sft, startAttempt } from '../support/activity-bench.ts';
import { evaluation as evaluationBuilder } from '../support/builders.ts';
import { fakeTrainer } from '../support/fake-trainer.ts';
import { addition, recipeOf } from '../support/recipes.ts';

let bench: ActivityBench;
const id = (step: number) => `demo/sft/a1/checkpoint-${String(step)}`;
const benchmarks = { addition, public: { outside: true, problems: 50 }, panel: { outside: true } };

const gated = (...gate: object[]): Phase => {
  const { evaluate: _, ...rest } = sft;
  return phaseSchema.parse({ ...rest, gate });
};
const compare = { compare: { benchmark: 'public', by: 'mean' } };
const recipeWith = (phase: Phase, more = {}) => recipeSchema.parse(recipeOf([phase], { benchmarks, ...more }));
const contextWith = (phase: Phase) => contextOf({ phase, benchmarks: recipeWith(phase).benchmarks });

/** A pipeline `demo` whose sft saved a checkpoint at its end, before its gate. */
beforeEach(async () => {
  bench = await activityBench();
  await opens(gated(compare));
});
afterEach(() => bench.close());

async function opens(phase: Phase): Promise<void> {
  const resolved = { recipe: recipeWith(phase) } as unknown as ResolvedPipeline;
  await bench.as(runId).openPipeline({ pipelineId: 'demo', runId: 'run-1', resolved });
  const attempt = await startAttempt(bench, 1, { context: contextWith(phase) });
  const trainer = fakeTrainer(attempt);
  await trainer.saves(50);
  await trainer.finishes();
  bench.backend.end(attempt.job, {});
  await bench.as(runId).judgeAttempt(attempt);
}

const record = (change: Partial<ScoreInput> = {}, pipeline?: string): Promise<RecordedScore> =>
  bench
    .as(runId)
    .recordScore({ score: { checkpoint: id(50), benchmark: 'public', score: '40/50', ...change }, pipeline });
const ask = <Answer>(question: Question) =>
  answerActivities(bench.dependencies).answerQuestion(question) as Promise<Answer>;
const matching = (message: string | RegExp): string =>
  (typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message)) as string;
const judge = () => bench.as(runId).judgeGate({ context: contextWith(gated(compare)) });

test('a gate lacks its score, holds, and promotes when it has come in; the verdict names it', async () => {
  expect(await judge()).toMatchObject({ kind: 'hold', heldAt: { stage: 0, contenders: [id(50)] }, hearsScores: true });
  const { id: score, sentence, wakes } = await record({ source: 'round 3', by: 'ann' });
  expect(sentence).toBe(`Recorded as ${score}: public 80.0 % of 50 problems, from round 3 of ${id(50)}.`);
  expect(wakes).toEqual(['demo/sft']);
  bench.pass(60);
  expect(await judge()).toMatchObject({ kind: 'promote', checkpoint: { id: id(50) }, score: 0.8 });
  const verdicts = await bench.ledger.verdictsOf({ runId: 'run-1', phase: 'sft' });
  expect(verdicts.map(({ evidence }) => (evidence as { scores?: string[] }).scores)).toEqual([undefined, [score]]);
});

test('told twice it counts once, whoever tells it; from another source it is another run', async () => {
  const first = await record({ by: 'ann' });
  const again = await record({ by: 'bob' });
  expect(again).toMatchObject({ id: first.id, recorded: false });
  expect(again.sentence).toMatch(
    /^Nothing new: .* was recorded as \w{12} by ann at .* UTC\. Another run with the same score needs a source of its own\.$/,
  );
  await record({ source: 'round 4' });
  expect(await bench.ledger.outsideScoresOf([id(50)])).toHaveLength(2);
});

test('a correction stands for what it names, once; what was wrong stays to be read', async () => {
  const wrong = await record({ score: '4/50' });
  const right = await record({ corrects: wrong.id, note: 'a digit was lost' });
  expect(right.sentence).toContain(`, in place of ${wrong.id}: `);
  expect(await judge()).toMatchObject({ score: 0.8 });
  await expect(record({ score: '41/50', corrects: wrong.id, note: 'no' })).rejects.toMatchObject({
    type: 'ledger-conflict',
    message: `corrects: score "${wrong.id}" was corrected before, by "${right.id}": correct that one`,
  });
  expect((await bench.ledger.outsideScoresOf([id(50)])).map(({ score }) => score)).toEqual([0.08, 0.8]);
});

test('the page of its pipeline is told what changed, and how much there is in all, while it is open', async () => {
  const rowsOf = ({ shows = [] }: RecordedScore) =>
    shows.map(({ pipelineId, runId: run, outside: { rows, changed } }) => [
      ...[pipelineId, run, changed?.total],
      rows.map(({ checkpoint, benchmark, score, place }) => [checkpoint, benchmark, score?.mean ?? place]),
    ]);
  const wrong = await record({ score: '4/50' });
  expect(rowsOf(wrong)).toEqual([['demo', 'run-1', 1, [[id(50), 'public', 0.08]]]]);
  expect(rowsOf(await record({ benchmark: 'panel', score: undefined, place: 2 }))).toEqual([
    ['demo', 'run-1', 2, [[id(50), 'panel', 2]]],
  ]);
  const right = await record({ corrects: wrong.id, note: 'a digit was lost' });
  expect(rowsOf(right)).toEqual([['demo', 'run-1', 2, [[id(50), 'public', 0.8]]]]);
  expect((await judge()).outside).toMatchObject({ rows: [{ benchmark: 'panel' }, { benchmark: 'public' }] });
  await bench.as(runId).closePipeline({ pipelineId: 'demo', runId: 'run-1', state: 'completed' });
  expect(rowsOf(await record({ source: 'later' }))).toEqual([]);
});

test('no outcome per problem is loaded for it, however much of its checkpoint jobs have evaluated', async () => {
  const loads: (readonly string[])[] = [];
  const { ledger } = bench;
  const evaluationsOf = (checkpoints: readonly string[]) => {
    loads.push(checkpoints);
    return ledger.evaluationsOf(checkpoints);
  };
  const dependencies = { ...bench.dependencies, ledger: { ...ledger, evaluationsOf } };
  const evaluation = evaluationBuilder(id(50)).build();
  await ledger.recordEvaluation({ evaluation, runId: 'run-1', jobName: 'job', at: '2026-11-29T10:00:00Z' });
  const score = { checkpoint: id(50), benchmark: 'public', score: '40/50' };
  const { shows = [] } = await scoreActivities(dependencies).recordScore({ score });
  expect(shows).toMatchObject([{ rows: [], outside: { rows: [{ benchmark: 'public' }] } }]);
  expect(loads).toEqual([]);
});

test('what is corrected to another benchmark or checkpoint counts nowhere else', async () => {
  const wrong = await record();
  const right = await record({ benchmark: 'panel', corrects: wrong.id, note: 'it was the panel' });
  expect(right.wakes).toEqual(['demo/sft']);
  expect(await judge()).toMatchObject({ kind: 'hold' });
  const board = { question: 'leaderboard' as const };
  const { outside } = await ask<LeaderboardAnswer>(board);
  expect(outside).toMatchObject([{ benchmark: 'panel' }]);
  expect(await ask<LeaderboardAnswer>({ ...board, benchmark: 'public' })).toMatchObject({ outside: [] });
});

test.each<{ title: string; change: Partial<ScoreInput>; type: string; message: string | RegExp }>([
  {
    title: 'a checkpoint that nobody knows',
    change: { checkpoint: 'demo/sft/a1/checkpoint-60' },
    type: 'not-found',
    message: /^no checkpoint "demo\/sft\/a1\/checkpoint-60" is in the ledger/,
  },
  {
    title: 'a benchmark that jobs evaluate',
    change: { benchmark: 'addition' },
    type: 'invalid-input',
    message: /^benchmark: jobs evaluate "addition" themselves/,
  },
  {
    title: 'a benchmark that nobody knows',
    change: { benchmark: 'pubic' },
    type: 'not-found',
    message: 'benchmark: no "pubic" is scored outside; did you mean "public"? There are: public, panel',
  },
  {
    title: 'a score over nobody knows how many problems',
    change: { benchmark: 'panel', score: '80%' },
    type: 'invalid-input',
    message: 'problems: is missing: "panel" does not say how many problems it has',
  },
  {
    title: 'a correction of nothing',
    change: { corrects: 'abc', note: 'why' },
    type: 'not-found',
    message: 'corrects: no score "abc" is in the ledger',
  },
])('refuses $title, and records nothing', async ({ change, type, message }) => {
  await expect(record(change)).rejects.toMatchObject({ type, message: matching(message) });
  expect(await bench.ledger.outsideScoresOf([id(50)])).toEqual([]);
});

test('a benchmark of one name and version means one thing: another number of problems is refused', async () => {
  await record();
  const recipe = { ...recipeWith(gated(compare)), benchmarks: { public: { outside: true, version: 1, problems: 60 } } };
  await bench.as(runId).openPipeline({
    ...{ pipelineId: 'other', runId: 'run-2' },
    resolved: { recipe } as unknown as ResolvedPipeline,
  });
  await expect(record({ score: '48/60' }, 'other')).rejects.toMatchObject({
    message: expect.stringContaining('benchmarks.public.problems: is 60 and was 50 when version 1') as string,
  });
});

test('a pipeline whose recipe has no such benchmark is scored on one that a waiting gate named', async () => {
  const stranger = recipeWith(gated(), { benchmarks: { addition } });
  await bench.as(runId).openPipeline({
    ...{ pipelineId: 'plain', runId: 'run-3' },
    resolved: { recipe: stranger } as unknown as ResolvedPipeline,
  });
  await judge();
  expect(await record({}, 'plain')).toMatchObject({ recorded: true });
});

test('of a pipeline that has ended a score is kept, and wakes nobody', async () => {
  await bench.as(runId).closePipeline({ pipelineId: 'demo', runId: 'run-1', state: 'completed' });
  expect(await record()).toMatchObject({ recorded: true, wakes: [] });
});

test('the command line asks for it as a question', async () => {
  const score = { checkpoint: id(50), benchmark: 'public', place: 2 };
  const answer = await answerActivities(bench.dependencies).answerQuestion({ question: 'record-score', score });
  expect(answer).toMatchObject({
    answer: 'record-score',
    sentence: expect.stringMatching(/public place 2 of /) as string,
  });
});
