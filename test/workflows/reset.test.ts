/** A pipeline or a phase that a person resets, as the menu of its page does: it goes on in a new run. */
import { childIds } from '../../workflows/contract.ts';
import { leastPhases, recipeOf } from '../support/recipes.ts';
import { completed, isBase, judged, runsOn, type Story } from '../support/stories.ts';
import { resetRun } from '../support/reset-run.ts';
import { benchOfFile, failureOf, type Run, statusOf, untilState } from '../support/workflow-bench.ts';

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
    await resetRun(bench.client.workflow.getHandle(childIds.phase(story.pipelineId, 'base')), to);
    await expectCompleted(run);
    const attempts = story.inputsOf('openAttempt').filter(({ context }) => isBase(context));
    expect(attempts).toHaveLength(to === 'first' ? 2 : 1);
  },
);
