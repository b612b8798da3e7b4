/** A phase whose scores fall while it trains: it is stopped, held or told, and its gate looks at what came before. */
import { TemperError } from '../../decisions/errors.ts';
import { type Document, recipeOf } from '../support/recipes.ts';
import { completed, evaluatedSft, isBase, judged, tellingSomebody } from '../support/stories.ts';
import { failureOf, pageOf, untilState, benchOfFile } from '../support/workflow-bench.ts';
import { collapse, evaluatedAtTheFall, falling } from './collapse-paths.ts';

const bench = benchOfFile();

const recipeThat = (onCollapse: string, more: Document = {}) => recipeOf([{ ...evaluatedSft, onCollapse }], more);

test('is stopped, and its gate promotes what came before the fall; nothing is trained after', async () => {
  const story = bench.tell('stops', recipeThat('stop'), {
    ...falling,
    // The worker dies under the stop: it is done again, and nothing else is.
    stopJob: (_, times) => (times === 1 ? Promise.reject(new Error('killed')) : Promise.resolve({ step: 43 })),
  });
  const run = await bench.start(story);
  const { promoted } = await run.result();
  expect(promoted[1]?.outcome).toMatchObject({ state: 'completed', checkpoint: { step: 20 } });
  expect(story.inputsOf('stopJob').map(({ reason, ticket }) => [reason, ticket.title])).toEqual([
    ['collapse', 'sft'],
    ['collapse', 'sft'],
  ]);
  expect(story.inputsOf('openAttempt')).toHaveLength(2);
  expect(story.inputsOf('judgeGate').at(-1)?.upTo).toEqual(collapse.goBackTo);
  expect(await pageOf(bench.client, 'stops/sft')).toContain('- The run is collapsing at step 40');
});

test('evaluations of what has fallen do not outlive its training: nobody waits for them', async () => {
  const story = bench.tell('abandons', recipeThat('stop'), evaluatedAtTheFall);
  const { promoted } = await (await bench.start(story)).result();
  expect(promoted[1]?.outcome).toMatchObject({ state: 'completed', checkpoint: { step: 20 } });
  expect(story.inputsOf('stopJob').map(({ reason, ticket }) => [reason, ticket.title])).toEqual([
    ['collapse', 'sft'],
    ['cancel', 'evaluation'],
  ]);
  expect(await pageOf(bench.client, 'abandons/sft')).toContain(
    'sft step 50: evaluation on addition: stopped, the run has fallen',
  );
});

test('is held with the reason, and a person who releases it lets it train on, and be judged by its gate as any', async () => {
  const story = bench.tell('holds', recipeThat('hold'), falling);
  const run = await bench.start(story);
  expect((await untilState(run, 'sft', 'held')).note).toBe(`held: ${collapse.sentence}`);
  expect(story.inputsOf('stopJob')).toMatchObject([{ reason: 'collapse' }]);
  await run.executeUpdate<string, [object]>('release', { args: [{}] });
  expect((await run.result()).promoted[1]?.outcome.checkpoint.step).toBe(50);
  expect(story.inputsOf('openAttempt').map(({ opened }) => opened)).toEqual([1, 1, 2]);
  expect(story.inputsOf('judgeGate').at(-1)).not.toHaveProperty('upTo');
  expect(story.inputsOf('judgeCollapse')).toHaveLength(2);
  expect(story.inputsOf('recordRelease')).toMatchObject([{ heldFor: 'collapse' }]);
  expect(story.inputsOf('recordRelease')[0]).not.toHaveProperty('nobodyCame');
});

test('is held also where failures end the pipeline: a person is asked before anything is lost', async () => {
  const story = bench.tell('holds-anyway', recipeThat('hold', { onFailure: 'fail' }), falling);
  const run = await bench.start(story);
  expect((await untilState(run, 'sft', 'held')).note).toBe(`held: ${collapse.sentence}`);
  await run.executeUpdate<string, [object]>('release', { args: [{}] });
  expect((await run.result()).promoted[1]?.outcome.checkpoint.step).toBe(50);
});

test.each([
  { then: 'highest', state: 'completed', step: 20 },
  { then: 'keep-parent', state: 'rejected', step: 0 },
])('is held, and nobody comes: $then', async ({ then, state, step }) => {
  const story = bench.tell(`nobody-${then}`, recipeThat('hold', { hold: { then } }), falling);
  const { promoted } = await (await bench.start(story)).result();
  expect(promoted[1]?.outcome).toMatchObject({ state, checkpoint: { step } });
  expect(story.inputsOf('openAttempt')).toHaveLength(2);
  expect(story.inputsOf('recordRelease')).toMatchObject([{ heldFor: 'collapse', nobodyCame: then }]);
});

test('is held, and nobody comes: it fails where the recipe says nothing else', async () => {
  const story = bench.tell('nobody-else', recipeThat('hold'), falling);
  expect((await failureOf(await bench.start(story))).message).toContain('Go back to step 20.; held for 24 hours');
});

test('trains on where it is only told, once, and the gate looks at all', async () => {
  const recipe = recipeThat('tell');
  const story = bench.tell('tells', recipe, {
    ...tellingSomebody(recipe),
    judgeCollapse: (_, times) => Promise.resolve(times > 1 ? collapse : null),
  });
  await (await bench.start(story)).result();
  await story.called('notify');
  expect(story.inputsOf('notify')).toMatchObject([
    { event: 'collapse', cause: `${collapse.sentence} It trains on (onCollapse: tell).` },
  ]);
  expect(story.inputsOf('stopJob')).toEqual([]);
  expect(story.inputsOf('judgeGate').at(-1)).not.toHaveProperty('upTo');
});

test('is judged after each evaluation, and goes on while it does not fall', async () => {
  const story = bench.tell('flat', recipeThat('stop'));
  await (await bench.start(story)).result();
  expect(story.inputsOf('judgeCollapse')).toHaveLength(3);
  expect(story.inputsOf('stopJob')).toEqual([]);
});

test('a fall that is seen when the training is over stops nothing, and what fell is no candidate', async () => {
  const story = bench.tell('late', recipeThat('stop'), {
    judgeCollapse: (_, times) => Promise.resolve(times === 3 ? collapse : null),
    judgeGate: falling.judgeGate,
  });
  expect((await (await bench.start(story)).result()).promoted[1]?.outcome.checkpoint.step).toBe(20);
  expect(story.inputsOf('stopJob')).toEqual([]);
});

test('of an attempt that fails by itself when it has fallen none follows', async () => {
  const story = bench.tell('fails-too', recipeThat('stop'), {
    ...falling,
    judgeAttempt: ({ context }) => Promise.resolve(isBase(context) ? completed : judged('fail')),
  });
  expect((await (await bench.start(story)).result()).promoted[1]?.outcome.checkpoint.step).toBe(20);
  expect(story.inputsOf('openAttempt')).toHaveLength(2);
});

test('what cannot be judged is no collapse: it trains on, and says so', async () => {
  const story = bench.tell('unjudged', recipeThat('stop'), {
    judgeCollapse: () => Promise.reject(new TemperError('ledger-conflict', 'the ledger says no')),
  });
  const run = await bench.start(story);
  expect((await run.result()).promoted[1]?.outcome.checkpoint.step).toBe(50);
  expect(await pageOf(bench.client, 'unjudged/sft')).toContain(
    'whether it goes bad cannot be judged: the ledger says no',
  );
});

test('an older pipeline asks nothing of the rule', async () => {
  const recipe = recipeOf([evaluatedSft]);
  const told = tellingSomebody(recipe);
  const story = bench.tell('of-before', recipe, {
    resolvePipeline: async (input, times) => {
      const resolved = await told.resolvePipeline?.(input, times);
      return JSON.parse(JSON.stringify(resolved).replaceAll('"onCollapse":"tell",', '')) as never;
    },
  });
  await (await bench.start(story)).result();
  expect(story.inputsOf('judgeCollapse')).toEqual([]);
});
