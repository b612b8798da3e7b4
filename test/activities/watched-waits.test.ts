/** A job that does not run yet, as its watch sees it: what it waits for is told, and what it cannot start for is given up in time. */
import type { WaitKind } from '../../decisions/states.ts';
import { activityBench, type ActivityBench, type StartedAttempt, startAttempt } from '../support/activity-bench.ts';

let bench: ActivityBench;
let attempt: StartedAttempt;
beforeEach(async () => {
  bench = await activityBench();
  attempt = await startAttempt(bench);
});
afterEach(() => bench.close());

const unmounted = 'FailedMount: MountVolume.SetUp failed for volume "store": exit status 32';

test('one that has its place and cannot start is given up sooner, and is to be judged', async () => {
  bench.backend.starting(attempt.job, unmounted, 'mount');
  bench.pass(601);
  const event = await bench.held().activities.awaitJob({ ...attempt, seenSteps: [] });
  expect(event).toEqual({
    kind: 'waited',
    because: `It waited 10 min for its volumes (${unmounted}), and 10 min are allowed: what it holds is released.`,
    wait: { for: 'mount', reason: unmounted, seconds: 601, node: 'node-1' },
  });
});

test('what it waits for is told once it is no everyday wait, once, and that it runs', async () => {
  const next = (toldWait: WaitKind | 'none') =>
    bench.held().activities.awaitJob({ ...attempt, seenSteps: [], toldWait });
  bench.backend.starting(attempt.job, unmounted, 'mount');
  bench.pass(16);
  const told = await next('none');
  expect(told).toEqual({
    kind: 'waits',
    for: 'mount',
    sentence: `waits for its volumes since 2026-11-29 10:00 UTC, at most 10 min (${unmounted})`,
    reason: unmounted,
  });
  const { activities, beat } = bench.held();
  const second = activities.awaitJob({ ...attempt, seenSteps: [], toldWait: 'mount' });
  expect(await beat(({ state }) => state === 'starting')).toMatchObject({
    waits: expect.stringMatching(/^waits for its volumes/) as string,
  });
  bench.backend.run(attempt.job);
  expect(await second).toEqual({ kind: 'waits', for: 'none', sentence: 'attempt 1 runs' });
});

test('of a wait of the same kind another reason is told too, other numbers in it are not', async () => {
  const next = (toldReason: string) => {
    const input = { ...attempt, seenSteps: [], toldWait: 'mount' as const, toldReason };
    const held = bench.held();
    const event = held.activities.awaitJob(input);
    event.catch(() => undefined);
    return { ...held, event };
  };
  bench.backend.starting(attempt.job, unmounted, 'mount');
  bench.pass(16);
  expect(await next('FailedMount: no such claim').event).toEqual({
    kind: 'waits',
    for: 'mount',
    sentence: `waits for its volumes since 2026-11-29 10:00 UTC, at most 10 min (${unmounted})`,
    reason: unmounted,
  });
  const same = next(unmounted.replace('32', '33'));
  await same.beat(() => same.beats.length > 5);
  same.cancel();
  await expect(same.event).rejects.toThrow(/CANCELLED/);
});

test('an everyday wait is told to nobody, and a run of an older version is not told at all', async () => {
  bench.backend.starting(attempt.job, 'ContainerCreating');
  bench.pass(14);
  const young = bench.held();
  const older = bench.held();
  const events = [
    young.activities.awaitJob({ ...attempt, seenSteps: [], toldWait: 'none' }),
    older.activities.awaitJob({ ...attempt, seenSteps: [] }),
  ];
  for (const event of events) event.catch(() => undefined);
  await young.beat(() => young.beats.length > 5);
  young.cancel();
  bench.pass(100);
  const before = older.beats.length;
  await older.beat(() => older.beats.length > before + 5);
  older.cancel();
  for (const event of events) await expect(event).rejects.toThrow(/CANCELLED/);
});

test('no stall while it waits: its trainer cannot have said a word', async () => {
  const budgets = { ...attempt.context.budgets, waitMinutes: 600, stallMinutes: { starting: 0.5 } };
  bench.backend.starting(attempt.job, 'Pulling: a large image', 'pulling');
  const { activities, beats, beat, cancel } = bench.held();
  const event = activities.awaitJob({ ...attempt, context: { ...attempt.context, budgets }, seenSteps: [] });
  event.catch(() => undefined);
  for (let minute = 0; minute < 20; minute += 1) {
    bench.pass(60);
    const before = beats.length;
    await beat(() => beats.length > before + 2);
  }
  expect(beats.at(-1)).toMatchObject({ state: 'starting', idleSeconds: 0 });
  cancel();
  await expect(event).rejects.toThrow(/CANCELLED/);
});
