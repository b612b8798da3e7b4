import { MockActivityEnvironment } from '@temporalio/testing';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createActivities } from '../../activities/index.ts';
import { activityBench, type ActivityBench, runId } from '../support/activity-bench.ts';
import { leastPhases, recipeOf } from '../support/recipes.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
  await mkdir(join(bench.folder, 'recipes'));
  await writeFile(join(bench.folder, 'recipes', 'small.yaml'), JSON.stringify(recipeOf()));
});
afterEach(() => bench.close());

const run = { pipelineId: 'demo', runId: 'run-1' };
const withJsonl = (jsonl: string) =>
  recipeOf([{ ...leastPhases.sft, data: { jsonl } }], {
    benchmarks: { addition: { data: { jsonl }, grader: 'exact-match' } },
  });

describe('resolvePipeline', () => {
  test('answers with what runs, every default filled in, where it came from and what was changed', async () => {
    const input = { recipe: 'small', set: { 'phases.sft.params.steps': 20 } };
    const resolved = await bench.as(runId).resolvePipeline(input);
    expect(resolved).toMatchObject({
      recipe: {
        name: 'small',
        onFailure: 'hold',
        phases: [{ name: 'base' }, { params: { steps: 20, maxLength: 64 } }],
      },
      profile: { name: 'local' },
      source: 'small.yaml',
      changed: ['phases.sft.params.steps'],
      dataDigests: {},
    });
  });

  test('the digest of each file of data, so that a changed file is other data', async () => {
    const path = join(bench.folder, 'sums.jsonl');
    await writeFile(path, '{"prompt": "1+1"}\n');
    const { dataDigests } = await bench.as(runId).resolvePipeline({ recipe: withJsonl(path) });
    expect(dataDigests).toEqual({ [path]: createHash('sha256').update('{"prompt": "1+1"}\n').digest('hex') });
  });

  test.each([
    {
      title: 'nothing',
      input: {},
      type: 'invalid-input',
      want: /^recipe: is missing; this worker has no default recipe/,
    },
    { title: 'an unknown recipe', input: { recipe: 'smal' }, type: 'not-found', want: /did you mean "small"\?/ },
    {
      title: 'a wrong field of a recipe',
      input: { recipe: recipeOf([], { sede: 1 }) },
      type: 'invalid-input',
      want: /sede: is no field here; did you mean "seed"\?/,
    },
    {
      title: 'a change of a phase that is not there',
      input: { recipe: 'small', set: { 'phases.stf.params.steps': 1 } },
      type: 'invalid-input',
      want: /did you mean "sft"\?/,
    },
    {
      title: 'data that is not there',
      input: { recipe: withJsonl('/nowhere/sums.jsonl') },
      type: 'not-found',
      want: /^phases\.sft\.data\.jsonl: \/nowhere\/sums\.jsonl cannot be read by the worker \(ENOENT\)$/,
    },
  ])('refuses $title for good, in words', async ({ input, type, want }) => {
    await expect(bench.as(runId).resolvePipeline(input)).rejects.toMatchObject({
      type,
      nonRetryable: true,
      message: expect.stringMatching(want) as string,
    });
  });

  test('an empty input starts what the worker names as its default', async () => {
    const activities = createActivities({ ...bench.dependencies, defaultRecipe: 'small' });
    const run: unknown = await new MockActivityEnvironment().run(
      (input: object) => activities.resolvePipeline(input),
      {},
    );
    expect(run).toMatchObject({ recipe: { name: 'small' } });
  });
});

test('a run is opened once and its first end stays', async () => {
  const activities = bench.as(runId);
  const resolved = await activities.resolvePipeline({ recipe: 'small' });
  expect(await activities.openPipeline({ ...run, resolved })).toEqual({ searchAttributes: true });
  await activities.openPipeline({ ...run, resolved });
  await activities.closePipeline({ ...run, state: 'completed' });
  await activities.closePipeline({ ...run, state: 'failed' });
  expect(await bench.ledger.pipelines()).toMatchObject([
    { workflowId: 'demo', runId: 'run-1', recipe: 'small', outcome: 'completed', resolved: { source: 'small.yaml' } },
  ]);
});
