/**
 * A schedule as fields, from its file and from the server, and back: what both are compared by.
 *
 * Times that no file could name (intervals, single dates) are one field `at` as the server has them. Does not cover comparing
 * (decisions/schedule-merge.ts).
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
import type { ScheduleFields } from '../decisions/schedule-merge.ts';
import type { SweepInput } from '../workflows/contract.ts';
import { daysIn, localTimesOf, numbersIn } from './schedule-facts.ts';

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
  readonly calendars: CalendarSpec[];
  readonly timezone: string;
  readonly taskQueue: string;
  readonly sweep: Readonly<Record<string, unknown>>;
} {
  const { at, days, timeZone, catchUpHours, overlap, taskQueue } = fields as FileFields;
  const dayOfWeek = days.map((day) => day.toUpperCase() as DayOfWeek);
  return {
    calendars: at.map((time) => {
      const [hour = 0, minute = 0] = time.split(':').map(Number);
      return { hour, minute, dayOfWeek };
    }),
    timezone: timeZone,
    policies: { overlap, catchupWindow: catchUpHours * hourMs },
    taskQueue,
    sweep: nested(fields),
  };
}

type FileFields = Pick<Schedule, 'at' | 'days' | 'timeZone' | 'catchUpHours'> & {
  readonly overlap: 'SKIP';
  readonly taskQueue: string;
};

/** What a run of the schedule is started with. */
export function actionInput(name: string, sweep: Readonly<Record<string, unknown>>): [SweepInput] {
  return [{ sweep: { name, ...sweep } }];
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
  const months = month.flatMap(({ start, end }) => [start, end]).join();
  return (
    numbersIn(second).join() === '0' &&
    numbersIn(dayOfMonth).length === 31 &&
    year.length === 0 &&
    months === 'JANUARY,DECEMBER'
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
    const [first, ...keys] = path.split('.');
    const last = keys.pop();
    if (first !== 'sweep' || last === undefined || value === undefined) continue;
    let at = sweep;
    for (const key of keys) at = (at[key] ??= {}) as Record<string, unknown>;
    at[last] = value;
  }
  return sweep;
}

const inWeek = (days: Schedule['days']) => weekdays.filter((day) => days.includes(day));
