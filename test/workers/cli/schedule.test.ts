/** `temper schedule` against a real Temporal server: what a person reads, and what the server has then. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NextOfSweep } from '../../../activities/sweeps.ts';
import { recipeOf } from '../../support/recipes.ts';
import { temper } from '../../support/command-line.ts';
import { eventually } from '../../support/eventually.ts';
import { scheduleOf, schedulesOfFile } from '../../support/schedule-bench.ts';
import type { Answers } from '../../support/stories.ts';
import { sweepStory } from '../../support/sweep-stories.ts';
import { taskQueue } from '../../support/workflow-bench.ts';
import {
  backfillSchedule,
  deleteSchedule,
  pauseSchedule,
  triggerSchedule,
  unpauseSchedule,
} from '../../../workers/schedule-actions.ts';
import { listSchedules } from '../../../workers/schedules.ts';

const bench = schedulesOfFile();
const { apply, there, edit } = bench;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-schedules-'));
});
afterAll(() => rm(folder, { recursive: true }));

const say = (...words: string[]) =>
  temper(['schedule', ...words], { environment: { TEMPORAL_ADDRESS: bench.address, TEMPER_TASK_QUEUE: taskQueue } });

/** Nights at three, in Berlin. */
const nightly = (name: string, change: object = {}) => scheduleOf(name, { at: ['03:00'], ...change });
const times = ['--from', '2026-10-24T00:00Z', '--to', '2026-10-26T12:00Z'];
const each = [['pause'], ['unpause'], ['trigger'], ['backfill', ...times], ['delete']];
/** The server lists what it has a little later. */
const listed = (id: string) =>
  eventually(
    `${id} is listed`,
    60,
    async () => (await listSchedules(bench.client)).find((one) => one.id === id) ?? null,
  );

test('paused with a reason, it says so, as the list does; paused again, that reason stays', async () => {
  await apply(nightly('paused'));
  expect(await say('pause', 'paused', '--reason', 'the cluster moves')).toMatchObject({
    exitCode: 0,
    output: 'schedule paused is paused; `temper schedule unpause paused` lets it go on\n',
  });
  expect((await say('pause', 'paused')).output).toBe(
    'schedule paused is paused already (the cluster moves); `temper schedule unpause paused` lets it go on\n',
  );
  expect((await there('paused')).state).toMatchObject({ paused: true, note: 'the cluster moves' });
  await listed('paused');
  expect((await say('list')).output).toMatch(
    /\npaused +03:00 Europe\/Berlin +paused [^]*\npaused is paused: the cluster moves\n/,
  );
  expect((await say('pause', 'paused', '--reason', 'it moves on')).output).toMatch(
    /was paused already \(the cluster moves\); its note is now: it moves on;/,
  );
  expect((await there('paused')).state).toMatchObject({ paused: true, note: 'it moves on' });
});

test('unpaused, it says when it starts next; unpaused again, nothing is changed', async () => {
  await apply(nightly('unpaused'));
  await bench.pause('unpaused');
  expect((await say('unpause', 'unpaused', '--reason', 'it has moved')).output).toMatch(
    /^schedule unpaused goes on: it starts next at \d{4}-\d\d-\d\d 0[12]:00 UTC\n$/,
  );
  expect((await say('unpause', 'unpaused', '--reason', 'again')).output).toMatch(
    /^schedule unpaused is not paused: it starts next at /,
  );
  expect((await there('unpaused')).state).toMatchObject({ paused: false, note: 'it has moved' });
});

test.each(each)('%s of a name that no schedule has names the nearest', async (...words) => {
  const [verb = '', ...options] = words;
  await apply(nightly('nearly'));
  await listed('nearly');
  expect(await say(verb, 'neraly', ...options)).toEqual({
    exitCode: 2,
    output: '',
    errors:
      'temper: there is no schedule "neraly" on this server; did you mean "nearly"? `temper schedule list` shows what there is\n',
  });
});

test('one that was deleted in the UI meanwhile is not there', async () => {
  await apply(nightly('deleted-there'));
  await listed('deleted-there');
  await bench.client.schedule.getHandle('deleted-there').delete();
  expect((await say('pause', 'deleted-there')).errors).toMatch(/^temper: there is no schedule "deleted-there"/);
  expect((await say('list')).output).not.toContain('deleted-there');
});

test('a schedule of something else is refused by each of them, and stays as it is', async () => {
  await bench.foreign('theirs');
  const { client } = bench;
  const past = { from: new Date('2026-10-24T00:00Z'), to: new Date('2026-10-26T00:00Z'), now: new Date() };
  for (const act of [
    () => pauseSchedule(client, 'theirs', 'why'),
    () => unpauseSchedule(client, 'theirs', 'why'),
    () => triggerSchedule(client, 'theirs'),
    () => backfillSchedule(client, 'theirs', past),
    () => deleteSchedule(client, 'theirs'),
  ])
    await expect(act()).rejects.toThrow('schedule "theirs" starts other, no sweep');
  expect(await there('theirs')).toMatchObject({ state: { paused: false }, info: { numActionsTaken: 0 } });
});

test('what was edited in the UI stays when it is paused', async () => {
  await apply(nightly('edited'));
  await edit('edited', ({ spec, policies }) => ({
    spec: { ...spec, jitter: 30_000, timezone: 'UTC' },
    policies: { ...policies, catchupWindow: 3_600_000 },
  }));
  await say('pause', 'edited');
  await say('unpause', 'edited');
  expect(await there('edited')).toMatchObject({
    spec: { jitter: 30_000, timezone: 'UTC' },
    policies: { catchupWindow: 3_600_000 },
  });
});

test('triggered, it names its sweep, and that no worker is there to take it; none is started beside it', async () => {
  await apply(nightly('triggered'));
  await edit('triggered', ({ action }) => ({ action: { ...action, taskQueue: 'nobody' } }));
  await bench.pause('triggered');
  const { exitCode, output, errors } = await say('trigger', 'triggered');
  expect([exitCode, output]).toEqual([
    0,
    expect.stringMatching(
      /^schedule triggered has started (triggered-20\S+Z): http\S+\/triggered-20\S+\nIt stays paused\.\n$/,
    ),
  ]);
  expect(errors).toMatch(/^warning: no worker polls the task queue "nobody" of .*: the sweep waits for one\n$/);
  expect(await say('trigger', 'triggered')).toMatchObject({
    exitCode: 2,
    errors: expect.stringMatching(/^temper: a sweep of schedule "triggered" runs: triggered-20\S+; none /) as string,
  });
});

test.each([
  { from: '2026-10-26T00:00Z', to: '2026-10-24T00:00Z', want: '--from must be before --to' },
  {
    from: '2026-10-26T00:00Z',
    to: '2999-01-01T00:00Z',
    want: /--to is not over yet, it is 20.* UTC: .*trigger filled/,
  },
  {
    from: '2026-10-24T02:00Z',
    to: '2026-10-24T22:00Z',
    want: 'schedule "filled" has no start between 2026-10-24 02:00 and 2026-10-24 22:00 UTC: `temper schedule list` shows its times',
  },
  { from: '2026-08-01T00:00Z', to: '2026-11-01T00:00Z', want: /has 92 starts between .* starts 31 at most: each / },
  { from: '2020-01-01T00:00Z', to: '2026-11-01T00:00Z', want: /has 1000 or more starts between / },
])('a backfill from $from to $to is refused', async ({ from, to, want }) => {
  await apply(nightly('filled'));
  const { exitCode, output, errors } = await say('backfill', 'filled', '--from', from, '--to', to);
  expect([exitCode, output]).toEqual([2, '']);
  expect(errors).toMatch(want);
  expect((await there('filled')).info.numActionsTaken).toBe(0);
});

test('a backfill over a clock change starts each night of it once, one after the other', async () => {
  await bench.withWorker(async (stories) => {
    const story = stories.tell('clocks', recipeOf(), sweepStory(0));
    await apply(nightly('clocks'));
    // Both ends belong to it.
    const said = await say('backfill', 'clocks', '--from', '2026-10-24T01:00Z', '--to', '2026-10-26T02:00Z');
    expect(said.output).toBe(
      'schedule clocks starts 3 sweeps, one after the other, of 2026-10-24 01:00, 2026-10-25 02:00, 2026-10-26 02:00 UTC\n',
    );
    await story.called('closeSweep', 3);
    const { info } = await eventually('all three have ended', 60, async () => {
      const now = await there('clocks');
      return now.info.runningActions.length > 0 ? null : now;
    });
    const runs = info.recentActions.map(({ action }) => action.workflow.workflowId);
    expect(runs).toEqual(['24T01', '25T02', '26T02'].map((at) => `clocks-2026-10-${at}:00:00Z`));
    const spans = await Promise.all(runs.map((id) => bench.client.workflow.getHandle(id).describe()));
    const moments = spans.flatMap(({ startTime, closeTime }) => [startTime.getTime(), closeTime?.getTime() ?? 0]);
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
  });
});

test('a time that a clock change doubles is filled in twice, and both are named', async () => {
  await apply(nightly('twice', { at: ['01:30'], timeZone: 'America/New_York' }));
  expect((await say('backfill', 'twice', '--from', '2026-11-01T00:00Z', '--to', '2026-11-02T00:00Z')).output).toBe(
    'schedule twice starts 2 sweeps, one after the other, of 2026-11-01 05:30, 2026-11-01 06:30 UTC\n',
  );
});

/** Sweeps that run until they are told to end. */
function heldSweeps() {
  const { promise, resolve } = Promise.withResolvers<NextOfSweep>();
  const answers: Answers = { ...sweepStory(0), nextOfSweep: () => promise };
  return {
    answers,
    end: () => {
      resolve({ kind: 'done' });
    },
  };
}

test('changed while its sweep runs, which ends as it began: that is told, and the next one is by the file', async () => {
  await bench.withWorker(async (stories) => {
    const { answers, end } = heldSweeps();
    const story = stories.tell('changed', recipeOf(), answers);
    await apply(nightly('changed'));
    const { workflowId } = await triggerSchedule(bench.client, 'changed');
    await story.called('nextOfSweep');
    const file = await written('changed', { gpuHours: 2 });
    for (const [words, would] of [
      [['--dry-run'], 'would be '],
      [[], 'is '],
    ] as const)
      expect((await say('apply', '-f', file, ...words)).output).toBe(
        `schedule changed ${would}changed\n  ~ sweep.gpuHours: 8 → 2\n  ${String(workflowId)}, which runs, ends as it began; the next sweep ${would}by the file\n`,
      );
    end();
    await eventually('the first has ended', 60, async () => (await there('changed')).info.runningActions.length === 0);
    await triggerSchedule(bench.client, 'changed');
    await story.called('closeSweep', 2);
    expect(story.inputsOf('openSweep').map(({ input }) => input)).toMatchObject([
      { sweep: { gpuHours: 8 } },
      { sweep: { gpuHours: 2 } },
    ]);
  });
});

test('deleted while its sweep runs: that goes on to its end, and the list has the schedule no more', async () => {
  await bench.withWorker(async (stories) => {
    const { answers, end } = heldSweeps();
    const story = stories.tell('gone', recipeOf(), answers);
    await apply(nightly('gone'));
    const workflowId = String((await triggerSchedule(bench.client, 'gone')).workflowId);
    await story.called('nextOfSweep');
    expect((await say('delete', 'gone')).output).toBe(`schedule gone is deleted; ${workflowId}, which runs, goes on\n`);
    end();
    expect(await bench.client.workflow.getHandle(workflowId).result()).toMatchObject({ outcome: 'completed' });
    expect((await say('list')).output).not.toMatch(/^gone /m);
  });
});

test('what this machine does not have of a file is told beside the answer, and the schedule is made all the same', async () => {
  const file = await written('lacks', {
    ...{ recipe: 'tinny', profile: 'locl', benchmarks: ['additon'] },
    checkpoints: { named: ['tiny/sft'] },
  });
  for (const dryRun of [['--dry-run'], []]) {
    const { exitCode, output, errors } = await say('apply', '-f', file, '--json', ...dryRun);
    expect([exitCode, JSON.parse(output)]).toMatchObject([
      0,
      { schedule: 'lacks', dryRun: dryRun.length > 0, kind: 'created', fields: { 'sweep.benchmarks': ['additon'] } },
    ]);
    expect(errors.split('\n').map((line) => line.split(';')[0])).toEqual([
      'warning: sweep.recipe: this machine has no recipe "tinny"',
      'warning: sweep.profile: this machine has no profile "locl"',
      'warning: sweep.checkpoints.named.0: "tiny/sft" is no id of a checkpoint, such as tiny/sft/a1/checkpoint-50',
      '',
    ]);
  }
  expect((await there('lacks')).action.args).toMatchObject([{ sweep: { recipe: 'tinny' } }]);
});

test.each([
  {
    change: { at: ['02:30'] },
    // Which of the two comes first is a matter of the season.
    want: /at: 02:30 in Europe\/Berlin (does not exist on \d{4}-03|comes twice on \d{4}-10)-.* 03:00 comes exactly once/,
  },
  { change: { catchUpHours: 25 }, want: /catchUpHours: .*24/ },
])('a file with $change is refused, and nothing is made', async ({ want, change }) => {
  const file = await written('refused', {}, change);
  const { exitCode, output, errors } = await say('apply', '-f', file);
  expect([exitCode, output]).toEqual([2, '']);
  expect(errors).toMatch(want);
  await expect(there('refused')).rejects.toMatchObject({ name: 'ScheduleNotFoundError' });
});

/** Its file; `sweep` over what the others have. */
async function written(name: string, sweep: object, change: object = {}): Promise<string> {
  const file = join(folder, `${name}.yaml`);
  const document = { name, at: ['03:00'], timeZone: 'Europe/Berlin', sweep: { benchmarks: ['addition'], ...sweep } };
  await writeFile(file, JSON.stringify({ ...document, ...change }));
  return file;
}

test('of two that delete it at once, it is gone for both', async () => {
  await apply(nightly('deleted-twice'));
  const both = await Promise.allSettled([
    deleteSchedule(bench.client, 'deleted-twice'),
    deleteSchedule(bench.client, 'deleted-twice'),
  ]);
  for (const one of both)
    expect(one.status === 'fulfilled' ? one.value : (one.reason as Error).message).toMatch(
      /^(schedule deleted-twice is deleted|there is no schedule "deleted-twice" on this server)/,
    );
  await expect(there('deleted-twice')).rejects.toMatchObject({ name: 'ScheduleNotFoundError' });
});

test('of two that apply a new file at once, one makes the schedule, and it is as the file says for both', async () => {
  const both = await Promise.all([apply(nightly('made-twice')), apply(nightly('made-twice'))]);
  expect(both.map(({ kind }) => kind).sort()).toEqual(['created', 'unchanged']);
});
