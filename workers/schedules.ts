/**
 * Schedules of sweeps on a Temporal server: applied from a file, listed.
 *
 * What a file said when it was applied lies in the memo of the schedule's action: that can be updated, and edits in the UI leave it as it
 * is. Does not cover what `temper schedule` prints.
 */
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  type ScheduleUpdateOptions,
} from '@temporalio/client';
import type { Schedule } from '../configs/schema-schedule.ts';
import {
  type ScheduleFields,
  type ScheduleMerge,
  linesOfMerge,
  linesOfUnwritten,
  mergeSchedule,
} from '../decisions/schedule-merge.ts';
import { TemperError } from '../decisions/errors.ts';
import { workflowNames } from '../workflows/contract.ts';
import {
  actionInput,
  calendarsOf,
  changedInput,
  fieldsOfFile,
  fieldsOfServer,
  inWholes,
  partsOf,
  type SweepAction,
} from './schedule-fields.ts';

export interface ApplyOptions {
  readonly schedule: Schedule;
  readonly taskQueue: string;
  /** Says what would be done, and does nothing. */
  readonly dryRun: boolean;
}

export type Applied =
  | { readonly kind: 'created'; readonly fields: ScheduleFields }
  | {
      readonly kind: 'updated' | 'unchanged';
      readonly merge: ScheduleMerge;
      /** Workflow id of the sweep that runs, which ends as it began. */
      readonly running: string | null;
    };

/** Makes the schedule, or brings it up to the file. Throws `invalid-input` where both were changed, with every field. */
export async function applySchedule(client: Client, options: ApplyOptions): Promise<Applied> {
  const file = fieldsOfFile(options.schedule, options.taskQueue);
  const there = await described(client, options.schedule.name);
  if (there !== null) return await update(client, options, { file, there });
  if (options.dryRun) return { kind: 'created', fields: file };
  try {
    await create(client, options.schedule.name, file);
    return { kind: 'created', fields: file };
  } catch (error) {
    // Somebody made it in this moment.
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    return await applySchedule(client, options);
  }
}

/** Throws `invalid-input` where it starts something else, and what the server throws where there is none. */
export async function describedSweeps(handle: ScheduleHandle): Promise<ScheduleDescription> {
  const there = await handle.describe();
  const { workflowType } = there.action;
  if (workflowType === workflowNames.sweep) return there;
  throw new TemperError('invalid-input', `schedule "${handle.scheduleId}" starts ${workflowType}, no sweep`);
}

/** Null where there is none. */
async function described(client: Client, id: string): Promise<ScheduleDescription | null> {
  try {
    return await client.schedule.getHandle(id).describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

const appliedFile = 'appliedFile';

function actionOf(name: string, file: ScheduleFields): SweepAction {
  const { taskQueue } = partsOf(file);
  return {
    type: 'startWorkflow',
    workflowType: workflowNames.sweep,
    workflowId: name,
    taskQueue,
    args: actionInput(name, file),
    staticSummary: `sweep ${name}`,
    memo: { [appliedFile]: file },
  };
}

async function create(client: Client, name: string, file: ScheduleFields): Promise<void> {
  const { timezone, policies } = partsOf(file);
  await client.schedule.create({
    scheduleId: name,
    spec: { calendars: calendarsOf(file), timezone },
    action: actionOf(name, file),
    policies,
  });
}

async function update(
  client: Client,
  { schedule: { name }, dryRun }: ApplyOptions,
  { file, there }: { readonly file: ScheduleFields; readonly there: ScheduleDescription },
): Promise<Applied> {
  const merge = mergeWith(name, file, there);
  const { applied } = merge;
  const isSame = merge.changes.length === 0 && JSON.stringify(applied) === JSON.stringify(file);
  const running = runningOf(there);
  if (dryRun || isSame) return { kind: kindOf(merge), merge, running };
  let done = merge;
  let written: ScheduleFields = {};
  const handle = client.schedule.getHandle(name);
  // Against what is there now: an edit that came since `there` was read stays, too.
  await handle.update((now) => {
    done = mergeWith(name, file, now);
    written = fieldsWith(now, done);
    return changed({ now, file, fields: written, merge: done });
  });
  await mustStand(handle, written);
  return { kind: kindOf(done), merge: done, running };
}

const kindOf = ({ changes }: ScheduleMerge) => (changes.length === 0 ? 'unchanged' : 'updated');

/** Workflow id of the sweep that runs; null where none does. */
export function runningOf({ info }: ScheduleDescription): string | null {
  return info.runningActions[0]?.workflow.workflowId ?? null;
}

/** The server says of some writes that they were done, and has not done them. Throws `invalid-input` with what stands instead. */
async function mustStand(handle: ScheduleHandle, written: ScheduleFields): Promise<void> {
  const lines = linesOfUnwritten(written, fieldsOfServer(await handle.describe()));
  if (lines.length === 0) return;
  const message = [
    `schedule "${handle.scheduleId}" is not what was written: the server did not take it, or somebody edited it in this moment:`,
    ...lines,
    'Look at it with `temper schedule list` or in the UI, and apply again.',
  ].join('\n');
  throw new TemperError('invalid-input', message);
}

type MergeFromApplied = ScheduleMerge & { readonly applied: ScheduleFields | null };

function mergeWith(name: string, file: ScheduleFields, there: ScheduleDescription): MergeFromApplied {
  const { workflowType, memo } = there.action;
  if (workflowType !== workflowNames.sweep)
    throw new TemperError(
      'invalid-input',
      `schedule "${name}" starts ${workflowType}, no sweep: give the file another name`,
    );
  const applied = (memo?.[appliedFile] as ScheduleFields | undefined) ?? null;
  const merge = mergeSchedule(...inWholes(applied, file, fieldsOfServer(there)));
  if (merge.conflicts.length === 0) return { ...merge, applied };
  const who =
    applied === null
      ? 'was not made from a file, and differs from this one'
      : 'was edited since this file was applied, where the file has changed too';
  const message = [
    `schedule "${name}" ${who}; nothing is changed:`,
    ...linesOfMerge({ changes: [], kept: [], conflicts: merge.conflicts }),
    'Write into the file what the schedule is to have, or edit the schedule in the UI to what the file says; then apply again.',
  ].join('\n');
  throw new TemperError('invalid-input', message, { details: merge.conflicts });
}

function fieldsWith(now: ScheduleDescription, { changes }: ScheduleMerge): ScheduleFields {
  return { ...fieldsOfServer(now), ...Object.fromEntries(changes.map(({ field, file: value }) => [field, value])) };
}

/** Everything that the file does not name stays as it is. */
function changed({
  now,
  file,
  fields,
  merge,
}: {
  readonly now: ScheduleDescription;
  readonly file: ScheduleFields;
  /** As they are to be. */
  readonly fields: ScheduleFields;
  readonly merge: ScheduleMerge;
}): ScheduleUpdateOptions<SweepAction> {
  const isChanged = (...names: string[]) => merge.changes.some(({ field }) => names.includes(field));
  const { timezone, policies, taskQueue } = partsOf(fields);
  const { args = [], ...action } = now.action;
  return {
    ...now,
    spec: { ...now.spec, ...(isChanged('at', 'days') && { calendars: calendarsOf(fields) }), timezone },
    policies: { ...now.policies, ...policies },
    action: {
      ...action,
      taskQueue,
      args: changedInput(args, merge.changes),
      memo: { ...action.memo, [appliedFile]: file },
    },
  };
}

export interface ListedSchedule {
  readonly id: string;
  readonly fields: ScheduleFields;
  readonly paused: boolean;
  readonly note: string;
  /** ISO 8601; null where none is to come. */
  readonly next: string | null;
  /** Workflow id of the sweep that runs. */
  readonly running: string | null;
  /** Workflow id of the one that was started last. */
  readonly last: string | null;
  readonly taken: number;
  readonly skipped: { readonly overlap: number; readonly missed: number };
}

/** Those that start sweeps, by id. */
export async function listSchedules(client: Client): Promise<readonly ListedSchedule[]> {
  const listed: ListedSchedule[] = [];
  for await (const { scheduleId, action } of client.schedule.list()) {
    if (action?.workflowType !== workflowNames.sweep) continue;
    // The list may be a little old: one that is gone by now is left out.
    const there = await described(client, scheduleId);
    if (there !== null) listed.push(asListed(there));
  }
  return listed.sort((a, b) => (a.id < b.id ? -1 : 1));
}

function asListed(there: ScheduleDescription): ListedSchedule {
  const { info, state } = there;
  return {
    id: there.scheduleId,
    fields: fieldsOfServer(there),
    paused: state.paused,
    note: state.note ?? '',
    next: state.paused ? null : (info.nextActionTimes[0]?.toISOString() ?? null),
    running: runningOf(there),
    last: info.recentActions.at(-1)?.action.workflow.workflowId ?? null,
    taken: info.numActionsTaken,
    skipped: { overlap: info.numActionsSkippedOverlap, missed: info.numActionsMissedCatchupWindow },
  };
}
