/**
 * A schedule as fields, from its file and from the server, and back: what both are compared by.
 *
 * Times that no file could name (intervals, single dates) are one field `at` as the server has them, and a sweep that is named instead of
 * written is one field `sweep`. Does not cover comparing (decisions/schedule-merge.ts).
 *
 * What no file names stays as it is: jitter, a first and a last day, times that are left out.
 */
import type {
  CalendarSpec,
  CalendarSpecDescription,
  DayOfWeek,
  ScheduleDescription,
  ScheduleOptions,
  ScheduleOptionsStartWorkflowAction,
  Workflow,
} from '@temporalio/client';
import { type Schedule, weekdays } from '../configs/schema-schedule.ts';
import { clockText } from '../decisions/clock-change.ts';
import type { ChangedField, ScheduleFields } from '../decisions/schedule-merge.ts';
import type { SweepInput } from '../workflows/contract.ts';
import { daysIn, localTimesOf, monthsIn, numbersIn } from './schedule-facts.ts';

const hourMs = 3_600_000;

/** `taskQueue`: that of the workers which run its sweeps. */
export function fieldsOfFile({ name: _id, sweep, at, days, ...rest }: Schedule, taskQueue: string): ScheduleFields {
  return { ...rest, at: [...at].sort(), days: inWeek(days), overlap: 'SKIP', taskQueue, ...flat('sweep', sweep) };
}

export function fieldsOfServer({ spec, policies, action }: ScheduleDescription): ScheduleFields {
  return {
    ...timesOf(spec),
    timeZone: spec.timezone === undefined || spec.timezone === '' ? 'UTC' : spec.timezone,
    catchUpHours: policies.catchupWindow / hourMs,
    overlap: policies.overlap,
    taskQueue: action.taskQueue,
    ...sweepFields(action.args?.[0]),
  };
}

/** Of the schedule's fields, the parts that a schedule is made of. */
export function partsOf(fields: ScheduleFields): {
  readonly policies: NonNullable<ScheduleOptions['policies']>;
  readonly timezone: string;
  readonly taskQueue: string;
} {
  const { timeZone, catchUpHours, overlap, taskQueue } = fields as FileFields;
  return { timezone: timeZone, policies: { overlap, catchupWindow: catchUpHours * hourMs }, taskQueue };
}

/** Of fields that a file can name. */
export function calendarsOf(fields: ScheduleFields): CalendarSpec[] {
  const { at, days } = fields as FileFields;
  const dayOfWeek = days.map((day) => day.toUpperCase() as DayOfWeek);
  return at.map((time) => {
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    return { hour, minute, dayOfWeek };
  });
}

/** Three sides of a merge: where one has times, or a sweep, that are no such fields, all have them as one field, which is taken or left whole. */
export function inWholes(
  applied: ScheduleFields | null,
  file: ScheduleFields,
  there: ScheduleFields,
): [applied: ScheduleFields | null, file: ScheduleFields, there: ScheduleFields] {
  const wholes = [...(Array.isArray(there['at']) ? [] : [timesWhole]), ...('sweep' in there ? [sweepWhole] : [])];
  const inWhole = (fields: ScheduleFields) => wholes.reduce((before, whole) => whole(before), fields);
  return [applied && inWhole(applied), inWhole(file), inWhole(there)];
}

function timesWhole({ at, days, ...others }: ScheduleFields): ScheduleFields {
  return { ...others, at: Array.isArray(at) ? { at, days } : at };
}

function sweepWhole(fields: ScheduleFields): ScheduleFields {
  if ('sweep' in fields) return fields;
  const others = Object.entries(fields).filter(([field]) => !field.startsWith('sweep.'));
  return { ...Object.fromEntries(others), sweep: nested(fields) };
}

type FileFields = Pick<Schedule, 'at' | 'days' | 'timeZone' | 'catchUpHours'> & {
  readonly overlap: 'SKIP';
  readonly taskQueue: string;
};

/** What a run of the schedule is started with. */
export function actionInput(name: string, file: ScheduleFields): [SweepInput] {
  return [{ sweep: { name, ...nested(file) } }];
}

/** The same with the changed fields of its sweep; whatever else stands there stays. */
export function changedInput(args: readonly unknown[], changes: readonly ChangedField[]): unknown[] {
  const [input, ...others] = args;
  const fields = changes.filter(({ field }) => field.startsWith('sweep.'));
  if (fields.length === 0) return [...args];
  const { sweep, ...rest } = structuredClone(input) as { readonly sweep: Record<string, unknown> };
  for (const { field, file } of fields) put(sweep, field, file);
  return [{ ...rest, sweep }, ...others];
}

export type SweepAction = ScheduleOptionsStartWorkflowAction<Workflow>;

function timesOf(spec: ScheduleDescription['spec']): ScheduleFields {
  const { calendars = [], intervals = [] } = spec;
  const days = calendars.map(({ dayOfWeek }) => daysIn(dayOfWeek));
  const isPlain = calendars.every(isOfEveryDate) && days.every((one) => String(one) === String(days[0]));
  if (intervals.length > 0 || calendars.length === 0 || !isPlain)
    return { at: { calendars, intervals }, days: days[0] ?? [] };
  const minutes = localTimesOf(spec).flatMap((local) => local.minutes);
  return { at: [...new Set(minutes)].sort((a, b) => a - b).map(clockText), days: days[0] ?? [] };
}

function isOfEveryDate({ second, dayOfMonth, month, year }: CalendarSpecDescription): boolean {
  return (
    numbersIn(second).join() === '0' &&
    numbersIn(dayOfMonth).length === 31 &&
    year.length === 0 &&
    monthsIn(month).length === 12
  );
}

function sweepFields(input: unknown): ScheduleFields {
  const { sweep } = (input ?? {}) as { sweep?: unknown };
  if (typeof sweep !== 'object' || sweep === null) return { sweep };
  const { name: _name, ...fields } = sweep as Record<string, unknown>;
  return flat('sweep', fields);
}

/** Groups by their fields; lists are one value. */
function flat(path: string, value: unknown): ScheduleFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { [path]: value };
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, below]) => Object.entries(flat(`${path}.${key}`, below))),
  );
}

function nested(fields: ScheduleFields): Record<string, unknown> {
  const sweep: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(fields)) {
    if (path.startsWith('sweep.')) put(sweep, path, value);
  }
  return sweep;
}

/** `sweep.seeds` into the sweep; undefined takes it out. */
function put(sweep: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.').slice(1);
  const last = keys.pop() ?? '';
  let at = sweep;
  for (const key of keys) at = (at[key] ??= {}) as Record<string, unknown>;
  if (value === undefined) Reflect.deleteProperty(at, last);
  else at[last] = value;
}

const inWeek = (days: Schedule['days']) => weekdays.filter((day) => days.includes(day));
