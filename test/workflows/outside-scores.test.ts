/** A score from outside reaches the gate that waits for it, by the update of a pipeline and by a question of the command line. */
import type { GateAnswer } from '../../activities/gate.ts';
import type { LeaderboardRow } from '../../decisions/leaderboard.ts';
import type { OutsideRow } from '../../decisions/outside-rows.ts';
import type { ShownScores } from '../../decisions/shown-scores.ts';
import { type Leaderboard, workflowNames } from '../../workflows/contract.ts';
import { eventually } from '../support/eventually.ts';
import { evaluatedSft, isBase, promotes, type Story } from '../support/stories.ts';
import { addition, recipeOf } from '../support/recipes.ts';
import { taskQueue, pageOf, untilState, benchOfFile, type WorkflowBench } from '../support/workflow-bench.ts';

const bench = benchOfFile();

const recipe = recipeOf([evaluatedSft], { benchmarks: { addition, public: { outside: true, problems: 50 } } });
const score = { checkpoint: 'a/sft/a1/checkpoint-50', benchmark: 'public', score: '40/50' };
const heldAt = { stage: 0, contenders: ['one'] };
const lacks: GateAnswer = {
  kind: 'hold',
  sentence: 'a score is lacking.',
  rows: [],
  heldAt,
  hearsScores: true,
};

/** Its gate holds until the ledger has a score. */
function waiting(id: string): Story {
  let isThere = false;
  return bench.tell(id, recipe, {
    judgeGate: ({ context }) => Promise.resolve(isBase(context) || isThere ? promotes(context) : lacks),
    recordScore: () => {
      isThere = true;
      return Promise.resolve(recorded(id));
    },
    answerQuestion: ({ question }) => {
      isThere = true;
      if (question !== 'import-eval') return Promise.resolve(recorded(id));
      const of = { checkpoint: score.checkpoint, evaluations: [] };
      return Promise.resolve({ answer: question, ...of, scores: [recorded(id)] });
    },
  });
}

const recorded = (id: string) =>
  ({
    answer: 'record-score',
    id: '0123',
    recorded: true,
    sentence: 'Recorded as 0123.',
    wakes: [`${id}/sft`, 'gone/sft'],
  }) as const;
const update = (run: Awaited<ReturnType<WorkflowBench['start']>>, input: object) =>
  run.executeUpdate<string, [object]>('recordScore', { args: [input] });

test('the update wakes a gate that waits: it judges again, and not as if a person had released it', async () => {
  const story = waiting('told');
  const run = await bench.start(story);
  await untilState(run, 'sft', 'held');
  expect(await update(run, score)).toBe('Recorded as 0123.');
  await run.result();
  expect(story.inputsOf('recordScore')).toEqual([{ score, pipeline: 'told' }]);
  expect(story.inputsOf('judgeGate').map(({ releases }) => releases)).toEqual([[], [], []]);
  expect(story.inputsOf('goOn').map(({ context, because }) => [context.phase.name, because])).toEqual([
    ['sft', 'What is known from outside has changed'],
  ]);
  expect(story.inputsOf('recordRelease')).toEqual([]);
});

const imported = {
  ...{ tool: 'lm-eval', task: 'gsm8k', metric: 'acc,none', settings: { fewShots: 5 }, source: 'samples.jsonl' },
  ...{ digest: 'a'.repeat(64), run: { digest: 'a'.repeat(64), parts: 1 } },
  ...{ found: { kind: 'outcomes', problems: ['0', '1'], right: '10' } },
};
const importing = { question: 'import-eval', checkpoint: score.checkpoint, benchmark: 'public', by: 'ann' };

const asks = (id: string, question: object) =>
  bench.client.workflow.execute(workflowNames.question, { workflowId: `${id}/question`, taskQueue, args: [question] });

test.each([
  { id: 'asked', question: { question: 'record-score', score } },
  { id: 'imported', question: { ...importing, results: [imported] } },
])('a question of the command line does the same: $question.question', async ({ id, question }) => {
  const story = waiting(id);
  const run = await bench.start(story);
  await untilState(run, 'sft', 'held');
  expect(await asks(id, question)).toMatchObject({ answer: question.question });
  await run.result();
});

describe('the page of the pipeline, and its query `leaderboard`', () => {
  const outsideOf = (minute: number, benchmarks: readonly string[]) => ({
    asOf: `2026-11-30T10:0${String(minute)}:00Z`,
    rows: benchmarks.map((benchmark): OutsideRow => ({
      ...{ phase: 'sft', step: 50, checkpoint: score.checkpoint, benchmark, version: 1 },
      ...{
        score: { mean: 0.8, low: 0.67, high: 0.888, runs: 1, problems: 50 },
        place: null,
        runtime: null,
        sources: [],
      },
    })),
  });
  const boardOf = async (id: string) => {
    const { rows, outside = [] } = await bench.client.workflow.getHandle(id).query<Leaderboard>('leaderboard');
    return { rows: rows.map(({ benchmark, mean }) => [benchmark, mean]), outside: outside.map((one) => one.benchmark) };
  };

  /** Held for a person; what comes in is what `shows` says, of the run that is given. */
  async function held(id: string, shows: (runId: string) => readonly ShownScores[]) {
    let runId = '';
    const shown = () => ({ ...recorded(id), wakes: [], shows: shows(runId) });
    const story = bench.tell(id, recipe, {
      judgeGate: ({ context }, times) =>
        Promise.resolve(
          isBase(context) || times > 2 ? promotes(context) : { ...lacks, outside: outsideOf(1, ['panel']) },
        ),
      recordScore: () => Promise.resolve(shown()),
      answerQuestion: ({ question }) =>
        Promise.resolve(
          question === 'import-eval'
            ? { answer: question, checkpoint: score.checkpoint, evaluations: [], scores: [], shows: shows(runId) }
            : shown(),
        ),
    });
    const run = await bench.start(story);
    ({ runId } = await run.describe());
    await untilState(run, 'sft', 'held');
    return run;
  }

  test('have what the gate looks at, and what comes in by the update', async () => {
    const run = await held('shown', (runId) => [
      { pipelineId: 'shown', runId, rows: [], outside: outsideOf(2, ['panel', 'public']) },
    ]);
    await eventually('the page has what the gate says', 60, async () => (await boardOf('shown')).outside.length === 1);
    expect(await boardOf('shown')).toMatchObject({ outside: ['panel'] });
    await update(run, score);
    expect(await boardOf('shown')).toMatchObject({ outside: ['panel', 'public'] });
    expect(await pageOf(bench.client, 'shown')).toMatch(/\| sft 50 on public\u2003 \| 50×1\u2003 \| 0\.800\u2003 /);
    await run.terminate('seen enough');
  });

  test('have what the command line imports, the newest of each; of what is older nothing', async () => {
    const results = [imported];
    let [mean, minute] = [0.25, 3];
    const run = await held('imports', (runId) => [
      {
        ...{ pipelineId: 'imports', runId, rows: [imports(mean)] },
        outside: outsideOf(minute, minute === 3 ? ['panel', 'public'] : ['panel']),
      },
      { pipelineId: 'gone', runId: 'gone', rows: [], outside: outsideOf(9, []) },
      { pipelineId: 'imports', runId: 'of-another-run', rows: [], outside: outsideOf(9, []) },
    ]);
    expect(await asks('imports', { ...importing, results })).not.toHaveProperty('shows');
    expect(await boardOf('imports')).toEqual({ rows: [['lm-eval-gsm8k', 0.25]], outside: ['panel', 'public'] });
    [mean, minute] = [0.5, 2];
    await asks('imports', { ...importing, results });
    expect(await boardOf('imports')).toEqual({ rows: [['lm-eval-gsm8k', 0.5]], outside: ['panel', 'public'] });
    await run.terminate('seen enough');
  });

  test('have each version of what was imported, and the one that stays when the other is withdrawn', async () => {
    let comesIn: Pick<ShownScores, 'rows' | 'outside'> = {
      rows: [imports(0.25), { ...imports(0.5), version: 2 }],
      outside: outsideOf(2, ['panel']),
    };
    const run = await held('versions', (runId) => [{ pipelineId: 'versions', runId, ...comesIn }]);
    await asks('versions', { ...importing, results: [imported] });
    expect((await boardOf('versions')).rows).toEqual([
      ['lm-eval-gsm8k', 0.25],
      ['lm-eval-gsm8k', 0.5],
    ]);
    const withdrawn = { checkpoint: score.checkpoint, benchmark: 'lm-eval-gsm8k', version: 2 };
    comesIn = { rows: [], outside: { ...outsideOf(3, []), changed: { keys: [withdrawn], total: 1 } } };
    await asks('versions', { ...importing, results: [imported] });
    expect((await boardOf('versions')).rows).toEqual([['lm-eval-gsm8k', 0.25]]);
    await run.terminate('seen enough');
  });

  const imports = (mean: number): LeaderboardRow => ({
    ...{ phase: 'sft', checkpoint: score.checkpoint, step: 50, benchmark: 'lm-eval-gsm8k', version: 1, problems: 4 },
    ...{ samples: 4, seeds: 1, mean, sdOverSeeds: null, low: 0, high: 1, passAtK: { k: 1, value: mean } },
    ...{ tokensPerSample: null, truncatedShare: 0, seconds: 0, gain: null, verdict: 'none', why: '' },
  });
});

test('a result of another harness that is none is refused with its field', async () => {
  const found = { ...imported.found, right: '1' };
  const refused = asks('no-result', { ...importing, results: [{ ...imported, found }] });
  await expect(refused).rejects.toMatchObject({
    cause: {
      type: 'InvalidInput',
      message: expect.stringMatching(/results\.0\.found.*has not as many answers as problems/) as string,
    },
  });
});

test('a score that comes while the gate judges is not missed', async () => {
  const story = bench.tell('meanwhile', recipe, {
    judgeGate: async ({ context }, times) => {
      if (isBase(context) || times > 2) return promotes(context);
      await bench.client.workflow.getHandle('meanwhile/sft').signal('scoreRecorded', { id: '0123' });
      return lacks;
    },
  });
  await (await bench.start(story)).result();
  expect(story.inputsOf('closePhase').map(({ state }) => state)).not.toContain('held');
});

test('a phase that is held for something else stays held', async () => {
  const story = bench.tell('other-hold', recipe, {
    judgeGate: ({ context }, times) =>
      Promise.resolve(
        isBase(context) || times > 2 ? promotes(context) : { kind: 'hold', sentence: 'a person must look.', rows: [] },
      ),
    recordScore: () => Promise.resolve(recorded('other-hold')),
  });
  const run = await bench.start(story);
  await untilState(run, 'sft', 'held');
  await update(run, score);
  expect((await untilState(run, 'sft', 'held')).note).toBe('held: a person must look.');
  await run.executeUpdate<string, [object]>('release', { args: [{}] });
  await run.result();
  expect(story.inputsOf('judgeGate')).toHaveLength(3);
});

test.each([
  { title: 'nothing', input: {}, why: 'checkpoint: is missing (a text)' },
  {
    title: 'a field that is none',
    input: { ...score, scores: 1 },
    why: 'scores: is no field here; did you mean "score"?',
  },
  {
    title: 'a benchmark that jobs evaluate',
    input: { ...score, benchmark: 'addition' },
    why: 'none named "addition" that is scored outside; there are: public',
  },
  {
    title: 'a score that may mean two things',
    input: { ...score, score: 40 },
    why: 'score: is 40, which may be percent or a count',
  },
])('the update refuses $title with the reason, before anything is recorded', async ({ title, input, why }) => {
  const story = waiting(`refused-${title.replaceAll(' ', '-')}`);
  const run = await bench.start(story);
  await untilState(run, 'sft', 'held');
  await expect(update(run, input)).rejects.toMatchObject({
    cause: { message: expect.stringContaining(why) as string },
  });
  expect(story.inputsOf('recordScore')).toEqual([]);
  await run.terminate('seen enough');
});
