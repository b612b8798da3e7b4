/** What an attempt changes because of those before it: in its request, its row, its job, and where it starts. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { computeSeal, readSeal } from '../../store/seal.ts';
import type { RankEnd } from '../../decisions/failure.ts';
import {
  activityBench,
  type ActivityBench,
  contextOf,
  parent,
  runId,
  startAttempt,
} from '../support/activity-bench.ts';
import { fakeTrainer, type FakeTrainer } from '../support/fake-trainer.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
});
afterEach(() => bench.close());

type Work = (trainer: FakeTrainer) => Promise<unknown>;

/** An attempt that did this and ended like that; how it was judged. */
async function failed(opened: number, work: Work, end: Partial<RankEnd>) {
  const attempt = await startAttempt(bench, opened);
  await work(fakeTrainer(attempt));
  bench.backend.end(attempt.job, end);
  return { ...attempt, judged: await bench.as(runId).judgeAttempt(attempt) };
}
const nothing = () => Promise.resolve();
const killed = { exitCode: null, signal: 'SIGKILL' } as const;
const gpuOom = { exitCode: 1, lastLines: ['torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB'] };
const hostOom = { exitCode: 137, reason: 'OOMKilled' };
const requestIn = async (directory: string) =>
  JSON.parse(await readFile(join(directory, 'request.json'), 'utf8')) as Record<string, unknown>;

describe('a GPU that is out of memory', () => {
  const cut = (microBatch: number, accumulation: number) => ({
    kind: 'micro-batch',
    from: { microBatch: 32, accumulation: 1 },
    to: { microBatch, accumulation },
  });

  test('gets half the micro-batch, and every later attempt of the phase keeps it or goes further down', async () => {
    await failed(1, (trainer) => trainer.saves(10), gpuOom);
    const second = await failed(2, nothing, killed);
    expect(await requestIn(second.ticket.directory)).toMatchObject({ changes: [cut(16, 2)], resume: { step: 10 } });
    const third = await failed(3, nothing, gpuOom);
    expect(await requestIn(third.ticket.directory)).toMatchObject({ changes: [cut(16, 2)] });
    const fourth = await startAttempt(bench, 4);
    expect(fourth.ticket.changes).toEqual([cut(8, 4)]);
    const rows = await bench.ledger.attemptsOf({ workflowId: 'demo', phase: 'sft' });
    expect(rows.map(({ request }) => (request as { changes: unknown }).changes)).toEqual([
      [],
      [cut(16, 2)],
      [cut(16, 2)],
      [cut(8, 4)],
    ]);
  });

  test('is told of on the page and by temper explain', async () => {
    await failed(1, nothing, gpuOom);
    const { ticket } = await startAttempt(bench, 2);
    const words = 'Micro-batch × accumulation is 16 × 2 instead of 32 × 1.';
    expect(ticket.sentence).toContain(words);
    await bench.ledger.openPipeline({
      workflowId: 'demo',
      runId: 'run-1',
      recipe: 'small',
      identity: 'i',
      resolved: {},
      at: '2026-11-29T09:00:00.000Z',
    });
    const { phases } = await bench.ask({ question: 'explain', pipeline: 'demo' });
    expect(JSON.stringify(phases)).toContain(words);
  });

  test('keeps the cut when a person has released the phase, for a batch that fitted nowhere does not fit now', async () => {
    await failed(1, nothing, gpuOom);
    await bench.as(runId).recordRelease({ context: contextOf() });
    expect((await startAttempt(bench, 2)).ticket.changes).toEqual([cut(16, 2)]);
  });
});

describe('a host that is out of memory', () => {
  test('gets a job that asks for more, and more again', async () => {
    await failed(1, nothing, hostOom);
    await failed(2, nothing, hostOom);
    await startAttempt(bench, 3);
    expect(bench.backend.submitted.map(({ memoryFactor }) => memoryFactor)).toEqual([1, 1.5, 2.25]);
  });

  test('holds at once on a backend that cannot give more, and says so', async () => {
    bench.backend.fixed = ['memory', 'shared-memory'];
    const { judged } = await failed(1, nothing, hostOom);
    expect([judged.kind, judged.sentence]).toEqual(['hold', expect.stringContaining('cannot give a job more memory')]);
  });
});

test('nodes to keep away from travel to the backend', async () => {
  const xid = {
    exitCode: 1,
    node: 'node-7',
    lastLines: ['NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.'],
  };
  await failed(1, nothing, xid);
  await failed(2, nothing, { ...killed, node: 'node-1' });
  await startAttempt(bench, 3);
  expect(bench.backend.submitted.map(({ avoidNodes }) => avoidNodes)).toEqual([[], ['node-7'], ['node-7']]);
});

describe('numbers that are not finite', () => {
  const goesWrong: Work = async (trainer) => {
    for (const step of [10, 20, 30]) await trainer.saves(step);
    await trainer.says(25, 'training', { loss: null });
    await trainer.says(34, 'training', { loss: 0.4 });
    await trainer.finishes({ status: 'completed', finite: false });
  };

  test('roll back to the last checkpoint before them, and the phase stays rolled back', async () => {
    const first = await failed(1, goesWrong, { exitCode: 0 });
    expect(first.judged).toMatchObject({ kind: 'roll-back' });
    const second = await failed(2, nothing, killed);
    expect(second.ticket.resumeStep).toBe(20);
    expect((await startAttempt(bench, 3)).ticket.resumeStep).toBe(20);
  });

  test('do not spoil what a later attempt makes of the same steps', async () => {
    await failed(1, goesWrong, { exitCode: 0 });
    await failed(2, (trainer) => trainer.saves(30), killed);
    const { ticket } = await startAttempt(bench, 3);
    expect(ticket.asked.resume?.path).toContain('attempt-2/checkpoints/checkpoint-30');
  });

  test('of a metric that may have none spoil nothing', async () => {
    const { judged } = await failed(
      1,
      async (trainer) => {
        await trainer.says(10, 'training', { loss: 0.5, reward_std: null });
        await trainer.saves(20);
      },
      killed,
    );
    expect(judged.kind).toBe('resume');
    expect((await startAttempt(bench, 2)).ticket.resumeStep).toBe(20);
  });
});

describe('a checkpoint that proves damaged when it is loaded (C22)', () => {
  /** Right size, wrong bytes: nothing but a digest can tell. */
  async function flipByte(path: string): Promise<void> {
    const file = join(path, 'optimizer.pt');
    const bytes = await readFile(file);
    bytes[4] = (bytes[4] ?? 0) ^ 0xff;
    await writeFile(file, bytes);
  }
  const refuses =
    (path: string): Work =>
    (trainer) =>
      trainer.finishes({
        status: 'failed',
        reason: 'data',
        message: `${path} is damaged`,
        damaged: { path, why: 'optimizer.pt differs from its seal' },
      });

  test('is passed over and named, and the next older one is tried', async () => {
    let newest = '';
    await failed(
      1,
      async (trainer) => {
        await trainer.saves(10);
        newest = await trainer.saves(20);
        await flipByte(newest);
      },
      killed,
    );
    const seal = await readSeal(newest);
    expect(seal).not.toMatchObject({
      value: { digest: (await computeSeal(newest, { step: 20, format: 'peft' })).digest },
    });
    const second = await failed(2, refuses(newest), { exitCode: 65 });
    expect(second.ticket.resumeStep).toBe(20);
    expect(second.judged).toMatchObject({ kind: 'resume', delaySeconds: 0 });
    const third = await startAttempt(bench, 3);
    expect(third.ticket.resumeStep).toBe(10);
    expect(third.ticket.sentence).toContain('checkpoint-20 is not complete (optimizer.pt differs from its seal)');
    const incidents = await bench.ledger.incidentsOf({ runId: 'run-1', phase: 'sft' });
    expect(incidents.map((one) => one.class)).toEqual(['killed', 'resume-damaged']);
  });

  test('is told by the log of a trainer that knows no result', async () => {
    await failed(
      1,
      async (trainer) => {
        for (const step of [10, 20]) await trainer.saves(step);
      },
      killed,
    );
    const end = { exitCode: 1, lastLines: ['RuntimeError: PytorchStreamReader failed reading zip archive: invalid'] };
    expect((await failed(2, nothing, end)).judged.kind).toBe('resume');
    expect((await startAttempt(bench, 3)).ticket.resumeStep).toBe(10);
  });

  test('never loops: with every one damaged the phase begins again', async () => {
    const paths: string[] = [];
    await failed(
      1,
      async (trainer) => {
        for (const step of [10, 20, 30]) paths.unshift(await trainer.saves(step));
      },
      killed,
    );
    const starts: number[] = [];
    for (const [index, path] of paths.entries())
      starts.push((await failed(index + 2, refuses(path), { exitCode: 65 })).ticket.resumeStep);
    expect([...starts, (await startAttempt(bench, 5)).ticket.resumeStep]).toEqual([30, 20, 10, 0]);
  });

  test('holds with its name when it is the one that the phase starts from', async () => {
    const why = 'model-00001-of-00002.safetensors differs from its seal';
    const work: Work = (trainer) =>
      trainer.finishes({ status: 'failed', reason: 'data', message: 'damaged', damaged: { path: parent.path, why } });
    const { judged } = await failed(1, work, { exitCode: 65 });
    expect([judged.kind, judged.sentence]).toEqual(['hold', expect.stringContaining(`(${parent.path}: ${why})`)]);
  });
});
