/** A pipeline or a phase that a person resets, as the menu of its page does: it goes on in a new run. */
import { Worker } from '@temporalio/worker';
import type { LeaderboardRow } from '../../decisions/leaderboard.ts';
import { childIds } from '../../workflows/contract.ts';
import { leastPhases, recipeOf } from '../support/recipes.ts';
import { completed, isBase, judged, promotes, rowOf, runsOn, type Story } from '../support/stories.ts';
import { resetRun } from '../support/reset-run.ts';
import {
  benchOfFile,
  failureOf,
  type Run,
  send,
  statusOf,
  untilState,
  workflowBundle,
} from '../support/workflow-bench.ts';

const bench = benchOfFile();
const recipe = recipeOf([leastPhases.sft], { onFailure: 'fail' });
const bothCompleted = ['completed', 'completed'];

/** Also as the page tells it. */
async function expectCompleted(run: Run): Promise<void> {
  expect((await run.result()).promoted.map(({ outcome }) => outcome.state)).toEqual(bothCompleted);
  expect((await statusOf(run)).map(({ state }) => state)).toEqual(bothCompleted);
}

/** By run id. */
const opensOf = (story: Story) => story.inputsOf('openPipeline').map(({ runId }) => runId);
const endsOf = (story: Story) => story.inputsOf('closePipeline').map(({ runId, state }) => [runId, state]);

test('while a phase runs: the new run goes on with it, and hears of it', async () => {
  const { promise: trained, resolve: train } = Promise.withResolvers<{ kind: 'ended' }>();
  const story = bench.tell('goes-on', recipe, {
    awaitJob: async ({ context }) => (isBase(context) ? await trained : { kind: 'ended' }),
  });
  const run = await bench.start(story);
  await untilState(run, 'base', 'running');
  const again = await resetRun(run, 'last');
  train({ kind: 'ended' });
  await expectCompleted(again);
  expect(story.inputsOf('openAttempt')).toHaveLength(2);
  expect(endsOf(story)).toEqual([[opensOf(story)[0], 'completed']]);
});

test('to its start, while a phase runs: that one is cancelled, and the new run begins at the first', async () => {
  const story = bench.tell('from-the-start', recipe, {
    awaitJob: async (_, times) => (times === 1 ? await runsOn() : { kind: 'ended' }),
  });
  const run = await bench.start(story);
  await untilState(run, 'base', 'running');
  await story.called('awaitJob'); // else the new run's is the first
  const again = await resetRun(run, 'first');
  await expectCompleted(again);
  const [first, second] = opensOf(story);
  expect(second).not.toBe(first);
  expect(endsOf(story)).toEqual([[second, 'completed']]);
});

test('to before a phase that failed for good: it is tried again, and what was finished before stays', async () => {
  let failures = 0;
  const story = bench.tell('tried-again', recipe, {
    judgeAttempt: ({ context }) =>
      Promise.resolve(!isBase(context) && (failures += 1) === 1 ? judged('fail') : completed),
  });
  const run = await bench.start(story);
  await failureOf(run);
  await expectCompleted(await resetRun(run, { child: `${story.pipelineId}/sft` }));
  expect(story.inputsOf('openAttempt').map(({ context }) => context.phase.name)).toEqual(['base', 'sft', 'sft']);
  const [opened] = opensOf(story);
  expect(endsOf(story)).toEqual([
    [opened, 'failed'],
    [opened, 'completed'],
  ]);
});

test.each(['first', 'last'] as const)(
  'a phase itself, to its %s answer while its job runs: its pipeline goes on with the new run',
  async (to) => {
    const story = bench.tell(`phase-${to}`, recipe, {
      awaitJob: async (_, times) => (times === 1 ? await runsOn() : { kind: 'ended' }),
    });
    const run = await bench.start(story);
    await untilState(run, 'base', 'running');
    await story.called('awaitJob'); // else the new run's is the first
    await resetRun(bench.client.workflow.getHandle(childIds.phase(story.pipelineId, 'base')), to);
    await expectCompleted(run);
    const attempts = story.inputsOf('openAttempt').filter(({ context }) => isBase(context));
    expect(attempts).toHaveLength(to === 'first' ? 2 : 1);
  },
);

/** What a worker that has forgotten the run makes of its history; null where all is as it was. */
async function problemOf(run: Run): Promise<string | null> {
  const histories = [{ workflowId: run.workflowId, history: await run.fetchHistory() }];
  for await (const { error } of Worker.runReplayHistories({ workflowBundle: await workflowBundle() }, histories))
    return error?.message ?? null;
  return 'it was not replayed';
}

test('to before what a person asked: that is not done again, nothing of before is on its page, and another worker can go on with it', async () => {
  const { promise: trained, resolve: train } = Promise.withResolvers<{ kind: 'ended' }>();
  const story = bench.tell('asked-before', recipeOf([leastPhases.sft, leastPhases.orpo], { onFailure: 'fail' }), {
    // Of sft the first is held, and the one after the reset waits for the test.
    awaitJob: async (_, times) => (times === 2 ? await runsOn() : times === 5 ? await trained : { kind: 'ended' }),
    judgeAttempt: (_, times) => Promise.resolve(times === 2 ? judged('resume') : completed),
    judgeGate: ({ context }) => Promise.resolve(promotes(context, [rowOf(context, 50, { verdict: 'promote' })])),
  });
  const rowsOf = async (of: Run) =>
    (await of.query<{ rows: readonly LeaderboardRow[] }>('leaderboard')).rows.map(({ phase }) => phase);
  const run = await bench.start(story);
  await story.called('awaitJob', 2);
  await send(run, 'hold', { by: 'ann', reason: 'its place is needed' });
  await untilState(run, 'sft', 'held');
  await send(run, 'release');
  await run.result();
  expect(await rowsOf(run)).toEqual(['base', 'sft', 'orpo']);

  const again = await resetRun(run, { child: `${story.pipelineId}/sft` });
  await story.called('awaitJob', 5);
  await untilState(again, 'sft', 'running');
  expect(await statusOf(again)).toMatchObject([{ state: 'completed' }, { state: 'running' }, { state: 'waiting' }]);
  expect(await rowsOf(again)).toEqual(['base']);
  expect(await problemOf(again)).toBeNull();
  // What is asked from now on is done.
  await send(again, 'hold', { phase: 'orpo' });
  train({ kind: 'ended' });
  await untilState(again, 'orpo', 'held');
  await send(again, 'release');
  await again.result();
  expect(story.inputsOf('recordSteering').map(({ phase }) => phase)).toEqual(['sft', 'orpo']);
  expect(await problemOf(again)).toBeNull();
});

describe('a phase itself, to before a hold', () => {
  const ofPhase = (story: Story) => bench.client.workflow.getHandle(childIds.phase(story.pipelineId, 'sft'));

  test('that is over: it is not held again, and nothing is stopped for it', async () => {
    const story = bench.tell('before-a-hold', recipe, {
      // The first job of sft is held; the reset finds the one after it.
      awaitJob: async (_, times) => (times === 2 || times === 3 ? await runsOn() : { kind: 'ended' }),
      judgeAttempt: (_, times) => Promise.resolve(times === 2 ? judged('resume') : completed),
    });
    const run = await bench.start(story);
    await story.called('awaitJob', 2);
    await send(run, 'hold', { by: 'ann', reason: 'its place is needed' });
    await untilState(run, 'sft', 'held');
    await send(run, 'release');
    await story.called('awaitJob', 3);
    await resetRun(ofPhase(story), 'first');
    await expectCompleted(run);
    expect(story.inputsOf('closePhase').map(({ state }) => state)).toEqual(['held']);
    expect(story.inputsOf('openAttempt')).toHaveLength(4);
  });

  test('that has not come yet: it is held all the same', async () => {
    const { promise: saved, resolve: save } = Promise.withResolvers<{ step: null }>();
    const story = bench.tell('before-it-is-held', recipe, {
      awaitJob: async (_, times) => (times === 2 ? await runsOn() : { kind: 'ended' }),
      stopJob: async (_, times) => (times === 1 ? await saved : { step: null }),
    });
    const run = await bench.start(story);
    await story.called('awaitJob', 2);
    await send(run, 'hold', { by: 'ann' });
    await story.called('stopJob');
    await resetRun(ofPhase(story), 'first');
    save({ step: null });
    await untilState(run, 'sft', 'held');
    await send(run, 'release');
    await expectCompleted(run);
  });
});
