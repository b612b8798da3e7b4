/** What goes from a real store, and what stays, as phases train and when the disk is full. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PruneQuestion } from '../../workflows/contract-questions.ts';
import type { ResolvedPipeline } from '../../workflows/contract.ts';
import { pruneText } from '../../workers/terminal/prune-text.ts';
import { activityBench, type ActivityBench, contextOf, runId, sft, startAttempt } from '../support/activity-bench.ts';
import { createRunStore } from '../../store/run-store.ts';
import { fakeTrainer } from '../support/fake-trainer.ts';
import { eventually } from '../support/eventually.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
  const resolved = { recipe: { name: 'small', phases: [sft] } } as unknown as ResolvedPipeline;
  await bench.as(runId).openPipeline({ pipelineId: 'demo', runId: 'run-1', resolved });
});
afterEach(() => bench.close());

/** Steps of the checkpoints that lie in an attempt; due are 20, 40 and 50. */
async function stepsIn(directory: string): Promise<number[]> {
  return (await bench.store.checkpoints(directory)).map(({ step }) => step);
}
async function attemptThatSaves(opened: number, ...steps: readonly number[]) {
  const attempt = await startAttempt(bench, opened);
  for (const step of steps) await fakeTrainer(attempt).saves(step);
  return attempt;
}
const killed = { exitCode: null, signal: 'SIGKILL' };
const full = { exitCode: 1, lastLines: ['OSError: [Errno 28] No space left on device'] };
const asked = (question: Partial<PruneQuestion> = {}) =>
  bench.ask({ question: 'prune', pipeline: 'demo', delete: false, ...question });

test('a phase is pruned while it trains: due ones and the newest two stay', async () => {
  const attempt = await startAttempt(bench);
  const { activities, cancel } = bench.held();
  const watching = activities.awaitJob({ ...attempt, seenSteps: [20, 40, 50] });
  watching.catch(() => undefined);
  bench.backend.run(attempt.job);
  for (const step of [5, 10, 15, 20, 25, 30, 35]) await fakeTrainer(attempt).saves(step);
  await eventually(
    'older ones are gone',
    20,
    async () => (await stepsIn(attempt.ticket.directory)).join() === '20,30,35',
  );
  cancel();
  await expect(watching).rejects.toThrow(/CANCELLED/);
  const { phases } = await bench.ask({ question: 'explain', pipeline: 'demo' });
  const told = phases.flatMap(({ events }) => events).filter(({ about }) => about === 'prune');
  expect(told.flatMap(({ lines }) => lines)).toContain('demo/sft/a1/checkpoint-5: there are newer ones to go on from');
  expect(told[0]?.sentence).toMatch(/^Pruned \d checkpoints?, [\d.]+ k?B\.$/);
});

test('a store that cannot be pruned now is no reason to give up watching', async () => {
  const attempt = await startAttempt(bench);
  const store = { ...bench.store, deleteCheckpoint: () => Promise.reject(new Error('read-only')) };
  const place = bench.dependencies.placeOf(undefined);
  bench.dependencies.placeOf = () => ({ ...place, store });
  const watching = bench.held().activities.awaitJob({ ...attempt, seenSteps: [20, 40, 50] });
  for (const step of [5, 10, 15, 25]) await fakeTrainer(attempt).saves(step);
  bench.backend.end(attempt.job);
  expect(await watching).toEqual({ kind: 'ended' });
  expect(await stepsIn(attempt.ticket.directory)).toEqual([5, 10, 15, 25]);
});

describe('what was pruned before anybody recorded it', () => {
  const id = (step: number) => `demo/sft/a1/checkpoint-${String(step)}`;
  const gone =
    /^demo\/sft\/a1\/checkpoint-5 was pruned at \d{4}-\d\d-\d\d \d\d:\d\d UTC \(there are newer ones to go on from\): its files are gone, and nothing else was written down of it; `temper prune demo sft --dry-run` lists what is there$/;
  const named: Record<string, (checkpoint: string) => Promise<unknown>> = {
    lineage: (of) => bench.ask({ question: 'lineage', of }),
    compare: (first) => bench.ask({ question: 'compare', first, second: id(20) }),
    pin: (checkpoint) => bench.ask({ question: 'pin', checkpoint, pinned: true, by: 'ann' }),
    promote: (checkpoint) =>
      bench.as(runId).nameCheckpoint({ runId: 'run-1', phase: 'sft', profile: 'local', checkpoint }),
  };

  test.each(Object.keys(named))('is told by %s with when, why and what is left', async (by) => {
    const { ticket } = await attemptThatSaves(1, 5, 20, 25, 30);
    const [first] = await bench.store.checkpoints(ticket.directory);
    await asked({ delete: true });
    await expect(named[by]?.(id(5))).rejects.toThrow(gone);
    // Within its phase a checkpoint has a short name, and no other way is it named there.
    await expect(named[by]?.(by === 'promote' ? 'sft-5' : (first?.path ?? ''))).rejects.toThrow(gone);
    await expect(named[by]?.(id(6))).rejects.not.toThrow(/was pruned/);
  });
});

describe('a full disk', () => {
  test('is made room on, then the phase goes on', async () => {
    const attempt = await attemptThatSaves(1, 5, 10, 15, 25, 30);
    await fakeTrainer(attempt).tears(35);
    bench.backend.end(attempt.job, full);
    const judged = await bench.as(runId).judgeAttempt(attempt);
    expect([judged.kind, judged.sentence]).toEqual(['resume', expect.stringContaining('after pruning what may go')]);
    expect(await stepsIn(attempt.ticket.directory)).toEqual([25, 30]);
    expect((await startAttempt(bench, 2)).ticket.resumeStep).toBe(30);
  });

  test('asks a person when nothing may go', async () => {
    const attempt = await attemptThatSaves(1, 20, 25, 30);
    bench.backend.end(attempt.job, full);
    const judged = await bench.as(runId).judgeAttempt(attempt);
    expect([judged.kind, judged.sentence]).toEqual(['hold', expect.stringContaining('none of the checkpoints')]);
    expect(await stepsIn(attempt.ticket.directory)).toEqual([20, 25, 30]);
  });

  test('is told by the store where the error is one that nobody knows', async () => {
    const attempt = await attemptThatSaves(1, 5, 10, 15);
    const place = bench.dependencies.placeOf(undefined);
    bench.dependencies.placeOf = () => ({
      ...place,
      store: { ...bench.store, freeBytes: () => Promise.resolve(4096) },
    });
    bench.backend.end(attempt.job, {
      exitCode: 1,
      lastLines: ['RuntimeError: [enforce fail at inline_container.cc:664]'],
    });
    const judged = await bench.as(runId).judgeAttempt(attempt);
    expect(judged.sentence).toMatch(/the store was full.*: 0 MiB were left\. Resumes/);
    expect(await stepsIn(attempt.ticket.directory)).toEqual([10, 15]);
  });
});

describe('temper prune', () => {
  test('says what would go with its size and why the others stay, and deletes nothing unless told', async () => {
    const first = await attemptThatSaves(1, 5, 10, 20, 30);
    bench.backend.end(first.job, killed);
    await bench.as(runId).judgeAttempt(first);
    const second = await attemptThatSaves(2, 35, 45);
    const dry = await asked();
    expect(dry.go.map(({ what, why }) => [what, why])).toEqual([
      ['demo/sft/a1/checkpoint-5', 'there are newer ones to go on from'],
      ['demo/sft/a1/checkpoint-10', 'there are newer ones to go on from'],
    ]);
    expect(dry.stay.map(({ what, why }) => [what, why])).toEqual([
      ['demo/sft/a1/checkpoint-20', 'due for evaluation or promotion'],
      ['demo/sft/a1/checkpoint-30', `${second.job.name} reads it`],
      ['demo/sft/a2/checkpoint-35', 'one of the newest two'],
      ['demo/sft/a2/checkpoint-45', 'one of the newest two'],
    ]);
    expect(dry.freedBytes).toBeGreaterThan(0);
    expect(await stepsIn(first.ticket.directory)).toEqual([5, 10, 20, 30]);
    expect(pruneText(dry)).toMatch(/^may go +[\d.]+ k?B {2}demo\/sft\/a1\/checkpoint-5: /);
    expect(pruneText(dry)).toMatch(/Nothing was deleted: --yes deletes them\.$/);

    const done = await asked({ delete: true });
    expect([done.deleted, done.freedBytes]).toEqual([true, dry.freedBytes]);
    expect(pruneText(done)).toMatch(/Deleted 2 checkpoints, /);
    expect(await stepsIn(first.ticket.directory)).toEqual([20, 30]);
    const again = await asked({ delete: true, pipeline: undefined });
    expect([again.go, again.freedBytes, pruneText(again).split('\n').at(-1)]).toEqual([[], 0, 'Nothing may go.']);
  });

  test('keeps what is due by the parameters of a phase that a person had begin anew', async () => {
    const set = { 'params.steps': 80 };
    await bench.as(runId).recordSteering({
      ...{ pipelineId: 'demo', runId: 'run-1', phase: 'sft', id: 'update-1', by: {} },
      request: { message: 'retryPhase', set },
    });
    const context = contextOf({ phase: { ...sft, params: { ...sft.params, steps: 80 } } as typeof sft });
    const attempt = await startAttempt(bench, 1, { context });
    for (const step of [50, 60, 65, 70, 75]) await fakeTrainer(attempt).saves(step);
    await asked({ delete: true });
    expect(await stepsIn(attempt.ticket.directory)).toEqual([60, 70, 75]);
  });

  test('a phase that a person had begin anew keeps its newest, though it had been further before', async () => {
    const before = await attemptThatSaves(1, 25, 30, 35);
    bench.backend.end(before.job, killed);
    await bench.as(runId).judgeAttempt(before);
    await bench.as(runId).recordSteering({
      ...{ pipelineId: 'demo', runId: 'run-1', phase: 'sft', id: 'update-1', by: {} },
      request: { message: 'retryPhase', set: {} },
    });
    const anew = await attemptThatSaves(2, 5, 10, 15);
    const { go } = await asked({ delete: true });
    expect(await stepsIn(anew.ticket.directory)).toEqual([10, 15]);
    expect(go.filter(({ what }) => what.includes('/a1/')).map(({ why }) => why)).toEqual(
      [25, 30, 35].map(() => 'its phase began anew since'),
    );
    bench.backend.end(anew.job, killed);
    await bench.as(runId).judgeAttempt(anew);
    const { ticket } = await attemptThatSaves(3);
    expect(ticket.resumeStep).toBe(15);
  });

  test('what went is told, also when the next could not be deleted', async () => {
    await attemptThatSaves(1, 5, 10, 15, 25, 30);
    const place = bench.dependencies.placeOf(undefined);
    const store = {
      ...bench.store,
      async deleteCheckpoint(path: string) {
        if (path.endsWith('-10')) throw new Error('read-only');
        await bench.store.deleteCheckpoint(path);
      },
    };
    bench.dependencies.placeOf = () => ({ ...place, store });
    await expect(asked({ delete: true })).rejects.toThrow('read-only');
    const { phases } = await bench.ask({ question: 'explain', pipeline: 'demo' });
    const told = phases.flatMap(({ events }) => events).filter(({ about }) => about === 'prune');
    expect(told.map(({ sentence, lines }) => [sentence.replace(/, [\d.]+ k?B/, ''), lines])).toEqual([
      [
        'They could not be deleted: read-only.',
        ['demo/sft/a1/checkpoint-10: there still', 'demo/sft/a1/checkpoint-15: there still'],
      ],
      [
        'Pruned 3 checkpoints.',
        [5, 10, 15].map((step) => `demo/sft/a1/checkpoint-${String(step)}: there are newer ones to go on from`),
      ],
    ]);
  });

  test('what lies in the store of another profile is not its business', async () => {
    await attemptThatSaves(1, 5, 10, 15, 25, 30);
    const place = bench.dependencies.placeOf(undefined);
    bench.dependencies.placeOf = () => ({ ...place, store: createRunStore('/another/store') });
    const { go, stay } = await asked({ delete: true });
    expect([go, stay]).toEqual([[], []]);
  });

  test('keeps what a run of a changed recipe goes on from, however far an earlier run of the id came', async () => {
    const first = await attemptThatSaves(1, 5, 30, 35, 45);
    bench.backend.end(first.job, killed);
    await bench.as(runId).judgeAttempt(first);
    const context = contextOf({ runId: 'run-2', seed: 77 });
    const resolved = { recipe: { name: 'small', phases: [sft] } } as unknown as ResolvedPipeline;
    await bench.as('phase-run-2').openPipeline({ pipelineId: 'demo', runId: 'run-2', resolved });
    const second = await startAttempt(bench, 1, { context, run: 'phase-run-2' });
    expect(second.ticket.resumeStep).toBe(0);
    for (const step of [5, 10, 15]) await fakeTrainer(second).saves(step);
    await asked({ delete: true });
    expect(await stepsIn(first.ticket.directory)).toEqual([35, 45]);
    expect(await stepsIn(second.ticket.directory)).toEqual([10, 15]);
  });

  test('takes with it what killed deletions and writers left', async () => {
    const attempt = await attemptThatSaves(1, 30);
    const folder = join(attempt.ticket.directory, 'checkpoints');
    await fakeTrainer(attempt).tears(40);
    bench.backend.end(attempt.job, killed);
    await bench.as(runId).judgeAttempt(attempt);
    expect((await asked({ delete: true })).go.map(({ why }) => why)).toEqual(['not complete, and its attempt is over']);
    expect((await readdir(folder)).sort()).toEqual(['checkpoint-30', 'checkpoint-30.seal.json']);
  });

  test('keeps everything of a run whose recipe nobody knows, and refuses a name that is none', async () => {
    const context = contextOf({ pipelineId: 'old', runId: 'run-0' });
    const resolved = { recipe: { name: 'small' } } as unknown as ResolvedPipeline;
    await bench.as(runId).openPipeline({ pipelineId: 'old', runId: 'run-0', resolved });
    const attempt = await startAttempt(bench, 1, { context, run: 'phase-run-0' });
    for (const step of [5, 10, 15]) await fakeTrainer(attempt).saves(step);
    expect((await asked({ pipeline: 'old' })).go).toEqual([]);
    await expect(asked({ pipeline: 'odl' })).rejects.toThrow(/did you mean "old"/);
    await rm(attempt.ticket.directory, { recursive: true });
    expect((await asked({ pipeline: 'old' })).stay).toEqual([]);
  });
});
