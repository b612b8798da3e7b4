/** A trainer that is killed goes on from its newest complete checkpoint, and ends as if nothing had happened: byte for byte. */
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
  await eventually(`${phase} has a complete checkpoint`, 240, async () => {
    const checkpoints = await disturbed.runs.checkpoints(directory).catch(() => []);
    return checkpoints.some(({ level, step }) => level === 'complete' && step > 0);
  });
  await signalTrainer(directory, 'SIGKILL');
}

it('a killed trainer goes on as attempt 2, and its last checkpoint is the one of an undisturbed run', async () => {
  const recipe = await shortRecipe(['base', ...killed], careless);
  const expected = await undisturbed.start('calm', { recipe });
  const pipeline = await disturbed.start('kill', { recipe });
  for (const phase of killed) await killAfterFirstCheckpoint(phase);
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
});
