import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import {
  activityBench,
  type ActivityBench,
  type HeldActivity,
  runId,
  startAttempt,
  type StartedAttempt,
} from '../support/activity-bench.ts';
import { eventually } from '../support/eventually.ts';
import { fakeTrainer, type FakeTrainer } from '../support/fake-trainer.ts';

let bench: ActivityBench;
let attempt: StartedAttempt;
let trainer: FakeTrainer;
beforeEach(async () => {
  bench = await activityBench();
  attempt = await startAttempt(bench);
  trainer = fakeTrainer(attempt);
});
afterEach(() => bench.close());

const stateOf = async () => (await bench.ledger.attemptsOf({ workflowId: 'demo', phase: 'sft' }))[0]?.state;

describe('submitJob', () => {
  test('asks the backend for one job under the attempt name, and records whose it is', async () => {
    const { ticket, job } = attempt;
    expect(bench.backend.submitted).toEqual([
      {
        name: ticket.jobName,
        directory: ticket.directory,
        requestPath: `${ticket.directory}/request.json`,
        owner: `${runId}/train/1`,
        slots: 1,
        memoryFactor: 1,
        sharedMemoryFactor: 1,
        avoidNodes: [],
        labels: { pipeline: 'demo', phase: 'sft', kind: 'sft', attempt: 1, workflowId: 'demo' },
      },
    ]);
    const [record] = await bench.ledger.attemptsOf({ workflowId: 'demo', phase: 'sft' });
    expect(record).toMatchObject({ state: 'queued', jobUid: job.uid });
  });

  test('finds the same job when its reply was lost', async () => {
    expect(await bench.as('phase-run-1').submitJob(attempt)).toEqual(attempt.job);
    expect(await bench.backend.list()).toHaveLength(1);
  });
});

/** Minutes pass while somebody looks. */
async function watchFor(minutes: number, beat: HeldActivity['beat']): Promise<void> {
  for (let half = 0; half < minutes * 2; half += 1) {
    bench.pass(30);
    const want = Math.min((half + 1) * 30, 15 * 60);
    await beat(({ idleSeconds }) => idleSeconds >= want);
  }
}

describe('awaitJob answers at the next event', () => {
  test('a due checkpoint, while the job runs on', async () => {
    const event = bench.held().activities.awaitJob({ ...attempt, seenSteps: [] });
    bench.backend.run(attempt.job);
    await trainer.saves(10);
    const path = await trainer.saves(20);
    expect(await event).toEqual({
      kind: 'checkpoint',
      checkpoint: { id: 'demo/sft/a1/checkpoint-20', path, format: 'peft', base: parentPath, step: 20, digest: null },
    });
    expect(await bench.ledger.checkpoint('demo/sft/a1/checkpoint-20')).toMatchObject({ level: 'complete', step: 20 });
  });

  test('a due checkpoint that came with the end goes before the end', async () => {
    await trainer.saves(20);
    await trainer.saves(40);
    bench.backend.end(attempt.job);
    const next = (seenSteps: number[]) => bench.held().activities.awaitJob({ ...attempt, seenSteps });
    expect(await next([])).toMatchObject({ kind: 'checkpoint', checkpoint: { step: 20 } });
    expect(await next([20])).toMatchObject({ kind: 'checkpoint', checkpoint: { step: 40 } });
    expect(await next([20, 40])).toEqual({ kind: 'ended' });
  });

  test.each([
    {
      title: 'the end of the job',
      act: () => {
        bench.backend.end(attempt.job, { exitCode: 1 });
      },
    },
    {
      title: 'a job that vanished',
      act: () => {
        bench.backend.lose(attempt.job);
      },
    },
  ])('$title', async ({ act }) => {
    const event = bench.held().activities.awaitJob({ ...attempt, seenSteps: [] });
    await bench.backend.awaited();
    act();
    expect(await event).toEqual({ kind: 'ended' });
  });

  test('a node that does not answer, after what was saved before', async () => {
    const event = bench.held().activities.awaitJob({ ...attempt, seenSteps: [20] });
    bench.backend.run(attempt.job);
    await trainer.saves(20);
    await trainer.saves(40);
    bench.backend.loseNode(attempt.job, 'gpu-7');
    expect(await event).toMatchObject({ kind: 'checkpoint', checkpoint: { step: 40 } });
    const next = await bench.held().activities.awaitJob({ ...attempt, seenSteps: [20, 40] });
    expect(next).toEqual({ kind: 'lost', because: 'node gpu-7 does not answer any more' });
  });

  test('a stall, with what it did and for how long', async () => {
    await trainer.says(12, 'training');
    const { activities, beat } = bench.held();
    const event = activities.awaitJob({ ...attempt, seenSteps: [] });
    bench.backend.run(attempt.job);
    await beat(({ step, state }) => step === 12 && state === 'running');
    await watchFor(16, beat);
    expect(await event).toEqual({
      kind: 'stalled',
      because: 'It has been training without movement at step 12 for 16 min; 15 min are allowed.',
    });
  });

  test('no stall when the whole machine slept: only time that was watched counts', async () => {
    await trainer.says(12, 'training');
    const { activities, beat, cancel } = bench.held();
    const event = activities.awaitJob({ ...attempt, seenSteps: [] });
    event.catch(() => undefined);
    bench.backend.run(attempt.job);
    await beat(({ step, state }) => step === 12 && state === 'running');
    bench.pass(10 * 3600);
    await beat(({ idleSeconds }) => idleSeconds > 0);
    const { idleSeconds } = await beat(({ idleSeconds: idle }) => idle > 0);
    expect(idleSeconds).toBeLessThanOrEqual(60);
    cancel();
    await expect(event).rejects.toThrow(/CANCELLED/);
  });

  test('a stall that began before this wait: a restarted worker goes on counting', async () => {
    await trainer.says(12, 'training');
    const before = { updatedAt: '2026-11-29T10:00:00.000Z', idleSeconds: 899 };
    const { activities, beat } = bench.held(runId, before);
    const event = activities.awaitJob({ ...attempt, seenSteps: [] });
    bench.backend.run(attempt.job);
    await beat(({ step, state }) => step === 12 && state === 'running');
    bench.pass(2);
    expect(await event).toMatchObject({ kind: 'stalled' });
  });

  test('and none for a thing that the recipe gives more time', async () => {
    await trainer.says(12, 'compiling');
    const budgets = { ...attempt.context.budgets, stallMinutes: { compiling: 0.5 } };
    const { activities, beat } = bench.held();
    const event = activities.awaitJob({ ...attempt, context: { ...attempt.context, budgets }, seenSteps: [] });
    bench.backend.run(attempt.job);
    await beat(({ step, state }) => step === 12 && state === 'running');
    bench.pass(31);
    expect(await event).toEqual({
      kind: 'stalled',
      because: 'It has been compiling without movement at step 12 for 31 s; 30 s are allowed.',
    });
  });

  test('but not for a job that waits in the queue, within its bound', async () => {
    const { activities, beats, beat, cancel } = bench.held();
    const event = activities.awaitJob({ ...attempt, seenSteps: [] });
    event.catch(() => undefined);
    bench.pass(59 * 60);
    await beat(() => beats.length > 5);
    cancel();
    await expect(event).rejects.toThrow(/CANCELLED/);
  });

  test('a wait in the queue that is longer than the recipe allows, also over a restart of the worker', async () => {
    bench.pass(61 * 60);
    const event = await bench.held().activities.awaitJob({ ...attempt, seenSteps: [] });
    expect(event).toEqual({
      kind: 'waited',
      because:
        'It waited 61 min to start, and budgets.waitMinutes allows 60 min: its place in the queue is given up, and no attempt is charged.',
      wait: { for: 'queue', reason: null, seconds: 3660, node: null },
    });
  });

  test('so does one that has its place and never starts there', async () => {
    bench.backend.starting(attempt.job, 'ImagePullBackOff: Back-off pulling image "trainer:nonesuch"');
    bench.pass(61 * 60);
    const { activities, cancel } = bench.held();
    const event = Promise.race([
      activities.awaitJob({ ...attempt, seenSteps: [] }),
      pause(60_000, 'waits for ever', { ref: false }),
    ]);
    const seen = await event;
    cancel();
    expect(seen).toMatchObject({ kind: 'waited', because: expect.stringContaining('(ImagePullBackOff: ') as string });
  });
});

describe('what a person sees of the pending activity', () => {
  test('small readable JSON: the job, its state, the step and the newest numbers', async () => {
    const { activities, beats, beat, cancel } = bench.held();
    const event = activities.awaitJob({ ...attempt, seenSteps: [20] });
    event.catch(() => undefined);
    bench.backend.run(attempt.job);
    await trainer.saves(20);
    await trainer.says(23, 'training', { loss: 0.25, reward: 0.5, gradNorm: 1.5 });
    expect(await beat(({ step, checkpoint }) => step === 23 && checkpoint === 20)).toEqual({
      job: attempt.job.name,
      state: 'running',
      step: 23,
      of: 50,
      doing: 'training',
      loss: 0.25,
      reward: 0.5,
      checkpoint: 20,
      updatedAt: '2026-11-29T10:00:00.000Z',
      idleSeconds: 0,
      unseenSeconds: 0,
    });
    expect(JSON.stringify(beats.at(-1)).length).toBeLessThan(300);
    cancel();
    await expect(event).rejects.toThrow(/CANCELLED/);
  });

  test('a job that has said nothing yet starts at the step it resumes from', async () => {
    await trainer.saves(10);
    bench.backend.end(attempt.job, { exitCode: 1 });
    const next = await startAttempt(bench, 2);
    const { activities, beat, cancel } = bench.held();
    const event = activities.awaitJob({ ...next, seenSteps: [] });
    event.catch(() => undefined);
    expect(await beat()).toMatchObject({
      state: 'queued',
      doing: 'starting',
      step: 10,
      of: 50,
      loss: null,
      reward: null,
    });
    cancel();
    await expect(event).rejects.toThrow(/CANCELLED/);
  });
});

test('a watch that is cancelled leaves the job alone and nothing behind, and the next one goes on', async () => {
  const { activities, beats, cancel } = bench.held();
  const event = activities.awaitJob({ ...attempt, seenSteps: [] });
  bench.backend.run(attempt.job);
  await bench.backend.awaited();
  cancel();
  await expect(event).rejects.toThrow(/CANCELLED/);
  const beaten = beats.length;
  expect(bench.backend.stopped).toEqual([]);
  expect(bench.backend.waiting).toBe(0);
  const next = bench.held();
  const again = next.activities.awaitJob({ ...attempt, seenSteps: [] });
  await next.beat();
  bench.backend.end(attempt.job);
  expect(await again).toEqual({ kind: 'ended' });
  expect(beats).toHaveLength(beaten);
});

test('the row of the attempt says what its job does', async () => {
  expect(await stateOf()).toBe('queued');
  const event = bench.held().activities.awaitJob({ ...attempt, seenSteps: [] });
  bench.backend.run(attempt.job);
  await eventually('it runs', 60, async () => (await stateOf()) === 'running');
  bench.backend.end(attempt.job);
  await event;
  expect(await stateOf()).toBe('running');
});

describe('stopJob', () => {
  test.each([
    { reason: 'cancel', want: 'cancelled' },
    { reason: 'deadline', want: 'cancelled' },
    { reason: 'waited', want: 'stopping' },
    { reason: 'stalled', want: 'stopping' },
  ] as const)(
    'for $reason stops it with the grace of the profile; the attempt is then $want',
    async ({ reason, want }) => {
      await bench.as('phase-run-1').stopJob({ ...attempt, reason });
      await bench.as('phase-run-1').stopJob({ ...attempt, reason });
      expect(bench.backend.stopped[0]).toEqual({ job: attempt.job.name, reason, graceSeconds: 7 });
      expect(await bench.backend.list()).toEqual([]);
      expect(await stateOf()).toBe(want);
    },
  );

  test('answers with the last step that its trainer told of, and with none where the store cannot be read', async () => {
    const stop = () => bench.as('phase-run-1').stopJob({ ...attempt, reason: 'cancel' });
    expect(await stop()).toEqual({ step: null });
    await trainer.says(12, 'training');
    expect(await stop()).toEqual({ step: 12 });
    await rm(attempt.ticket.directory, { recursive: true });
    await writeFile(attempt.ticket.directory, '');
    expect(await stop()).toEqual({ step: null });
  });
});

const parentPath = '/store/pipelines/demo/base/attempt-1/checkpoints/checkpoint-160';
