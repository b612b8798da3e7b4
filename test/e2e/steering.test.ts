/** Cancelling, failing, holding and releasing: what a person does to a pipeline, and what is left of it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowFailedError, WorkflowUpdateFailedError } from '@temporalio/client';
import { phaseOf, signalTrainer, startEmbedded, untilStep, type Embedded, type Site } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { careless, shortRecipe } from '../support/short-recipe.ts';
import { jobLives } from '../../local/job-status.ts';

let embedded: Embedded;
let site: Site;

beforeAll(async () => {
  embedded = await startEmbedded();
  site = await embedded.site('steering');
  await site.startWorker();
});
afterAll(() => embedded.close());

async function refusal(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => new Error('it was not refused'),
    (error: unknown) => error,
  );
}

describe('a phase whose attempts are spent', () => {
  it('is held, tells it to the query, and goes on when it is released; nothing else can be released', async () => {
    const recipe = { ...(await shortRecipe(['base', 'sft'], careless)), budgets: { attempts: 1 } };
    const pipeline = await site.start('held', { recipe });
    const nothingHeld = await refusal(pipeline.executeUpdate('release', { args: [{}] }));
    expect(nothingHeld).toBeInstanceOf(WorkflowUpdateFailedError);
    expect((nothingHeld as WorkflowUpdateFailedError).cause?.message).toBe('no phase is held now');

    await eventually('sft runs', 600, async () => (await phaseOf(pipeline, 'sft'))?.state === 'running');
    await signalTrainer(site.attempt('held', 'sft'), 'SIGKILL');
    const held = await eventually('sft is held', 600, async () => {
      const phase = await phaseOf(pipeline, 'sft');
      return phase?.state === 'held' ? phase : null;
    });
    expect(held).toMatchObject({ attempt: 1 });
    expect(held.note).toMatch(/^held: attempt 1\b.*killed/);

    const other = await refusal(pipeline.executeUpdate('release', { args: [{ phase: 'base' }] }));
    expect((other as WorkflowUpdateFailedError).cause?.message).toBe('phase "base" is not held; held: sft');
    const answer = await pipeline.executeUpdate('release', { args: [{ phase: 'sft', by: 'the test' }] });
    expect(answer).toBe('phase sft goes on');

    const { promoted } = await pipeline.result();
    expect(promoted.map(({ outcome }) => outcome.state)).toEqual(['completed', 'completed']);
    const attempts = await site.ledger.attemptsOf({ workflowId: 'held', phase: 'sft' });
    expect(attempts.map(({ state }) => state)).toEqual(['failed', 'completed']);
  });
});

describe('a pipeline that is held and then cancelled while a trainer trains', () => {
  it('saves and frees its place when it is held, goes on from there when it is released, and when it is cancelled stops the trainer, and is cancelled in the ledger with its phase and its attempt', async () => {
    // Other than in the test above, so that sft is not reused; the base is.
    const recipe = await shortRecipe(['base', 'sft'], { ...careless, 'phases.sft.params.steps': 2000 });
    const pipeline = await site.start('cancelled', { recipe });
    const directory = site.attempt('cancelled', 'sft');
    await eventually('sft runs', 600, async () => (await phaseOf(pipeline, 'sft'))?.state === 'running');
    await untilStep(site, directory, 1);
    expect(await phaseOf(pipeline, 'base')).toMatchObject({ state: 'reused' });
    await pipeline.executeUpdate('hold', { args: [{ by: 'the test', reason: 'its place is needed' }] });
    await eventually('sft is held', 600, async () => (await phaseOf(pipeline, 'sft'))?.state === 'held');
    const [first] = await site.ledger.attemptsOf({ workflowId: 'cancelled', phase: 'sft' });
    expect(await jobLives(directory, first?.jobUid ?? '')).toBe(false);
    const saved = (await site.ledger.checkpointsOf({ runId: pipeline.firstExecutionRunId, phase: 'sft' })).at(-1);
    expect(saved?.step).toBeGreaterThan(0);
    await pipeline.executeUpdate('release', { args: [{ phase: 'sft' }] });
    const second = site.attempt('cancelled', 'sft', 2);
    await untilStep(site, second, saved?.step ?? 0);
    const { resume } = JSON.parse(await readFile(join(second, 'request.json'), 'utf8')) as { resume: unknown };
    expect(resume).toMatchObject({ path: saved?.path, step: saved?.step });

    await pipeline.cancel();
    const error = await refusal(pipeline.result());
    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect((error as WorkflowFailedError).cause?.name).toBe('CancelledFailure');

    const attempts = await site.ledger.attemptsOf({ workflowId: 'cancelled', phase: 'sft' });
    expect(attempts.map(({ state }) => state)).toEqual(['failed', 'cancelled']);
    expect(await jobLives(second, attempts.at(-1)?.jobUid ?? '')).toBe(false);
    const incidents = await site.ledger.incidentsOf({ runId: pipeline.firstExecutionRunId, phase: 'sft' });
    expect(incidents.map(({ class: name, because }) => [name, because])).toEqual([
      ['interrupted', { rule: 'stopped-by-temper', why: 'hold' }],
    ]);
    const phases = await site.ledger.phasesOf(pipeline.firstExecutionRunId);
    expect(phases.map(({ phase, state }) => [phase, state])).toEqual([
      ['base', 'reused'],
      ['sft', 'cancelled'],
    ]);
    const [run] = await site.ledger.pipelines({ workflowId: 'cancelled' });
    expect(run?.outcome).toBe('cancelled');
  });
});

describe('a trainer that refuses its configuration', () => {
  it('fails its phase and the pipeline at once, in its own words', async () => {
    // SAO trains whole models, and sft promotes an adapter.
    const recipe = await shortRecipe(['base', 'sft', 'sao'], careless);
    const pipeline = await site.start('refused', { recipe });
    const error = await refusal(pipeline.result());
    expect(error).toBeInstanceOf(WorkflowFailedError);
    const message = (error as WorkflowFailedError).cause?.message;
    expect(message).toMatch(/^Phase sao failed: .*is an adapter: merge it first \(mxfp4-merge\)/);

    const attempts = await site.ledger.attemptsOf({ workflowId: 'refused', phase: 'sao' });
    expect(attempts.map(({ number, state }) => [number, state])).toEqual([[1, 'failed']]);
    const runId = pipeline.firstExecutionRunId;
    expect((await site.ledger.incidentsOf({ runId, phase: 'sao' })).map((incident) => incident.class)).toEqual([
      'config',
    ]);
    const states = (await site.ledger.phasesOf(runId)).map(({ phase, state }) => [phase, state]);
    expect(states).toEqual([
      ['base', 'reused'],
      ['sft', 'reused'],
      ['sao', 'failed'],
    ]);
  });
});
