/** A pipeline that starts from what another promoted: what is refused, what the plan says, and what counts as the same work. */
import { identityOfPhase } from '../../activities/phase-record.ts';
import { createRunStore } from '../../store/run-store.ts';
import { planText } from '../../workers/terminal/plan-text.ts';
import { cut } from '../store/checkpoint-fixtures.ts';
import { activityBench, type ActivityBench, contextOf, runId } from '../support/activity-bench.ts';
import { promotedPipeline, type PromotedPipeline } from '../support/promoted-pipeline.ts';
import { type Document, leastPhases, recipeOf } from '../support/recipes.ts';

let bench: ActivityBench;
let made: PromotedPipeline;
beforeEach(async () => {
  bench = await activityBench();
  made = await promotedPipeline(bench);
});
afterEach(() => bench.close());

/** 200 steps more of what is named. */
function branch(checkpoint: string, more: Document = {}): Document {
  return {
    ...recipeOf(),
    name: 'more',
    phases: [{ ...leastPhases.orpo, name: 'more', from: { checkpoint } }],
    ...more,
  };
}
const resolve = (recipe: Document) => bench.as(runId).resolvePipeline({ recipe });
const plan = (recipe: Document) => bench.ask({ question: 'plan', input: { recipe } });

test.each(['pipeline/phase', 'id', 'path'])('by %s, the sealed checkpoint is resolved with its digest', async (how) => {
  const named = { 'pipeline/phase': 'demo/sft', id: made.sft.id, path: made.sft.path }[how] ?? '';
  const { starts } = await resolve(branch(named));
  expect(starts).toEqual({ more: made.sft });
  expect(made.sft).toMatchObject({
    format: 'peft',
    base: made.base.path,
    digest: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
  });
});

test('a recipe that starts from nothing else has no such field: older histories are as they were', async () => {
  expect(await resolve(recipeOf())).not.toHaveProperty('starts');
});

test('the plan says what it starts from, and refuses what the start would', async () => {
  const told = await plan(branch('demo/sft'));
  expect(told.phases).toMatchObject([{ phase: 'more', startsFrom: made.sft.id, plan: { would: 'run' } }]);
  expect(planText(told)).toContain(`Starts from ${made.sft.id}.`);
  await expect(plan(branch('demo/stf'))).rejects.toThrow(
    /^phases\.more\.from\.checkpoint: no checkpoint "demo\/stf".*did you mean "demo\/sft"\?/,
  );
});

const refusals: {
  title: string;
  named?: string;
  prepare?: () => Promise<void>;
  more?: Document;
  code?: string;
  want: RegExp;
}[] = [
  { title: 'a pipeline that nobody knows', named: 'dmeo/sft', want: /did you mean "demo\/sft"/, code: 'not-found' },
  {
    title: 'one that was not promoted',
    named: 'demo/sft/a1/checkpoint-20',
    want: /a1\/checkpoint-20 was not promoted, and only what a gate let through/,
  },
  {
    title: 'a phase that rejected its own',
    prepare: () => {
      const start = made.base;
      const context = contextOf({ start, runId: 'run-1' });
      return bench.as(runId).closePhase({ context, state: 'rejected', because: 'why', checkpoint: start });
    },
    want: /demo\/sft \(run run-1\) rejected all of its own checkpoints and kept what it started from: name demo\/base\/a1\/checkpoint-160 itself/,
  },
  {
    title: 'a phase that was skipped',
    prepare: () => {
      const start = made.base;
      const context = contextOf({ start, runId: 'run-1' });
      return bench.as(runId).closePhase({ context, state: 'skipped', because: 'why', checkpoint: start });
    },
    want: /demo\/sft \(run run-1\) was skipped and kept what it started from: name demo\/base\/a1\/checkpoint-160 itself/,
  },
  {
    title: 'files that were changed',
    prepare: () => cut(`${made.sft.path}/adapter_model.safetensors`),
    want: /is not what was sealed any more/,
    code: 'checkpoint-damaged',
  },
  {
    title: 'an adapter whose model is damaged',
    prepare: () => cut(`${made.base.path}/model.safetensors`),
    want: /or the model below it, is not what was sealed/,
    code: 'checkpoint-damaged',
  },
  {
    title: 'another model',
    more: { model: { tiny: { seed: 9 } } },
    want: /was made from the model \{"tiny":\{"seed":1\}\}, and this recipe’s is \{"tiny":\{"seed":9\}\}/,
  },
  {
    title: 'another store',
    prepare: () => {
      const place = bench.dependencies.placeOf(undefined);
      const store = { ...bench.store, holds: (path: string) => createRunStore('/another').holds(path) };
      bench.dependencies.placeOf = () => ({ ...place, store });
      return Promise.resolve();
    },
    want: /lies in another store than this profile’s/,
  },
];
test.each(refusals)(
  '$title is refused with the field',
  async ({ named = 'demo/sft', prepare, more, code = 'invalid-input', want }) => {
    await prepare?.();
    const refused = resolve(branch(named, more));
    await expect(refused).rejects.toMatchObject({ type: code, nonRetryable: true });
    await expect(refused).rejects.toThrow(/^phases\.more\.from\.checkpoint: /);
    await expect(refused).rejects.toThrow(want);
  },
);

test('the same start is the same work in whatever pipeline; another start is other work', () => {
  const digestOf = (start: PromotedPipeline['sft'], pipelineId: string) =>
    identityOfPhase(contextOf({ start, pipelineId })).digest;
  expect(digestOf(made.sft, 'one')).toBe(digestOf({ ...made.sft, id: 'elsewhere/sft/a1/checkpoint-50' }, 'two'));
  expect(digestOf(made.sft, 'one')).not.toBe(digestOf(made.base, 'one'));
});
