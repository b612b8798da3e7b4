/** What people ask of a running pipeline, in a real ledger: kept once, told by explain, and counted by what comes after. */
import type { ResolvedPipeline } from '../../workflows/contract.ts';
import { recipeSchema } from '../../configs/schema.ts';
import { activityBench, type ActivityBench, contextOf, runId, startAttempt } from '../support/activity-bench.ts';
import { fakeTrainer } from '../support/fake-trainer.ts';
import { leastPhases, recipeOf } from '../support/recipes.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
  await bench.as(runId).openPipeline({ pipelineId: 'demo', runId: 'run-1', resolved });
});
afterEach(() => bench.close());

const recipe = recipeSchema.parse(recipeOf([leastPhases.sft]));
const resolved = { recipe, profile: { name: 'local' }, changed: [], dataDigests: {} } as unknown as ResolvedPipeline;
const retry = { message: 'retryPhase', set: { 'params.steps': 60 } } as const;
const asked = {
  pipelineId: 'demo',
  runId: 'run-1',
  phase: 'sft',
  id: 'update-1',
  request: retry,
  by: { by: 'ann', reason: 'it diverged' },
};

/** Attempt 1 saves step 20, and is killed at step 23. */
async function killedOnce(): Promise<void> {
  const attempt = await startAttempt(bench);
  const trainer = fakeTrainer(attempt);
  await trainer.saves(20);
  await trainer.says(23, 'training');
  bench.backend.end(attempt.job, { exitCode: null, signal: 'SIGKILL', lastLines: [] });
  await bench.as(runId).judgeAttempt(attempt);
}

test('a phase that a person has begin anew goes on from none of its checkpoints; else it would', async () => {
  await killedOnce();
  const activities = bench.as('phase-run-2');
  expect(await activities.openAttempt({ context: contextOf(), opened: 1 })).toMatchObject({
    number: 2,
    resumeStep: 20,
  });
  await activities.recordSteering(asked);
  expect(await activities.openAttempt({ context: contextOf(), opened: 2 })).toMatchObject({ number: 3, resumeStep: 0 });
});

test('what was asked is kept once, with who, when and why, and explained', async () => {
  await killedOnce();
  await bench.as(runId).recordSteering(asked);
  await bench.as(runId).recordSteering(asked);
  const explained = await bench.ask({ question: 'explain', pipeline: 'demo' });
  const told = explained.phases.flatMap(({ events }) => events).filter(({ about }) => about === 'steering');
  expect(told).toMatchObject([
    { attempt: 1, sentence: 'ann had it begin anew from its start with params.steps 60: it diverged.' },
  ]);
});

test('what a hold stopped is told as such, with what it had reached, and not as a failure that is tried again', async () => {
  const attempt = await startAttempt(bench);
  const trainer = fakeTrainer(attempt);
  await trainer.saves(20);
  await trainer.says(23, 'training');
  await bench.as(runId).stopJob({ ...attempt, reason: 'hold' });
  expect(await bench.as(runId).judgeAttempt(attempt)).toMatchObject({
    step: 23,
    sentence: expect.stringMatching(
      /stopped by a hold at step 23\. Goes on from its newest checkpoint after a release; a hold costs no attempt\.$/,
    ) as string,
  });
  const told = async () => {
    const { phases } = await bench.ask({ question: 'explain', pipeline: 'demo' });
    return phases.flatMap(({ events }) => events.map(({ about, sentence }) => `${about}: ${sentence}`)).join('\n');
  };
  expect(await told()).toContain('attempt: Attempt 1: stopped by a hold after');
  expect(await told()).toContain('stopped by a hold at step 23; goes on from its newest checkpoint after a release.');
  expect(await told()).not.toMatch(/incident|retry|failed|interrupted/);
  // The next one is killed while it loads, and speaks of step 0: what was reached is not lost.
  const next = await startAttempt(bench, 2);
  expect(await told()).toContain('held until a person let it go on, then went on from step 20 as attempt 2; 3 steps');
  await fakeTrainer(next).says(0, 'starting');
  expect(await bench.as(runId).stopJob({ ...next, reason: 'hold' })).toEqual({ step: 20 });
  expect(await bench.as(runId).judgeAttempt(next)).toMatchObject({ step: 20 });
});

test('a changed recipe is checked as at the start', async () => {
  const activities = bench.as(runId);
  const { recipe: changed } = await activities.changeRecipe({ resolved, set: { 'phases.sft.params.steps': 60 } });
  expect(changed).toEqual({
    ...recipe,
    phases: recipe.phases.map((phase) =>
      phase.name === 'sft' ? { ...phase, params: { ...phase.params, steps: 60 } } : phase,
    ),
  });
  await expect(activities.changeRecipe({ resolved, set: { 'phases.sft.params.stepz': 60 } })).rejects.toThrow(
    /stepz: .*did you mean "steps"/,
  );
});

test('a checkpoint that a person names is one of the phase that lies there whole', async () => {
  await killedOnce();
  const activities = bench.as(runId);
  const name = (checkpoint: string) =>
    activities.nameCheckpoint({ runId: 'run-1', phase: 'sft', profile: 'local', checkpoint });
  const id = 'demo/sft/a1/checkpoint-20';
  expect(await name('sft-20')).toMatchObject({ id, step: 20 });
  expect(await name(id)).toMatchObject({ id, step: 20 });
  await expect(name('sft-30')).rejects.toThrow('phase "sft" has no checkpoint "sft-30"; there are: sft-20');
  await activities.recordSteering(asked);
  await expect(name('sft-20')).rejects.toThrow('there are: none');
});

test('a run that is started anew names those of the run before as well: it goes on with them, unless it trains something else', async () => {
  await killedOnce();
  const begun = async (run: string, phase = contextOf().phase) => {
    await startAttempt(bench, 1, { context: contextOf({ runId: run, phase }), run: `phase-of-${run}` });
    return await bench
      .as(runId)
      .nameCheckpoint({ runId: run, phase: 'sft', profile: 'local', checkpoint: 'sft-20' })
      .catch((error: unknown) => String(error));
  };
  expect(await begun('run-2')).toMatchObject({ id: 'demo/sft/a1/checkpoint-20' });
  const { recipe: other } = await bench.as(runId).changeRecipe({ resolved, set: { 'phases.sft.params.steps': 60 } });
  const [, changed] = other.phases;
  expect(await begun('run-3', changed)).toMatch(/has no checkpoint "sft-20"; there are: none$/);
  await bench.as(runId).recordSteering({ ...asked, runId: 'run-2' });
  expect(await begun('run-4')).toMatch(/there are: none$/);
});

test('a pruned checkpoint is no choice, and hides none of the same step from an attempt before', async () => {
  await killedOnce();
  const second = await startAttempt(bench, 2);
  await fakeTrainer(second).saves(20);
  await fakeTrainer(second).saves(40);
  bench.backend.end(second.job, { exitCode: null, signal: 'SIGKILL', lastLines: [] });
  await bench.as(runId).judgeAttempt(second);
  const id = (attempt: number, step: number) => `demo/sft/a${String(attempt)}/checkpoint-${String(step)}`;
  const name = (checkpoint: string) =>
    bench.as(runId).nameCheckpoint({ runId: 'run-1', phase: 'sft', profile: 'local', checkpoint });
  expect(await name('sft-20')).toMatchObject({ id: id(2, 20) });
  const pruned = [id(2, 20), id(2, 40)];
  const answer = pruned.map((one) => ({ id: one, bytes: 1, why: 'older' }));
  const at = '2026-11-29T12:00:00.000Z';
  const decision = { runId: 'run-1', phase: 'sft', attempt: null, key: 'k', question: 'prune', answer, evidence: null };
  await bench.ledger.giveUpCheckpoints(pruned, () => ({ ...decision, at }), at);
  expect(await name('sft-20')).toMatchObject({ id: id(1, 20) });
  await expect(name('sft-40')).rejects.toThrow(`${id(2, 40)} was pruned at 2026-11-29 12:00 UTC (there are newer`);
  await expect(name('sft-30')).rejects.toThrow(/there are: sft-20$/);
});
