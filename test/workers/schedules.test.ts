/** Schedules of sweeps on a real Temporal server: applied from a file, edited as the UI edits, applied again. */
import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { clockTroubles, startsBetween } from '../../decisions/clock-change.ts';
import { scheduleFacts } from '../../workers/schedule-facts.ts';
import { applySchedule, describedSweeps, listSchedules } from '../../workers/schedules.ts';
import { appliedText, schedulesText } from '../../workers/terminal/schedule-text.ts';
import { eventually } from '../support/eventually.ts';
import { recipeOf } from '../support/recipes.ts';
import { scheduleOf as file, schedulesOfFile } from '../support/schedule-bench.ts';
import { sweepStory } from '../support/sweep-stories.ts';
import { taskQueue } from '../support/workflow-bench.ts';

const bench = schedulesOfFile();
const { apply, there, edit } = bench;

test('a file becomes a schedule that starts the sweep: zone, skip, hours of catching up, and a form that reads well', async () => {
  expect(await apply(file('made', { days: ['friday', 'monday'] }))).toMatchObject({ kind: 'created' });
  const { spec, policies, action } = await there('made');
  expect(spec.timezone).toBe('Europe/Berlin');
  expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 6 * 3_600_000 });
  expect(action).toMatchObject({
    ...{ workflowType: 'evalSweep', taskQueue, staticSummary: 'sweep made' },
    args: [{ sweep: { name: 'made', benchmarks: ['addition'], seeds: 3, checkpoints: { running: true } } }],
  });
  expect((await scheduleFacts(bench.client, 'made'))?.times).toMatchObject([
    { minutes: [180], days: ['monday', 'friday'], timeZone: 'Europe/Berlin' },
    { minutes: [930] },
  ]);
});

test('applied again it is the same: nothing is written', async () => {
  await apply(file('same'));
  const before = (await there('same')).info.lastUpdatedAt;
  const again = await apply(file('same'));
  expect(again).toMatchObject({ kind: 'unchanged' });
  expect(appliedText('same', again, false)).toBe('schedule same is as the file says');
  expect((await there('same')).info.lastUpdatedAt).toEqual(before);
});

test('a file that has changed is taken over; a dry run says so and changes nothing', async () => {
  await apply(file('changed'));
  const changed = file('changed', { at: ['04:00'], sweep: { benchmarks: ['addition'], gpuHours: 2 } });
  const dry = await apply(changed, true);
  expect(appliedText('changed', dry, true)).toBe(
    'schedule changed would be changed\n  ~ at: ["03:00","15:30"] → ["04:00"]\n  ~ sweep.gpuHours: 8 → 2',
  );
  expect((await there('changed')).spec.calendars).toHaveLength(2);
  expect(await apply(changed)).toMatchObject({ kind: 'updated' });
  const now = await there('changed');
  expect([now.spec.calendars?.length, now.action.args]).toMatchObject([1, [{ sweep: { gpuHours: 2, seeds: 3 } }]]);
});

test('what a person edited stays, as do jitter, pause and a note that no file names; the rest follows the file', async () => {
  await apply(file('edited'));
  await edit('edited', ({ policies, spec }) => ({
    policies: { ...policies, catchupWindow: 3_600_000 },
    spec: { ...spec, jitter: 30_000 },
  }));
  await bench.pause('edited', 'the cluster moves');
  const wanted = file('edited', { timeZone: 'UTC' });
  const applied = await apply(wanted);
  expect(appliedText('edited', applied, false)).toBe(
    [
      'schedule edited is changed',
      '  ~ timeZone: "Europe/Berlin" → "UTC"',
      '  = catchUpHours: stays 1, as it was edited since (the file says 6)',
    ].join('\n'),
  );
  expect(await there('edited')).toMatchObject({
    policies: { catchupWindow: 3_600_000 },
    spec: { jitter: 30_000, timezone: 'UTC' },
    state: { paused: true, note: 'the cluster moves' },
  });
  expect(await apply(wanted)).toMatchObject({ kind: 'unchanged', merge: { kept: [{ field: 'catchUpHours' }] } });
});

test('a field that both have changed is a conflict: both are shown, and nothing is changed, of no field', async () => {
  await apply(file('conflict'));
  await edit('conflict', ({ policies }) => ({ policies: { ...policies, catchupWindow: 3_600_000 } }));
  await expect(apply(file('conflict', { catchUpHours: 12, timeZone: 'UTC' }))).rejects.toMatchObject({
    code: 'invalid-input',
    message: expect.stringMatching(
      /^schedule "conflict" was edited [^]*\n {2}! catchUpHours: is 1, the file says 12\n.*apply again/,
    ) as string,
  });
  expect((await there('conflict')).spec.timezone).toBe('Europe/Berlin');
  expect(await apply(file('conflict', { catchUpHours: 1, timeZone: 'UTC' }))).toMatchObject({ kind: 'updated' });
});

test('one that was made in the UI is taken over where it says the same, and refused where it does not', async () => {
  const create = (scheduleId: string, expression: string) =>
    bench.client.schedule.create({
      scheduleId,
      spec: { cronExpressions: [expression], timezone: 'Europe/Berlin' },
      policies: { overlap: 'SKIP', catchupWindow: '6 hours' },
      action: {
        ...{ type: 'startWorkflow', workflowType: 'evalSweep', taskQueue },
        args: [{ sweep: { name: scheduleId, ...file(scheduleId).sweep } }],
      },
    });
  await create('by-hand', '0 3 * * *');
  expect(await apply(file('by-hand', { at: ['03:00'] }))).toMatchObject({ kind: 'unchanged' });
  expect(await apply(file('by-hand', { at: ['04:00'] }))).toMatchObject({ kind: 'updated' });
  await create('by-hand-other', '30 2 * * 1-5');
  expect((await scheduleFacts(bench.client, 'by-hand-other'))?.times).toMatchObject([
    { minutes: [150], days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'], timeZone: 'Europe/Berlin' },
  ]);
  await expect(apply(file('by-hand-other'))).rejects.toThrow(/was not made from a file[^]*! at: is \["02:30"\]/);
});

test('times that come not at all, or twice, are those that the server says so of', async () => {
  await apply(file('clock', { at: ['01:30', '02:30', '03:00'], timeZone: 'America/New_York' }));
  const [times] = (await scheduleFacts(bench.client, 'clock'))?.times ?? [];
  if (times === undefined) throw new Error('no times');
  const minutes = [90, 150, 180];
  const troubles = clockTroubles({ ...times, minutes }, '2026-10-25T00:00:00Z');
  expect(troubles).toEqual([
    { minute: 90, date: '2026-11-01', kind: 'doubled' },
    { minute: 150, date: '2027-03-14', kind: 'skipped' },
  ]);
  // By UTC, each local time on the two days of the changes.
  expect(await startsOf('clock', '2026-11-01T04:00Z', '2026-11-02T05:00Z')).toEqual([
    '05:30',
    '06:30',
    '07:30',
    '08:00',
  ]);
  expect(await startsOf('clock', '2027-03-14T05:00Z', '2027-03-15T04:00Z')).toEqual(['06:30', '07:00']);
});

test('the starts of an interval are as many as the server says', async () => {
  const [from, until] = ['2026-11-26T01:00:00.500Z', '2026-11-27T09:00:00.000Z'];
  await bench.client.schedule.create({
    scheduleId: 'hourly',
    spec: { intervals: [{ every: '7 hours', offset: '20 minutes' }], calendars: [{ hour: 3 }], timezone: 'Asia/Tokyo' },
    action: { type: 'startWorkflow', workflowType: 'evalSweep', taskQueue },
    state: { paused: true },
  });
  const facts = await scheduleFacts(bench.client, 'hourly');
  const starts = await startsOf('hourly', from, until);
  expect([facts && startsBetween(facts, { from, until }), starts.length]).toEqual([5, 5]);
});

/** When the server would start it, in UTC. */
async function startsOf(scheduleId: string, from: string, to: string): Promise<readonly string[]> {
  const { startTime } = await bench.client.workflowService.listScheduleMatchingTimes({
    ...{ namespace: bench.client.options.namespace, scheduleId },
    startTime: msToTs(Date.parse(from)),
    endTime: msToTs(Date.parse(to)),
  });
  return startTime.map((at) => new Date(Number(at.seconds) * 1000).toISOString().slice(11, 16));
}

test('what the server did not take, or somebody edited as it was written, is told with what stands', async () => {
  await apply(file('read-back'));
  const during = (then: () => Promise<void>) => {
    const handle = bench.client.schedule.getHandle('read-back');
    const update: typeof handle.update = async (change) => {
      await handle.update(change as never);
      await then();
    };
    const schedule = { getHandle: () => ({ ...handle, update }) };
    return applySchedule({ schedule } as unknown as Client, {
      ...{ schedule: file('read-back', { catchUpHours: 12 }), taskQueue, dryRun: false },
    });
  };
  const asBefore = () =>
    edit('read-back', ({ policies }) => ({ policies: { ...policies, catchupWindow: 6 * 3_600_000 } }));
  await expect(during(asBefore)).rejects.toThrow(
    /^schedule "read-back" is not what was written: [^]*\n {2}! catchUpHours: is 6, was written as 12\n.*apply again/,
  );
});

test('a zone with other capitals is none for the server', async () => {
  await expect(apply({ ...file('zone'), timeZone: 'europe/berlin' })).rejects.toThrow(
    'unknown time zone europe/berlin',
  );
});

test('times that no file can say, with the same weekdays, are one thing: kept while the file stays, else a conflict', async () => {
  await apply(file('half'));
  const halfOfMonth = [{ start: 1, end: 15, step: 1 }];
  await edit('half', ({ spec }) => ({
    spec: { ...spec, calendars: spec.calendars?.map((one) => ({ ...one, dayOfMonth: halfOfMonth })) },
  }));
  await expect(apply(file('half', { days: ['monday'] }))).rejects.toThrow(
    /! at: is \{.*the file says \{"at":\["03:00"/,
  );
  const applied = await apply(file('half', { catchUpHours: 2 }));
  expect(applied).toMatchObject({ merge: { changes: [{ field: 'catchUpHours' }], kept: [{ field: 'at' }] } });
  expect(await there('half')).toMatchObject({
    policies: { catchupWindow: 2 * 3_600_000 },
    spec: { calendars: [{ dayOfMonth: halfOfMonth }, { dayOfMonth: halfOfMonth }] },
  });
  await apply(file('stepped'));
  await edit('stepped', ({ spec }) => ({
    spec: {
      ...spec,
      calendars: spec.calendars?.map((one) => ({ ...one, month: [{ start: 'JANUARY', end: 'DECEMBER', step: 2 }] })),
    },
  }));
  await expect(apply(file('stepped', { at: ['04:00'] }))).rejects.toThrow('! at: is ');
});

test('a sweep that was edited keeps what no file names; one that is named instead is one thing', async () => {
  await apply(file('input'));
  const input = async () => (await there('input')).action.args?.[0] as { sweep: object };
  const { sweep } = await input();
  const setInput = (args: unknown[]) => edit('input', ({ action }) => ({ action: { ...action, args } }));
  await setInput([{ sweep: { ...sweep, name: 'other' } }]);
  const wanted = { benchmarks: ['addition'], gpuHours: 2, checkpoints: { running: false } };
  await apply(file('input', { sweep: wanted }));
  expect(await input()).toMatchObject({
    sweep: { name: 'other', gpuHours: 2, seeds: 3, checkpoints: { running: false, champions: true } },
  });
  await setInput([{ sweep: 'nightly-eval' }]);
  const kept = await apply(file('input', { sweep: wanted, catchUpHours: 1 }));
  expect(kept).toMatchObject({ merge: { kept: [{ field: 'sweep', there: 'nightly-eval' }] } });
  expect(await input()).toEqual({ sweep: 'nightly-eval' });
  await expect(apply(file('input'))).rejects.toThrow('! sweep: is "nightly-eval"');
});

test('a schedule of something else is left alone', async () => {
  await bench.foreign('foreign');
  await expect(apply(file('foreign'))).rejects.toThrow('schedule "foreign" starts other, no sweep');
  expect((await listSchedules(bench.client)).map(({ id }) => id)).not.toContain('foreign');
  const handle = bench.client.schedule.getHandle('foreign');
  await expect(describedSweeps(handle)).rejects.toThrow('schedule "foreign" starts other, no sweep');
  expect(await scheduleFacts(bench.client, 'nobody')).toBeNull();
});

test('triggered, it starts a sweep that knows its schedule, and the list shows it', async () => {
  await bench.withWorker(async (stories) => {
    await apply(file('nightly'));
    const handle = bench.client.schedule.getHandle('nightly');
    // The run's id has the time of its start behind the schedule's.
    const story = stories.tell('nightly', recipeOf(), sweepStory(0));
    await handle.trigger();
    await story.called('closeSweep');
    expect(story.inputsOf('openSweep')).toMatchObject([
      { schedule: 'nightly', input: { sweep: { name: 'nightly', benchmarks: ['addition'] } } },
    ]);
    const listed = await eventually('the list shows the sweep', 60, async () => {
      const one = (await listSchedules(bench.client)).find(({ id }) => id === 'nightly');
      return one?.last === null || one?.last === undefined || one.running !== null ? null : one;
    });
    expect(listed.last).toMatch(/^nightly-\d{4}-/);
    expect(schedulesText([listed])).toMatch(/nightly +03:00, 15:30 Europe\/Berlin +20.*nightly-20.* 1 +0$/);
  });
});
