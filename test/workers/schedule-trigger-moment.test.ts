/** Whoever starts a sweep now is told the truth of it also where the server puts a moment of its own in place of ours. */
import { backfillSchedule, triggerSweep } from '../../workers/schedule-actions.ts';
import { runningOf } from '../../workers/schedules.ts';
import { eventually } from '../support/eventually.ts';
import { scheduleOf, schedulesOfFile } from '../support/schedule-bench.ts';

const bench = schedulesOfFile('state machines');

async function idleSchedule(name: string) {
  await bench.apply(scheduleOf(name, { at: ['03:00'] }));
  const handle = bench.client.schedule.getHandle(name);
  return { handle, there: await handle.describe() };
}

test('who triggers it is told of the sweep that runs, which may be that of another; while it runs none is started', async () => {
  const idle = await idleSchedule('told');
  const told = await triggerSweep(idle);
  const workflowId = runningOf(await bench.there('told'));
  expect(workflowId).toMatch(/^told-20/);
  expect(told).toMatchObject({ workflowId, isOwn: false });
  const busy = { ...idle, there: await bench.there('told') };
  await expect(triggerSweep(busy)).rejects.toThrow(`runs: ${String(workflowId)}; none is started beside it`);
});

test('a sweep of a backfill is not that of who triggers it', async () => {
  const idle = await idleSchedule('filled');
  const times = { from: new Date('2026-10-24T01:00Z'), to: new Date('2026-10-24T02:00Z'), now: new Date() };
  await backfillSchedule(bench.client, 'filled', times);
  await eventually('it has begun', 20, async () => runningOf(await bench.there('filled')) !== null);
  await expect(triggerSweep(idle)).rejects.toThrow('runs: filled-2026-10-24T01:00:00Z; none is started beside it');
});
