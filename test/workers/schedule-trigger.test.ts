/** Whoever starts a sweep now is told the truth of it, whoever else starts one in this moment. */
import { backfillSchedule, triggerSweep } from '../../workers/schedule-actions.ts';
import { runningOf } from '../../workers/schedules.ts';
import { eventually } from '../support/eventually.ts';
import { scheduleOf, schedulesOfFile } from '../support/schedule-bench.ts';

const bench = schedulesOfFile();
const { apply, there } = bench;
const nights = { at: ['03:00'] };

test('of two that trigger it at once one has its sweep, and the other is told that this one runs', async () => {
  await apply(scheduleOf('beside', nights));
  const handle = bench.client.schedule.getHandle('beside');
  const idle = { handle, there: await handle.describe() };
  const answers = await Promise.allSettled([triggerSweep(idle), triggerSweep(idle)]);
  const workflowId = runningOf(await there('beside'));
  expect(workflowId).toMatch(/^beside-20/);
  const told = answers.map((one) => (one.status === 'fulfilled' ? one.value.workflowId : String(one.reason)));
  expect(told.sort()).toEqual([
    expect.stringContaining(`a sweep of schedule "beside" runs: ${String(workflowId)}; none is started beside it`),
    workflowId,
  ]);
  expect((await there('beside')).info.numActionsTaken).toBe(1);
});

test('one that a backfill begins meanwhile is no sweep of who triggers it', async () => {
  await apply(scheduleOf('filled-beside', nights));
  const handle = bench.client.schedule.getHandle('filled-beside');
  const idle = { handle, there: await handle.describe() };
  const times = { from: new Date('2026-10-24T01:00Z'), to: new Date('2026-10-24T02:00Z'), now: new Date() };
  await backfillSchedule(bench.client, 'filled-beside', times);
  await eventually('it has begun', 20, async () => runningOf(await there('filled-beside')) !== null);
  await expect(triggerSweep(idle)).rejects.toThrow(
    'a sweep of schedule "filled-beside" runs: filled-beside-2026-10-24T01:00:00Z; none is started beside it',
  );
});
