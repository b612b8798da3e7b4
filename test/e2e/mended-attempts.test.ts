/**
 * What a real trainer dies of is mended in its next attempts: half the micro-batch, then the last finite checkpoint. One that stands
 * still is stopped, and goes on.
 */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../../scripts/repository.ts';
import { readSettings } from '../../workers/settings.ts';
import { signalTrainer, startEmbedded, untilStep, type Embedded, type Site } from '../support/embedded.ts';
import { careless, shortRecipe } from '../support/short-recipe.ts';

let embedded: Embedded;
let site: Site;

beforeAll(async () => {
  embedded = await startEmbedded();
  const python = join(embedded.folder, 'python-of-a-bad-machine');
  const mishaps = join(repository, 'test', 'support', 'mishaps.py');
  await writeFile(python, `#!/bin/sh\nexec '${readSettings(process.env).python}' '${mishaps}' "$@"\n`);
  await chmod(python, 0o755);
  site = await embedded.site('mended', { TEMPER_PYTHON: python });
  await site.startWorker();
});
afterAll(() => embedded.close());

it('out of memory, then numbers that are not finite: attempt 3 ends where it should, with both changes', async () => {
  const pipeline = await site.start('mended', { recipe: await shortRecipe(['base', 'sft'], careless) });
  const { promoted } = await pipeline.result();
  expect(promoted.map(({ outcome }) => outcome.state)).toEqual(['completed', 'completed']);

  const of = { runId: pipeline.firstExecutionRunId, phase: 'sft' };
  expect((await site.ledger.incidentsOf(of)).map(({ attempt, class: name }) => [attempt, name])).toEqual([
    [1, 'gpu-oom'],
    [2, 'not-finite'],
  ]);
  const attempts = await site.ledger.attemptsOf({ workflowId: 'mended', phase: 'sft' });
  const cut = {
    kind: 'micro-batch',
    from: { microBatch: 32, accumulation: 1 },
    to: { microBatch: 16, accumulation: 2 },
  };
  const from = (attempt: number, step: number) => ({
    path: join(site.attempt('mended', 'sft', attempt), 'checkpoints', `checkpoint-${String(step)}`),
    step,
  });
  expect(attempts.map(({ state, request }) => ({ state, request }))).toMatchObject([
    { state: 'failed', request: { changes: [], resume: null } },
    { state: 'failed', request: { changes: [cut], resume: from(1, 10) } },
    {
      state: 'completed',
      request: { changes: [cut, { kind: 'roll-back', before: 22, upToAttempt: 2 }], resume: from(2, 20) },
    },
  ]);
  const result = await site.runs.result(site.attempt('mended', 'sft', 3));
  expect(result).toMatchObject({ startStep: 20, finalStep: 40, finite: true });
  const asItWas = JSON.parse(await readFile(join(site.attempt('mended', 'sft', 3), 'request.json'), 'utf8')) as unknown;
  expect(asItWas).toEqual(attempts[2]?.request);
});

it('a trainer that stands still is stopped as stalled, and the next attempt goes on from its checkpoint', async () => {
  const recipe = await shortRecipe(['base'], {
    ...careless,
    'phases.base.params.steps': 160,
    'budgets.stallMinutes': { training: 0.5 },
  });
  const pipeline = await site.start('still', { recipe });
  const directory = site.attempt('still', 'base');
  await untilStep(site, directory, 25);
  await signalTrainer(directory, 'SIGSTOP');
  const { promoted } = await pipeline.result();
  expect(promoted.map(({ outcome }) => outcome.state)).toEqual(['completed']);
  const incidents = await site.ledger.incidentsOf({ runId: pipeline.firstExecutionRunId, phase: 'base' });
  expect(incidents.map(({ attempt, class: name, rootCause }) => [attempt, name, rootCause])).toEqual([
    [1, 'stalled', 'stalled while training'],
  ]);
  const [, second] = await site.ledger.attemptsOf({ workflowId: 'still', phase: 'base' });
  const { resume } = second?.request as { resume: { step: number } | null };
  expect(resume?.step).toBeGreaterThanOrEqual(20);
});
