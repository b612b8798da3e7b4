/** What a person pins stays on a real store, also while it is pruned; and what a pruning that is killed leaves. */
import type { PinQuestion } from '../../workflows/contract-questions.ts';
import type { ResolvedPipeline } from '../../workflows/contract.ts';
import { pinText } from '../../workers/terminal/pin-text.ts';
import {
  activityBench,
  type ActivityBench,
  parent,
  runId,
  sft,
  type StartedAttempt,
  startAttempt,
} from '../support/activity-bench.ts';
import { fakeTrainer } from '../support/fake-trainer.ts';

let bench: ActivityBench;
let attempt: StartedAttempt;
const id = (step: number) => `demo/sft/a1/checkpoint-${String(step)}`;

/** Of these 5, 10 and 15 may go; all are in the ledger. */
beforeEach(async () => {
  bench = await activityBench();
  const resolved = { recipe: { name: 'small', phases: [sft] } } as unknown as ResolvedPipeline;
  await bench.as(runId).openPipeline({ pipelineId: 'demo', runId: 'run-1', resolved });
  attempt = await startAttempt(bench);
  for (const step of [5, 10, 15, 25, 30]) await fakeTrainer(attempt).saves(step);
  bench.backend.end(attempt.job, { exitCode: null, signal: 'SIGKILL' });
  await bench.as(runId).judgeAttempt(attempt);
});
afterEach(() => bench.close());

const pin = (checkpoint: string, more: Partial<PinQuestion> = {}) =>
  bench.ask({ question: 'pin', checkpoint, pinned: true, by: 'ada', ...more });
const prune = (go = true) => bench.ask({ question: 'prune', pipeline: 'demo', delete: go });
const stepsLeft = async () => (await bench.store.checkpoints(attempt.ticket.directory)).map(({ step }) => step);
const told = async (...abouts: readonly string[]) => {
  const { phases } = await bench.ask({ question: 'explain', pipeline: 'demo' });
  return phases.flatMap(({ events }) => events).filter(({ about }) => abouts.includes(about));
};
/** The store of the worker, with one call of its own. */
function withDelete(deleteCheckpoint: (path: string) => Promise<void>): void {
  const place = bench.dependencies.placeOf(undefined);
  bench.dependencies.placeOf = () => ({ ...place, store: { ...bench.store, deleteCheckpoint } });
}

test('a pinned checkpoint stays, who pinned it and why is told, and without its pin it goes', async () => {
  const done = await pin(id(10), { reason: 'for the talk' });
  expect(pinText(done)).toBe(`Pinned ${id(10)}: no pruning deletes it.`);
  expect(pinText(await pin(id(10)))).toBe(`${id(10)} was pinned before.`);
  expect((await prune()).stay).toContainEqual({ what: id(10), why: 'pinned' });
  expect(await stepsLeft()).toEqual([10, 25, 30]);
  bench.pass(60);
  const unpinned = await pin(id(10), { pinned: false, by: 'bob' });
  expect(pinText(unpinned)).toBe(`Unpinned ${id(10)}. A pruning may delete it: \`temper prune\` says whether.`);
  expect(pinText(await pin(id(10), { pinned: false }))).toMatch(/ was not pinned\. /);
  await prune();
  expect(await stepsLeft()).toEqual([25, 30]);
  expect((await told('pin')).map(({ sentence }) => sentence)).toEqual([
    `ada pinned ${id(10)}: for the talk.`,
    `bob unpinned ${id(10)}.`,
  ]);
});

test('one that is promoted, evaluated or a parent says that it stays without its pin', async () => {
  const { ledger } = bench;
  await ledger.recordCheckpoint({ ...(await existing(10)), id: 'child', parent: id(10), path: '/child', at: 'now' });
  const evaluation = { checkpoint: id(10), benchmark: 'addition', version: 1, seed: 1, problems: [] };
  await ledger.recordEvaluation({ evaluation, runId: 'run-1', jobName: 'job', at: 'now' });
  expect(pinText(await pin(id(10), { pinned: false }))).toBe(
    `${id(10)} was not pinned. It stays all the same: another checkpoint was made from it, evaluated.`,
  );
});

test('is named by its path too; a name that is none is refused with the nearest', async () => {
  const { path } = await existing(10);
  expect(await pin(`${path}/`)).toMatchObject({ checkpoint: id(10), changed: true });
  await expect(pin('/nowhere')).rejects.toThrow('no checkpoint of the ledger lies in /nowhere');
  await expect(pin('demo/stf')).rejects.toThrow(
    /no checkpoint "demo\/stf" is in the ledger; did you mean "demo\/sft"\?/,
  );
  await expect(pin('demo/sft')).rejects.toThrow('phase "sft" of demo has promoted nothing yet: it is running');
});

describe('a pin and a pruning at once', () => {
  test('what is pinned after the pruning has looked, and before it is given up, stays', async () => {
    const { ledger } = bench;
    bench.dependencies.ledger = {
      ...ledger,
      async giveUpCheckpoints(...given) {
        await pin(id(10));
        return await ledger.giveUpCheckpoints(...given);
      },
    };
    const { go, stay } = await prune();
    expect(go.map(({ what }) => what)).toEqual([id(5), id(15)]);
    expect(stay).toContainEqual({ what: id(10), why: 'pinned' });
    expect(await stepsLeft()).toEqual([10, 25, 30]);
    expect((await told('prune')).map(({ lines }) => lines.length)).toEqual([2]);
  });

  test('what is pinned after it was given up is refused, and goes', async () => {
    const refused: unknown[] = [];
    withDelete(async (path) => {
      await pin(id(10)).catch((error: unknown) => refused.push(error));
      await bench.store.deleteCheckpoint(path);
    });
    await prune();
    expect(refused[0]).toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('was pruned at') as unknown,
    });
    expect(await stepsLeft()).toEqual([25, 30]);
    expect((await existing(10)).pinned).toBe(false);
  });
});

test('what is gone from the store is not pinned', async () => {
  await bench.store.deleteCheckpoint((await existing(10)).path);
  await expect(pin(id(10))).rejects.toThrow(/is not there any more/);
});

test('a pruning that is killed leaves no deletion without its decision, and the next one goes on', async () => {
  const deleted: string[] = [];
  const killed = new Promise<void>((resolve) => {
    withDelete(async (path) => {
      await bench.store.deleteCheckpoint(path);
      deleted.push(path);
      resolve();
      await new Promise(() => undefined); // Nothing of this process comes after it.
    });
  });
  prune().catch(() => undefined);
  await killed;
  expect(await stepsLeft()).toEqual([10, 15, 25, 30]);
  const lines = (await told('prune')).flatMap((event) => event.lines.map((line) => line.split(':')[0]));
  expect(lines).toEqual([id(5), id(10), id(15)]);
  withDelete((path) => bench.store.deleteCheckpoint(path));
  expect((await prune()).go.map(({ what }) => what)).toEqual([id(10), id(15)]);
  expect(await stepsLeft()).toEqual([25, 30]);
  expect(await told('prune')).toHaveLength(1);
});

async function existing(step: number) {
  const record = await bench.ledger.checkpoint(id(step));
  if (record === null) throw new Error(`no checkpoint ${id(step)}, of parent ${parent.id}`);
  return record;
}
