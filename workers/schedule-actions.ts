/**
 * What a person does with a schedule of sweeps that is on the server, whoever made it: pause it, let it go on, start sweeps of it, delete it.
 *
 * Each says what came of it, in a sentence. One that starts something else is left alone. Does not cover applying a file (schedules.ts).
 */
import { type Client, type ScheduleDescription, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { nearestName } from '../configs/nearest-name.ts';
import { TemperError } from '../decisions/errors.ts';
import { minuteOf } from '../decisions/utc-minute.ts';
import { describedSweeps, listSchedules, runningOf } from './schedules.ts';

/** It takes less than two. */
const doneSeconds = 10;
const lookMilliseconds = 100;

interface Sweeps {
  readonly handle: ScheduleHandle;
  readonly there: ScheduleDescription;
}

/** Throws `not-found` with the nearest name, also where it is deleted meanwhile; `invalid-input` where it starts something else. */
async function withSweeps<T>(client: Client, id: string, act: (sweeps: Sweeps) => Promise<T>): Promise<T> {
  const handle = client.schedule.getHandle(id);
  try {
    return await act({ handle, there: await describedSweeps(handle) });
  } catch (cause) {
    // What the server says to one that is being deleted has many words.
    if (cause instanceof TemperError || (await isThere(handle))) throw cause;
    const ids = (await listSchedules(client)).map((one) => one.id);
    const near = nearestName(id, ids);
    const meant = near === null ? ';' : `; did you mean "${near}"?`;
    const message = `there is no schedule "${id}" on this server${meant} \`temper schedule list\` shows what there is`;
    throw new TemperError('not-found', message, { cause });
  }
}

async function isThere(handle: ScheduleHandle): Promise<boolean> {
  try {
    await handle.describe();
    return true;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return false;
    throw error;
  }
}

/** Without a reason, one that is paused keeps the note of its pause. */
export async function pauseSchedule(client: Client, id: string, reason: string | undefined): Promise<string> {
  return await withSweeps(client, id, async ({ handle, there }) => {
    const { paused, note } = there.state;
    const after = `\`temper schedule unpause ${id}\` lets it go on`;
    if (paused && reason === undefined) return `schedule ${id} is paused already${noted(note)}; ${after}`;
    const said = reason ?? 'Paused via temper schedule pause';
    await handle.pause(said);
    await whenDone(handle, (now) => now.state.paused && now.state.note === said);
    const what = paused ? `was paused already${noted(note)}; its note is now: ${String(reason)}` : 'is paused';
    return `schedule ${id} ${what}${goesOn(there)}; ${after}`;
  });
}

export async function unpauseSchedule(client: Client, id: string, reason: string | undefined): Promise<string> {
  return await withSweeps(client, id, async ({ handle, there }) => {
    if (there.state.paused) await handle.unpause(reason ?? 'Unpaused via temper schedule unpause');
    const { info } = await whenDone(handle, (now) => !now.state.paused);
    const [next] = info.nextActionTimes;
    const starts =
      next === undefined ? 'no time of it is to come' : `it starts next at ${minuteOf(next.toISOString())} UTC`;
    return `schedule ${id} ${there.state.paused ? 'goes on' : 'is not paused'}: ${starts}`;
  });
}

/** The server answers before it has done what it was asked. After seconds the schedule as it is then, done or not. */
async function whenDone(
  handle: ScheduleHandle,
  isDone: (now: ScheduleDescription) => boolean,
): Promise<ScheduleDescription> {
  const end = performance.now() + doneSeconds * 1000;
  for (;;) {
    const now = await handle.describe();
    if (isDone(now) || performance.now() > end) return now;
    await pause(lookMilliseconds);
  }
}

const noted = (note: string | undefined): string => (note === undefined || note === '' ? '' : ` (${note})`);

function goesOn(there: ScheduleDescription): string {
  const running = runningOf(there);
  return running === null ? '' : `; ${running}, which runs, goes on`;
}

/** A sweep that was started now, or that the server is about to start. */
export interface Triggered {
  /** Null where the server has not started it within seconds. */
  readonly workflowId: string | null;
  /** False where another trigger of the same moment may have started it: the server does not say whose it is. */
  readonly isOwn: boolean;
  readonly taskQueue: string;
  readonly paused: boolean;
}

/** Starts a sweep now. Throws `invalid-input` where one of the schedule runs, also where it began in this moment. */
export async function triggerSchedule(client: Client, id: string): Promise<Triggered> {
  return await withSweeps(client, id, triggerSweep);
}

/** `there`: as it was looked at before. */
export async function triggerSweep({ handle, there }: Sweeps): Promise<Triggered> {
  const running = runningOf(there);
  if (running !== null) throw runsAlready(handle, running);
  const ours = momentOfOurs();
  const { workflowService, options } = handle.client;
  await workflowService.patchSchedule({
    ...{ namespace: options.namespace, scheduleId: handle.scheduleId, identity: options.identity },
    requestId: randomUUID(),
    patch: {
      triggerImmediately: { overlapPolicy: skipOverlap as NonNullable<Trigger['overlapPolicy']>, scheduledTime: ours },
    },
  });
  const { taskQueue } = there.action;
  return { ...(await startedAt(handle, ours)), taskQueue, paused: there.state.paused };
}

const runsAlready = ({ scheduleId }: ScheduleHandle, running: string) =>
  new TemperError('invalid-input', `a sweep of schedule "${scheduleId}" runs: ${running}; none is started beside it`);

type Patch = NonNullable<Parameters<Client['workflowService']['patchSchedule']>[0]['patch']>;
type Trigger = NonNullable<Patch['triggerImmediately']>;
/** SCHEDULE_OVERLAP_POLICY_SKIP. */
const skipOverlap: unknown = 1;

/** The last nanoseconds of each moment of ours. */
const mark = 417;

/** Now, told from the moment of whoever else triggers it now: most servers keep it to the nanosecond, and name a sweep by the second. */
function momentOfOurs() {
  const { seconds = null, nanos } = msToTs(Date.now());
  return { seconds, nanos: (nanos ?? 0) + randomInt(1000) * 1000 + mark };
}

/** Another sweep that runs may be that of a trigger which the server saw before ours. */
const looksBeforeAnother = 20;

/** Throws `invalid-input` where another was started instead. */
async function startedAt(
  handle: ScheduleHandle,
  ours: ReturnType<typeof momentOfOurs>,
): Promise<Pick<Triggered, 'workflowId' | 'isOwn'>> {
  const started = (look: ScheduleDescription) =>
    actionWhere(
      look,
      ({ scheduleTime: at }) => String(at?.seconds) === String(ours.seconds) && at?.nanos === ours.nanos,
    );
  let others = 0;
  const now = await whenDone(handle, (look) => {
    if (runningOf(look) !== null) others += 1;
    return started(look) !== undefined || others > looksBeforeAnother;
  });
  const own = workflowOf(started(now));
  const running = runningOf(now);
  if (own !== null || running === null) return { workflowId: own, isOwn: own !== null };
  const { scheduleTime } = actionWhere(now, (action) => workflowOf(action) === running) ?? {};
  if (isAnothers(scheduleTime?.nanos)) throw runsAlready(handle, running);
  return { workflowId: running, isOwn: false };
}

/** Of a backfill or the calendar, or of whoever else triggers it as we do. Some servers put a moment of their own in place of ours (temporalio/temporal#11568). */
const isAnothers = (nanos: number | null | undefined): boolean => nanos === 0 || (nanos ?? 0) % 1000 === mark;

type Action = NonNullable<NonNullable<ScheduleDescription['raw']['info']>['recentActions']>[number];

function actionWhere({ raw }: ScheduleDescription, isIt: (action: Action) => boolean): Action | undefined {
  return raw.info?.recentActions?.find(isIt);
}

function workflowOf(action: Action | undefined): string | null {
  return action?.startWorkflowResult?.workflowId ?? null;
}

/** A month of nights. Each evaluates what is due when it runs: more are of no use. */
const mostBackfilled = 31;
const mostNamed = 5;

interface Backfill {
  readonly from: Date;
  readonly to: Date;
  readonly now: Date;
}

/** Throws `invalid-input` for a time that is not over, without a start, or with too many. */
export async function backfillSchedule(client: Client, id: string, { from, to, now }: Backfill): Promise<string> {
  const refused = (message: string) => new TemperError('invalid-input', message);
  if (from >= to) throw refused('--from must be before --to');
  if (to > now)
    throw refused(
      `--to is not over yet, it is ${timeText(now)}: a backfill would start what is still to come at once. \`temper schedule trigger ${id}\` starts one now`,
    );
  return await withSweeps(client, id, async ({ handle, there }) => {
    const starts = await startsOf(client, id, { from, to });
    const between = `between ${minuteOf(from.toISOString())} and ${timeText(to)}`;
    if (starts.length === 0)
      throw refused(`schedule "${id}" has no start ${between}: \`temper schedule list\` shows its times`);
    if (starts.length > mostBackfilled)
      throw refused(
        `schedule "${id}" has ${countText(starts)} starts ${between}, and a backfill starts ${String(mostBackfilled)} at most: each evaluates what is due when it runs, so that \`temper schedule trigger ${id}\` is mostly enough`,
      );
    await handle.backfill({ start: from, end: to, overlap: 'BUFFER_ALL' });
    return backfilled(id, starts, runningOf(there));
  });
}

const timeText = (time: Date): string => `${minuteOf(time.toISOString())} UTC`;

function countText({ length }: readonly string[]): string {
  return length < mostListed ? String(length) : `${String(mostListed)} or more`;
}

function backfilled(id: string, starts: readonly string[], running: string | null): string {
  const what = starts.length === 1 ? 'the sweep' : `${String(starts.length)} sweeps, one after the other,`;
  const named = starts.slice(0, mostNamed).map(minuteOf).join(', ');
  const more = starts.length > mostNamed ? ` and ${String(starts.length - mostNamed)} more` : '';
  const after = running === null ? '' : `, after ${running}, which runs`;
  return `schedule ${id} starts ${what} of ${named}${more} UTC${after}`;
}

/** The server names no more at once. */
const mostListed = 1000;

/** Its starts as the server counts them, a backfill's: both ends belong to it. ISO 8601. */
async function startsOf(
  client: Client,
  scheduleId: string,
  { from, to }: Omit<Backfill, 'now'>,
): Promise<readonly string[]> {
  const { startTime } = await client.workflowService.listScheduleMatchingTimes({
    ...{ namespace: client.options.namespace, scheduleId },
    startTime: msToTs(from.getTime() - 1),
    endTime: msToTs(to.getTime()),
  });
  return startTime.map(({ seconds }) => new Date(Number(seconds) * 1000).toISOString());
}

export async function deleteSchedule(client: Client, id: string): Promise<string> {
  return await withSweeps(client, id, async ({ handle, there }) => {
    await handle.delete();
    return `schedule ${id} is deleted${goesOn(there)}`;
  });
}
