import { MockActivityEnvironment } from '@temporalio/testing';
import { createHash } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createActivities } from '../../activities/index.ts';
import { identityOfPhase } from '../../activities/phase-record.ts';
import { planOf } from '../../activities/plan.ts';
import { phaseSchema } from '../../configs/schema.ts';
import { activityBench, type ActivityBench, contextOf, runId } from '../support/activity-bench.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';
import { basePhase, type Document, leastPhases, recipeOf } from '../support/recipes.ts';

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

  test('an entry of the profile that counts for nothing is told with it', async () => {
    const profile = kubernetesProfile({ jobs: { default: { image: 'all:1' }, stf: { gpus: 8 } } });
    bench.dependencies.placeOf = () => ({ profile, store: bench.store, backend: bench.backend, home: '/temper' });
    const { warnings } = await bench.as(runId).resolvePipeline({ recipe: 'small' });
    expect(warnings).toEqual([expect.stringContaining('did you mean "sft"?')]);
  });

  test('a phase that is shortened below its evaluations starts, and is told as the plan tells it', async () => {
    const evaluated = { ...leastPhases.sft, evaluate: { every: 40, benchmarks: ['addition'] } };
    const input = { recipe: recipeOf([evaluated]), set: { 'phases.sft.params.steps': 20 } };
    const want = ['phases.sft.evaluate.every is 40, and the phase has 20 steps: only its last checkpoint is evaluated'];
    expect(await bench.as(runId).resolvePipeline(input)).toMatchObject({ warnings: want });
    expect(await planOf(bench.dependencies, input)).toMatchObject({ warnings: want });
  });

  test('the digest of each file of data, so that a changed file is other data', async () => {
    const path = join(bench.folder, 'sums.jsonl');
    await writeFile(path, '{"prompt": "1+1"}\n');
    const { dataDigests } = await bench.as(runId).resolvePipeline({ recipe: withJsonl(path) });
    expect(dataDigests).toEqual({ [path]: createHash('sha256').update('{"prompt": "1+1"}\n').digest('hex') });
  });

  test('a digest of what lies in the folder of its model, so that one changed in place is another model', async () => {
    const path = join(bench.folder, 'model');
    await mkdir(path);
    for (const name of ['config.json', 'model.safetensors']) await writeFile(join(path, name), '{"model_type": "x"}');
    const recipe = recipeOf([], { model: { path, format: 'hf' } });
    const resolve = async () => (await bench.as(runId).resolvePipeline({ recipe })).dataDigests;
    const before = await resolve();
    expect(await resolve()).toEqual(before);
    const weights = join(path, 'model.safetensors');
    await writeFile(weights, '{"model_type": "y"}'); // the same size
    await utimes(weights, new Date(), new Date('2026-11-30T00:00:00Z'));
    const after = await resolve();
    expect([Object.keys(after), after[path] === before[path]]).toEqual([[path], false]);

    const identity = (phase: Document, dataDigests: Readonly<Record<string, string>>) =>
      identityOfPhase(contextOf({ phase: phaseSchema.parse(phase), model: { path, format: 'hf' }, dataDigests }))
        .digest;
    expect(identity(basePhase, before)).not.toBe(identity(basePhase, after));
    // What follows knows its start by the digest of its content: the same bytes are the same work.
    expect(identity(leastPhases.sft, before)).toBe(identity(leastPhases.sft, after));
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
  expect(await activities.openPipeline({ ...run, resolved })).toEqual({ searchAttributes: true, runId: run.runId });
  await activities.openPipeline({ ...run, resolved });
  await activities.closePipeline({ ...run, state: 'completed' });
  await activities.closePipeline({ ...run, state: 'failed' });
  expect(await bench.ledger.pipelines()).toMatchObject([
    { workflowId: 'demo', runId: 'run-1', recipe: 'small', outcome: 'completed', resolved: { source: 'small.yaml' } },
  ]);
});
