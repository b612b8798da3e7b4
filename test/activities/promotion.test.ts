import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFinishedWork } from '../../activities/finished-work.ts';
import { handPromotionOf } from '../../activities/hand-promotion.ts';
import { identityOfPhase } from '../../activities/phase-record.ts';
import { holdRuleOfOlderRuns } from '../../decisions/hold.ts';
import { createRunStore } from '../../store/run-store.ts';
import { activityBench, type ActivityBench, contextOf, runId, startAttempt } from '../support/activity-bench.ts';
import { fakeTrainer } from '../support/fake-trainer.ts';
import { cut, hfFiles, write } from '../store/checkpoint-fixtures.ts';
import type { CheckpointRef, PhaseContext } from '../../workflows/contract.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
  await write(join(bench.folder, 'base', 'checkpoint-160'), hfFiles(160));
});
afterEach(() => bench.close());

/** A context whose phase starts from a model that lies on the store. */
function here(more: Partial<PhaseContext> = {}): PhaseContext {
  const context = contextOf();
  const start = context.start && { ...context.start, path: join(bench.folder, 'base', 'checkpoint-160') };
  return { ...context, start, ...more };
}

const because = 'Promoted: the highest.';

/** The phase's last checkpoint, in the ledger as complete. */
async function completed(context: PhaseContext = here()): Promise<CheckpointRef> {
  const attempt = await startAttempt(bench, 1, { context });
  const trainer = fakeTrainer(attempt);
  await trainer.saves(50);
  await trainer.finishes();
  bench.backend.end(attempt.job);
  await bench.as(runId).judgeAttempt(attempt);
  const [record] = await bench.ledger.checkpointsOf({ runId: context.runId, phase: context.phase.name });
  if (!record) throw new Error('no checkpoint');
  const { id, path, format, base, step, digest } = record;
  return { id, path, format, base, step, digest };
}
const promote = (checkpoint: CheckpointRef, context = here()) =>
  bench.as(runId).promote({ context, checkpoint, because, score: 0.5 });
const weightsOf = ({ path }: CheckpointRef) => join(path, 'adapter_model.safetensors');
const anew = () => here({ runId: 'run-2', pipelineId: 'another' });
const find = (context = anew()) => bench.as('phase-run-2').findFinishedPhase(context);

describe('promote', () => {
  test('seals and pins it, and closes the phase; again changes nothing', async () => {
    const checkpoint = await completed();
    const sealed = await promote(checkpoint);
    expect(await promote(checkpoint)).toEqual(sealed);
    const digest = (await bench.store.inspect(checkpoint.path))?.seal?.digest;
    expect(sealed).toEqual({ ...checkpoint, digest });
    expect(await bench.ledger.checkpoint(checkpoint.id)).toMatchObject({ level: 'sealed', pinned: true, digest });
    expect(await bench.ledger.phasesOf('run-1')).toMatchObject([
      { state: 'completed', promoted: checkpoint.id, because: { sentence: because, score: 0.5 } },
    ]);
  });

  test('of a person is known by the message that asked for it, whatever the words of the phase are', async () => {
    const checkpoint = await completed();
    const of = { runId: 'run-1', phase: 'sft' };
    const by = { by: 'ann', reason: 'it writes better' };
    const request = { message: 'promote', checkpoint: checkpoint.id } as const;
    for (const id of ['update-1', 'update-2'])
      await bench.as(runId).recordSteering({ ...of, pipelineId: 'demo', id, request, by: { ...by, by: id } });
    const because = 'Words of another version.';
    await bench.as(runId).promote({ context: here(), checkpoint, because, score: null, steering: 'update-1' });
    expect(await handPromotionOf(bench.ledger, of)).toEqual({
      checkpoint: checkpoint.id,
      by: { ...by, by: 'update-1' },
    });
  });

  const damages: { title: string; damage: (checkpoint: CheckpointRef) => Promise<void> }[] = [
    { title: 'cut weights', damage: (checkpoint) => cut(weightsOf(checkpoint)) },
    { title: 'a file more', damage: ({ path }) => writeFile(join(path, 'more.safetensors'), 'x') },
    { title: 'a damaged seal', damage: ({ path }) => cut(`${path}.seal.json`) },
    {
      title: 'the seal of another step',
      damage: async ({ path }) => {
        const seal = JSON.parse(await readFile(`${path}.seal.json`, 'utf8')) as object;
        await writeFile(`${path}.seal.json`, JSON.stringify({ ...seal, step: 40 }));
      },
    },
  ];
  test.each(damages)('refuses a checkpoint with $title, for good, and says where it lies', async ({ damage }) => {
    const checkpoint = await completed();
    await damage(checkpoint);
    await expect(promote(checkpoint)).rejects.toMatchObject({
      type: 'checkpoint-damaged',
      nonRetryable: true,
      message: `checkpoint ${checkpoint.id} cannot be promoted: it has no seal that agrees with its files (${checkpoint.path})`,
    });
    expect((await bench.ledger.phasesOf('run-1'))[0]?.state).toBe('running');
  });
});

describe('findFinishedPhase', () => {
  test('finds work of the same identity, also of another pipeline, and says whose', async () => {
    const sealed = await promote(await completed());
    const work = await find();
    expect(work?.outcome).toMatchObject({ state: 'reused', checkpoint: sealed, score: 0.5 });
    expect(work?.outcome.because).toBe(`Finished work of demo (phase sft, 2026-11-29 10:00 UTC). ${because}`);
    expect(await bench.ledger.phasesOf('run-2')).toMatchObject([{ state: 'reused', promoted: sealed.id }]);
  });

  test('of its own run, which was reset, leaves it as it was: another pipeline reuses it still', async () => {
    await promote(await completed());
    const finished = await bench.ledger.phasesOf('run-1');
    expect((await bench.as(runId).findFinishedPhase(here()))?.outcome.state).toBe('reused');
    expect(await bench.ledger.phasesOf('run-1')).toEqual(finished);
    expect((await find())?.outcome.state).toBe('reused');
  });

  test('comes with the leaderboard rows of the verdict that promoted it', async () => {
    const checkpoint = await completed();
    const rows = [{ checkpoint: checkpoint.id, mean: 0.5 }];
    const verdict = {
      key: 'k',
      runId: 'run-1',
      phase: 'sft',
      verdict: {},
      evidence: { rows },
      at: '2026-11-29T11:00:00Z',
    };
    await bench.ledger.recordVerdict(verdict);
    await promote(checkpoint);
    expect((await find())?.rows).toEqual(rows);
  });

  test.each<{ title: string; change: Partial<PhaseContext> }>([
    { title: 'another seed', change: { seed: 2 } },
    { title: 'another model', change: { model: { tiny: { seed: 9 } } } },
    { title: 'another start', change: { start: null } },
  ])('finds nothing for $title', async ({ change }) => {
    await promote(await completed());
    expect(await find({ ...anew(), ...change })).toBeNull();
  });

  test('finds it for another name, profile and budget, which train nothing else', async () => {
    await promote(await completed());
    const context = {
      ...anew(),
      phase: { ...anew().phase, name: 'tuned' },
      profile: 'other',
      budgets: { attempts: 1, evaluations: 1, waitMinutes: 1 },
    };
    expect((await find(context))?.outcome.state).toBe('reused');
  });

  test.each<{ title: string; damage: (checkpoint: CheckpointRef) => Promise<void> }>([
    { title: 'is damaged', damage: (checkpoint) => cut(weightsOf(checkpoint)) },
    { title: 'has lost its seal', damage: ({ path }) => cut(`${path}.seal.json`) },
  ])('reuses nothing whose checkpoint $title', async ({ damage }) => {
    const checkpoint = await promote(await completed());
    await damage(checkpoint);
    expect(await find()).toBeNull();
  });

  test('reuses nothing of a store that jobs of the place do not see', async () => {
    const { id } = await promote(await completed());
    const store = createRunStore(join(bench.folder, 'another-store'));
    const looked = { identity: identityOfPhase(anew()).digest, hold: holdRuleOfOlderRuns };
    const found = await findFinishedWork({ ledger: bench.ledger, store }, looked);
    expect(found).toMatchObject({ sealed: null, notSealed: null, elsewhere: { checkpoint: { id } } });
  });

  test('reuses no adapter whose model below it is gone', async () => {
    await promote(await completed());
    await rm(join(bench.folder, 'base', 'checkpoint-160'), { recursive: true });
    expect(await find()).toBeNull();
  });

  test('reuses an end that nobody decided only where the recipe says the same of it', async () => {
    const checkpoint = await completed();
    const context = here({ hold: { hours: 1, then: 'highest' } });
    const release = { by: 'the recipe', reason: 'nobody came' };
    await bench.as(runId).recordRelease({ context, release, hold: 1, nobodyCame: 'highest' });
    await promote(checkpoint, context);
    expect(await find()).toBeNull();
    expect(await find({ ...anew(), hold: { hours: 1, then: 'keep-parent' } })).toBeNull();
    const same = await find({ ...anew(), hold: { hours: 9, then: 'highest' } });
    expect(same?.outcome.checkpoint.id).toBe(checkpoint.id);
  });

  test('reuses what a person released, whatever the recipe says of nobody', async () => {
    const checkpoint = await completed();
    await bench.as(runId).recordRelease({ context: here(), release: { by: 'ann' }, hold: 1 });
    await promote(checkpoint);
    expect((await find({ ...anew(), hold: { hours: 1, then: 'highest' } }))?.outcome.state).toBe('reused');
  });

  test('reuses no phase that failed, was cancelled or is held', async () => {
    const checkpoint = await promote(await completed());
    for (const state of ['failed', 'cancelled', 'held'] as const) {
      await bench.as(runId).closePhase({ context: here(), state, because: 'why', checkpoint });
      expect(await find()).toBeNull();
    }
  });
});

test('a rejected phase keeps its parent, also for the run that reuses it', async () => {
  const start = await promote(await completed());
  const rejected = here({ start, phase: { ...here().phase, name: 'again' } });
  await bench.as(runId).closePhase({ context: rejected, state: 'rejected', because: 'Rejected.', checkpoint: start });
  expect(await bench.ledger.phasesOf('run-1')).toContainEqual(
    expect.objectContaining({ phase: 'again', state: 'rejected', promoted: start.id }),
  );
  expect((await find({ ...rejected, runId: 'run-2' }))?.outcome.checkpoint).toEqual(start);
});

test('a phase that is over leaves no attempt open whose end nobody saw; one that is held does', async () => {
  const evaluation = { workflowId: 'demo', phase: 'sft', purpose: 'evaluate' } as const;
  await bench.ledger.reserveAttempt({
    ...evaluation,
    runId: 'run-1',
    reservationKey: 'lost',
    at: '2026-11-29T10:00:00Z',
  });
  const states = async () => (await bench.ledger.attemptsOf(evaluation)).map(({ state, endedAt }) => [state, endedAt]);
  await bench.as(runId).closePhase({ context: here(), state: 'held', because: 'why' });
  expect(await states()).toEqual([['queued', null]]);
  for (const state of ['cancelled', 'failed'] as const) {
    await bench.as(runId).closePhase({ context: here(), state, because: 'why' });
    expect(await states()).toEqual([['cancelled', '2026-11-29T10:00:00.000Z']]);
  }
});
