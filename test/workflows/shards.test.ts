/** An evaluation that several jobs share: beside each other, each tried again alone, all stopped when one cannot be made. */
import { recipeOf } from '../support/recipes.ts';
import { type Answers, checkpointOf, evaluatedSft, runsOn, ticketOf } from '../support/stories.ts';
import { eventually } from '../support/eventually.ts';
import { pageOf, benchOfFile } from '../support/workflow-bench.ts';

const bench = benchOfFile();

const recipe = recipeOf([{ ...evaluatedSft, evaluate: { benchmarks: ['addition'] } }]);
const shared: Answers = {
  openEvaluation: ({ context, opened, shard }) =>
    Promise.resolve({
      ...ticketOf(context, opened),
      purpose: 'evaluate',
      dueSteps: [],
      shard: shard ?? { index: 0, of: 3 },
    }),
};

test('three jobs run at once, and the one that fails is opened again alone', async () => {
  const story = bench.tell('shards', recipe, {
    ...shared,
    judgeEvaluation: ({ ticket: { shard, number } }) =>
      Promise.resolve({
        kind: shard?.index === 1 && number === 2 ? 'again' : 'completed',
        sentence: 'told',
        delaySeconds: 1,
      }),
  });
  await (await bench.start(story)).result();
  const opened = story.inputsOf('openEvaluation').toSorted((one, other) => one.opened - other.opened);
  expect(opened.map((one) => [one.opened, one.shard?.index ?? 'first'])).toEqual([
    [1, 'first'],
    [2, 1],
    [3, 2],
    [4, 1],
  ]);
  const judged = story.inputsOf('judgeEvaluation').map(({ ticket, attempts }) => [ticket.shard?.index, attempts]);
  expect(judged).toContainEqual([1, [2, 4]]);
  const page = await pageOf(bench.client, 'shards/sft/evaluation-1');
  expect(page).toContain('shard 2 of 3: told');
});

test('when one cannot be made the jobs of the others are stopped, and the phase goes on', async () => {
  const story = bench.tell('shard-fails', recipe, {
    ...shared,
    awaitJob: ({ context, ticket: { shard, dueSteps, number }, seenSteps }) => {
      if (shard !== undefined && shard.index !== 1) return runsOn();
      const step = dueSteps.find((due) => !seenSteps.includes(due));
      if (step === undefined) return Promise.resolve({ kind: 'ended' });
      return Promise.resolve({ kind: 'checkpoint', checkpoint: checkpointOf(context, step, number) });
    },
    judgeEvaluation: () => Promise.resolve({ kind: 'fail', sentence: 'no such file', delaySeconds: 0 }),
  });
  const run = await bench.start(story);
  await eventually('both others are stopped', 60, () => Promise.resolve(story.inputsOf('stopJob').length === 2));
  const stopped = story.inputsOf('stopJob').map(({ reason, ticket }) => [ticket.shard?.index, reason]);
  expect(stopped).toEqual(
    expect.arrayContaining([
      [0, 'cancel'],
      [2, 'cancel'],
    ]),
  );
  expect((await run.result()).promoted[1]?.outcome.state).toBe('completed');
});
