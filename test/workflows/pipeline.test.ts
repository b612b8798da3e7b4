/** A pipeline from its input to its result, as a person sees it. */
import { TemperError } from '../../decisions/errors.ts';
import { leastPhases, recipeOf } from '../support/recipes.ts';
import { evaluatedSft, promotes, resolvedWith, rowOf, startingFrom } from '../support/stories.ts';
import { elsewhere } from './story-paths.ts';
import { eventually } from '../support/eventually.ts';
import { failureOf, pageOf, taskQueue, type Run, statusOf, benchOfFile } from '../support/workflow-bench.ts';

const bench = benchOfFile();

test.each([
  { throttleSeconds: 10, waits: 30 },
  { throttleSeconds: 120, waits: 300 },
])('a worker that beats every $throttleSeconds s is missed after $waits s', async ({ throttleSeconds, waits }) => {
  const recipe = recipeOf([]);
  const story = bench.tell(`beats-${String(throttleSeconds)}`, recipe, resolvedWith(recipe, { throttleSeconds }));
  await (await bench.start(story)).result();
  const { events } = await bench.client.workflow.getHandle(`${story.pipelineId}/base`).fetchHistory();
  const watched = events
    ?.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled ?? [])
    .find(({ activityType }) => activityType?.name === 'awaitJob');
  expect(Number(watched?.heartbeatTimeout?.seconds)).toBe(waits);
});

describe('the straight path', () => {
  const recipe = recipeOf([evaluatedSft, leastPhases.orpo]);

  test('runs the phases in their order, each from what the one before promoted', async () => {
    const story = bench.tell('straight', recipe);
    const run = await bench.start(story);
    const { promoted } = await run.result();
    expect(promoted.map(({ phase, outcome }) => [phase, outcome.state, outcome.score])).toEqual([
      ['base', 'completed', 0.5],
      ['sft', 'completed', 0.5],
      ['orpo', 'completed', 0.5],
    ]);
    const starts = story.inputsOf('openAttempt').map(({ context }) => [context.phase.name, context.start?.id]);
    expect(starts).toEqual([
      ['base', undefined],
      ['sft', 'straight/base/a1/checkpoint-0'],
      ['orpo', 'straight/sft/a1/checkpoint-50'],
    ]);
    expect(promoted[1]?.outcome.seconds.trainer).toEqual({ training: 6 });
    expect(story.inputsOf('closePipeline')).toEqual([
      { pipelineId: 'straight', runId: (await run.describe()).runId, state: 'completed' },
    ]);
    expect(story.inputsOf('stopJob')).toEqual([]);
  });

  test('evaluates each due checkpoint beside the training, once', async () => {
    const story = bench.tell('beside', recipe);
    await (await bench.start(story)).result();
    const evaluated = story.inputsOf('openEvaluation').flatMap(({ evaluations }) => evaluations);
    expect(evaluated.sort((one, other) => one.checkpoint.localeCompare(other.checkpoint))).toEqual(
      [20, 40, 50].map((step) => ({
        checkpoint: `beside/sft/a1/checkpoint-${String(step)}`,
        benchmark: 'addition',
        version: 1,
        seed: 1,
      })),
    );
  });

  test('or from what another pipeline promoted, and then without a base', async () => {
    const more = { ...recipeOf(), phases: [{ ...leastPhases.orpo, from: { checkpoint: 'demo/sft' } }] };
    const story = bench.tell('branch', more, startingFrom(more, { orpo: elsewhere }));
    const { promoted } = await (await bench.start(story)).result();
    expect(promoted.map(({ phase }) => phase)).toEqual(['orpo']);
    expect(story.inputsOf('openAttempt').map(({ context }) => context.start)).toEqual([elsewhere]);
  });

  test('a phase with `from` starts from that phase', async () => {
    const story = bench.tell('from', recipeOf([leastPhases.sft, { ...leastPhases.orpo, from: 'base' }]));
    await (await bench.start(story)).result();
    expect(story.inputsOf('openAttempt')[2]?.context.start?.id).toBe('from/base/a1/checkpoint-0');
  });
});

test('finished work is reused: no job, and the page says whose', async () => {
  const because = 'Finished work of yesterday (phase base). Promoted: the newest.';
  const story = bench.tell('reuse', recipeOf(), {
    findFinishedPhase: ({ phase, ...context }) => {
      const { checkpoint } = promotes({ ...context, phase }) as Extract<
        ReturnType<typeof promotes>,
        { kind: 'promote' }
      >;
      const row = rowOf({ ...context, phase }, 50);
      return Promise.resolve({ outcome: { state: 'reused', checkpoint, because, score: 0.4 }, rows: [row] });
    },
  });
  const run = await bench.start(story);
  const { promoted } = await run.result();
  expect(promoted.map(({ outcome }) => [outcome.state, outcome.because])).toEqual([
    ['reused', because],
    ['reused', because],
  ]);
  expect(story.inputsOf('submitJob')).toEqual([]);
  expect(await statusOf(run)).toMatchObject([{ state: 'reused', note: because }, { state: 'reused' }]);
  expect((await run.query<{ rows: unknown[] }>('leaderboard')).rows).toHaveLength(2);
});

describe('input that is not valid fails at once and names the field', () => {
  test.each<{ id: string; input: unknown; type: string; want: RegExp }>([
    {
      id: 'bad-text',
      input: 'tiny',
      type: 'InvalidInput',
      want: /the document: is "tiny", and must be a group of fields/,
    },
    {
      id: 'bad-key',
      input: { recipee: 'tiny' },
      type: 'InvalidInput',
      want: /^Input of postTrainingPipeline is not valid:\n {2}recipee: is no field here; did you mean "recipe"\?/,
    },
    { id: 'bad-type', input: { profile: 5 }, type: 'InvalidInput', want: /profile: is 5, and must be a text/ },
    {
      id: 'bad-recipe',
      input: { recipe: recipeOf([], { sede: 1 }) },
      type: 'invalid-input',
      want: /sede: is no field here; did you mean "seed"\?/,
    },
    {
      id: 'bad-set',
      input: { set: { 'phases.sft.params.step': 1 } },
      type: 'invalid-input',
      want: /phases\.sft\.params\.step: is no field here; did you mean "steps"\?/,
    },
  ])('$id', async ({ id, input, type, want }) => {
    const story = bench.tell(id, recipeOf());
    const failure = await failureOf(await bench.start(story, input as object));
    expect(failure).toEqual({ type, message: expect.stringMatching(want) as string });
    expect(story.inputsOf('openPipeline')).toEqual([]);
  });

  test('null and nothing are the empty input', async () => {
    const story = bench.tell('null', recipeOf([]));
    await (await bench.start(story, null as never)).result();
    expect(story.inputsOf('resolvePipeline')).toEqual([{}]);
  });
});

describe('queries', () => {
  let run: Run;
  beforeAll(async () => {
    const story = bench.tell('queries', recipeOf([evaluatedSft]), {
      judgeGate: ({ context }) => {
        const parent = rowOf(context, 0, {
          checkpoint: 'queries/base/a1/checkpoint-0',
          phase: 'base',
          verdict: 'none',
        });
        const own = [20, 50].map((step) => rowOf(context, step));
        return Promise.resolve(promotes(context, context.phase.kind === 'base' ? [] : [parent, ...own]));
      },
    });
    run = await bench.start(story, { set: { seed: 7 } });
    await run.result();
  });

  test('status: recipe, profile and where each phase stands', async () => {
    const sentence = 'Promoted queries/sft/a1/checkpoint-50: the newest.';
    expect(await run.query('status')).toEqual({
      recipe: 'small',
      profile: 'local',
      phases: [
        expect.objectContaining({ phase: 'base', kind: 'base', state: 'completed' }),
        { phase: 'sft', kind: 'sft', state: 'completed', attempt: 1, step: 50, of: 50, note: sentence, score: 0.5 },
      ],
    });
  });

  test('leaderboard: rows in the order of the phases and steps', async () => {
    const { rows } = await run.query<{ rows: { phase: string; step: number }[] }>('leaderboard');
    expect(rows.map(({ phase, step }) => [phase, step])).toEqual([
      ['base', 0],
      ['sft', 20],
      ['sft', 50],
    ]);
  });

  test('plan: the recipe as it was resolved, with what `set` changed', async () => {
    expect(await run.query('plan')).toMatchObject({
      recipe: { name: 'small', seed: 7, onFailure: 'hold' },
      source: 'inline',
      changed: ['seed'],
    });
  });
});

describe('a pipeline that fails', () => {
  test('says so in the words of the phase, and closes', async () => {
    const story = bench.tell('fails', recipeOf(), {
      judgeAttempt: () =>
        Promise.resolve({
          kind: 'fail',
          sentence: 'attempt 1 at step 0: config: the model is not there. Fails.',
          delaySeconds: 0,
        }),
    });
    const run = await bench.start(story);
    expect(await failureOf(run)).toEqual({
      type: 'PhaseFailed',
      message: 'Phase base failed: attempt 1 at step 0: config: the model is not there. Fails.',
    });
    expect(story.inputsOf('closePipeline')).toMatchObject([{ state: 'failed' }]);
    expect(story.inputsOf('closePhase')).toMatchObject([{ state: 'failed' }]);
    expect(await statusOf(run)).toMatchObject([{ state: 'failed' }, { state: 'waiting' }]);
  });

  test('also where an activity refuses for good, whose words are the run’s', async () => {
    const refusal = 'the disk of the store is full: free some';
    const story = bench.tell('refused', recipeOf([leastPhases.sft], { onFailure: 'fail' }), {
      openAttempt: () => Promise.reject(new TemperError('store-unusable', refusal)),
    });
    const failure = await failureOf(await bench.start(story));
    expect(failure).toEqual({ type: 'PhaseFailed', message: `Phase base failed: ${refusal}` });
    expect(story.inputsOf('closePhase')).toMatchObject([{ state: 'failed' }]);
  });
});

describe('runs that are not a pipeline’s own', () => {
  test.each(['trainPhase', 'evaluateCheckpoint'])('%s started by hand says what to start instead', async (type) => {
    const run = await bench.client.workflow.start(type, { workflowId: `by-hand-${type}`, taskQueue, args: [{}] });
    expect(await failureOf(run)).toEqual({
      type: 'InvalidInput',
      message: `${type} is started by postTrainingPipeline, not by hand: start that one with {"recipe": "<name>"}`,
    });
  });

  test('a phase waits while an earlier run of its id still closes', async () => {
    const earlier = await bench.client.workflow.start('blocker', { workflowId: 'nobody-busy/base', taskQueue: 'none' });
    const story = bench.tell('nobody-busy', recipeOf([]));
    const run = await bench.start(story);
    await story.called('openPipeline');
    await eventually('it waits', 60, async () =>
      ((await run.fetchHistory()).events ?? []).some((event) => event.timerStartedEventAttributes),
    );
    expect(story.inputsOf('openAttempt')).toEqual([]);
    await earlier.terminate();
    expect((await run.result()).promoted).toHaveLength(1);
  });
});

test('a job whose watch fails for good is stopped, whatever the reason', async () => {
  const story = bench.tell('watch-fails', recipeOf([], { onFailure: 'fail' }), {
    awaitJob: () => Promise.reject(new TemperError('ledger-conflict', 'checkpoint x is already recorded')),
  });
  const failure = await failureOf(await bench.start(story));
  expect(failure).toEqual({ type: 'PhaseFailed', message: 'Phase base failed: checkpoint x is already recorded' });
  expect(story.inputsOf('stopJob')).toMatchObject([{ reason: 'shutdown' }]);
});

describe('the page of the run', () => {
  const long = `a log line with <b>marks</b> | and [links](x) ${'and much more '.repeat(200)}`;

  test('is a table whose cells are set apart, with foreign text escaped, under 4 KB whatever it says', async () => {
    const phases = [evaluatedSft, ...(['a', 'b', 'c', 'd'] as const).map((name) => ({ ...leastPhases.orpo, name }))];
    const story = bench.tell('page', recipeOf(phases), {
      judgeGate: ({ context }) => Promise.resolve({ ...promotes(context), sentence: `${context.phase.name}: ${long}` }),
    });
    await (await bench.start(story)).result();
    const page = await pageOf(bench.client, 'page');
    expect(Buffer.byteLength(page)).toBeLessThan(4096);
    const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
    expect(rows).toHaveLength(1 + 6);
    const cells = rows.map((row) => row.split(/(?<!\\)\|/).slice(1, -1));
    expect(new Set(cells.map(({ length }) => length)).size).toBe(1);
    for (const cell of cells.flat()) expect(cell).toMatch(/\u2003 $/);
    expect(page).toContain('base: a log line with \\<b\\>marks\\</b\\> \\| and \\[links\\](x) and much more');
    expect(Buffer.byteLength(await pageOf(bench.client, 'page/sft'))).toBeLessThan(4096);
  });

  test('of a phase lists what was decided', async () => {
    expect(await pageOf(bench.client, 'queries/sft')).toBe(
      [
        '**sft** starts from `queries/base/a1/checkpoint-0`: **completed**, attempt 1, step 50 of 50',
        '',
        '- Starts at the start.',
        '- attempt 1 is complete at step 50',
        '- the last evaluations beside the training',
        '- Promoted queries/sft/a1/checkpoint-50: the newest.',
      ].join('\n'),
    );
  });
});

describe('search attributes', () => {
  test('say the state, the phase, the model and the score, where the server knows them', async () => {
    const story = bench.tell('attributes', recipeOf([]), {
      openPipeline: () => Promise.resolve({ searchAttributes: true }),
    });
    const run = await bench.start(story);
    await run.result();
    const { typedSearchAttributes } = await run.describe();
    const values = typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
    expect(Object.fromEntries(values)).toMatchObject({
      TemperState: 'completed',
      TemperPhase: 'base',
      TemperModel: 'tiny',
      TemperScore: 0.5,
    });
  });

  test('are left alone where it does not', async () => {
    const { typedSearchAttributes } = await bench.client.workflow.getHandle('queries').describe();
    const names = typedSearchAttributes.getAll().map(({ key }) => key.name);
    expect(names.filter((name) => name.startsWith('Temper'))).toEqual([]);
  });
});
