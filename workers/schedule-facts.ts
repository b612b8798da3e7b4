/**
 * What the Temporal server knows of a schedule, whoever made it: its counters, and the local times at which it starts.
 *
 * Does not cover changing one (schedules.ts).
 */
import { type Client, type Month, MONTHS, type ScheduleDescription, ScheduleNotFoundError } from '@temporalio/client';
import type { ScheduleFacts } from '../activities/dependencies.ts';
import { type Weekday, weekdays } from '../configs/schema-schedule.ts';
import type { LocalTimes, StartInterval } from '../decisions/clock-change.ts';

/** Null where there is none of this id any more. */
export async function scheduleFacts(client: Client, id: string): Promise<ScheduleFacts | null> {
  try {
    const described = await client.schedule.getHandle(id).describe();
    const { numActionsSkippedOverlap: overlap, numActionsMissedCatchupWindow: missed } = described.info;
    const createdAt = described.info.createdAt.toISOString();
    return {
      skipped: { overlap, missed, createdAt },
      times: localTimesOf(described.spec),
      intervals: intervalsOf(described.spec),
    };
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

interface Range<Unit> {
  readonly start: Unit;
  readonly end: Unit;
  readonly step: number;
}

/** Of calendars, as which the server keeps cron expressions too; intervals know no clock. */
export function localTimesOf({ calendars = [], timezone }: ScheduleDescription['spec']): LocalTimes[] {
  return calendars.map(({ hour, minute, dayOfWeek, dayOfMonth, month, year }) => ({
    minutes: numbersIn(hour).flatMap((hours) => numbersIn(minute).map((minutes) => hours * 60 + minutes)),
    days: daysIn(dayOfWeek),
    dates: { daysOfMonth: numbersIn(dayOfMonth), months: monthsIn(month), years: numbersIn(year) },
    timeZone: timezone === undefined || timezone === '' ? 'UTC' : timezone,
  }));
}

function intervalsOf({ intervals = [] }: ScheduleDescription['spec']): StartInterval[] {
  return intervals.map(({ every, offset }) => ({
    everySeconds: every / 1000,
    // The SDK's type has it always; the server sends none where none was set.
    offsetSeconds: ((offset as number | undefined) ?? 0) / 1000,
  }));
}

/** In the order of the week, which begins with Monday. */
export function daysIn(ranges: readonly Range<string>[]): Weekday[] {
  const sundayFirst = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];
  const at = (day: string) => sundayFirst.indexOf(day);
  const numbers = numbersIn(ranges.map(({ start, end, step }) => ({ start: at(start), end: at(end), step })));
  return weekdays.filter((day) => numbers.includes(at(day.toUpperCase())));
}

/** From 1 on. */
export function monthsIn(ranges: readonly Range<Month>[]): number[] {
  const at = (month: Month) => MONTHS.indexOf(month) + 1;
  return numbersIn(ranges.map(({ start, end, step }) => ({ start: at(start), end: at(end), step })));
}

export function numbersIn(ranges: readonly Range<number>[]): number[] {
  const numbers = ranges.flatMap(({ start, end, step }) =>
    Array.from(
      { length: Math.max(0, Math.floor((end - start) / Math.max(1, step))) + 1 },
      (_, index) => start + index * Math.max(1, step),
    ),
  );
  return [...new Set(numbers)].sort((a, b) => a - b);
}
