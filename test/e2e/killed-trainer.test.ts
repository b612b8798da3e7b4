/**
 * A trainer that is killed goes on from its newest complete checkpoint, and ends as if nothing had happened: byte for byte. A killed
 * evaluation goes on with the problems that are done, and comes to the same outcomes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signalTrainer, startEmbedded, type Embedded, type Site } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { careless, shortRecipe } from '../support/short-recipe.ts';

const killed = ['sft', 'drgrpo'];
const state = ['adapter_model.safetensors', 'optimizer.pt', 'scheduler.pt', 'rng_state.pth'];

let embedded: Embedded;
/** The same recipe twice, in stores of their own: nothing is reused. */
let undisturbed: Site;
let disturbed: Site;

beforeAll(async () => {
  embedded = await startEmbedded();
  [undisturbed, disturbed] = [await embedded.site('undisturbed'), await embedded.site('disturbed')];
  await Promise.all([undisturbed.startWorker(), disturbed.startWorker()]);
});
afterAll(() => embedded.close());

/** Kills the first attempt of a phase as soon as it has something to go on from; its supervisor sees it die. */
async function killAfterFirstCheckpoint(phase: string): Promise<void> {
  const directory = disturbed.attempt('kill', phase);
  await eventually(`${phase} has a complete checkpoint`, 600, async () => {
    const checkpoints = await disturbed.runs.checkpoints(directory).catch(() => []);
    return checkpoints.some(({ level, step }) => level === 'complete' && step > 0);
  });
  await signalTrainer(directory, 'SIGKILL');
}

const outcomes = 'outcomes/0001.jsonl';
/** Large enough for several batches; the phase's only evaluation. */
const evaluated = {
  'benchmarks.addition.data.rows': 300,
  'benchmarks.addition.samples': 8,
  'benchmarks.addition.maxTokens': 60,
  'phases.sft.evaluate': { benchmarks: ['addition'], seeds: 1, maxSeeds: 1 },
};

/** Kills the evaluation of a phase when the first problems are done. */
async function killAfterFirstProblems(phase: string): Promise<void> {
  const directory = disturbed.evaluation('kill', phase);
  await eventually(`${phase} has outcomes of some problems`, 600, async () => {
    const kept = await disturbed.runs.text(directory, `${outcomes}.part`).catch(() => null);
    return kept !== null && kept !== '';
  });
  await signalTrainer(directory, 'SIGKILL');
}

/** What the ledger has of a checkpoint, but for the times it took. */
async function outcomesOf({ ledger }: Site, checkpoint: string): Promise<unknown> {
  const [evaluation] = await ledger.evaluationsOf([checkpoint]);
  return evaluation?.problems.map(({ seconds: _, ...outcome }) => outcome);
}

it('a killed trainer goes on as attempt 2, a killed evaluation too, and both end as in an undisturbed run', async () => {
  const recipe = await shortRecipe(['base', ...killed], { ...careless, ...evaluated });
  const expected = await undisturbed.start('calm', { recipe });
  const pipeline = await disturbed.start('kill', { recipe });
  await killAfterFirstCheckpoint('sft');
  await killAfterFirstProblems('sft');
  await killAfterFirstCheckpoint('drgrpo');
  const [ended] = await Promise.all([pipeline.result(), expected.result()]);
  expect(ended.promoted.map(({ outcome }) => outcome.state)).toEqual(['completed', 'completed', 'completed']);

  for (const phase of killed) {
    const attempts = await disturbed.ledger.attemptsOf({ workflowId: 'kill', phase });
    expect(attempts.map(({ number, state: of }) => [number, of])).toEqual([
      [1, 'failed'],
      [2, 'completed'],
    ]);
    const incidents = await disturbed.ledger.incidentsOf({ runId: pipeline.firstExecutionRunId, phase });
    expect(incidents.map(({ attempt, class: named }) => [attempt, named])).toEqual([[1, 'killed']]);
    const { resume } = attempts[1]?.request as { resume: { path: string; step: number } | null };
    expect(resume?.step).toBeGreaterThan(0);
    expect(resume?.path).toContain(disturbed.attempt('kill', phase));

    const last = `checkpoint-${String(phase === 'sft' ? 40 : 12)}`;
    for (const file of state) {
      const [got, want] = await Promise.all([
        readFile(join(disturbed.attempt('kill', phase, 2), 'checkpoints', last, file)),
        readFile(join(undisturbed.attempt('calm', phase), 'checkpoints', last, file)),
      ]);
      expect([phase, file, got.equals(want)]).toEqual([phase, file, true]);
    }
  }

  const evaluations = await disturbed.ledger.attemptsOf({ workflowId: 'kill', phase: 'sft', purpose: 'evaluate' });
  expect(evaluations.map(({ number, state: of }) => [number, of])).toEqual([
    [1, 'failed'],
    [2, 'completed'],
  ]);
  const keptAgain = (await disturbed.runs.text(disturbed.evaluation('kill', 'sft', 2), `${outcomes}.part`)) ?? '';
  const askedAgain = keptAgain.split('\n').length - 1;
  expect(askedAgain).toBeGreaterThan(0);
  expect(askedAgain).toBeLessThan(300);
  expect(await outcomesOf(disturbed, 'kill/sft/a2/checkpoint-40')).toEqual(
    await outcomesOf(undisturbed, 'calm/sft/a1/checkpoint-40'),
  );
});
