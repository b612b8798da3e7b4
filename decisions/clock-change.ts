/**
 * Local times that do not come exactly once a day: a clock change skips them, or doubles them. A schedule that names one would run not
 * at all, or twice, on that day. And how many such times there are between two instants.
 *
 * Covers the changes of a zone within two years, which holds each of its rules. Does not cover parsing a schedule.
 */
import type { Schedule, Weekday } from '../configs/schema-schedule.ts';

export interface LocalTimes {
  /** Minutes since midnight. */
  readonly minutes: readonly number[];
  /** Empty: every day. */
  readonly days: readonly Weekday[];
  /** Of those days; absent: every date. */
  readonly dates?: LocalDates;
  readonly timeZone: string;
}

export interface LocalDates {
  readonly daysOfMonth: readonly number[];
  /** From 1 on. */
  readonly months: readonly number[];
  /** Empty: every year. */
  readonly years: readonly number[];
}

/** Every so many seconds since 1970, whatever a clock says. */
export interface StartInterval {
  readonly everySeconds: number;
  readonly offsetSeconds: number;
}

/** When a schedule starts. */
export interface StartTimes {
  readonly times: readonly LocalTimes[];
  readonly intervals: readonly StartInterval[];
}

/** One local time on one day on which it comes not at all, or twice. */
export interface ClockTrouble {
  readonly minute: number;
  /** Local, as 2027-03-28. */
  readonly date: string;
  readonly kind: 'skipped' | 'doubled';
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const daysAhead = 2 * 366;
const names: readonly Weekday[] = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Of each time the first day; `from` is ISO 8601. */
export function clockTroubles({ minutes, days, dates, timeZone }: LocalTimes, from: string): readonly ClockTrouble[] {
  const offsetAt = offsetsOf(timeZone);
  const changes = changesFrom(Date.parse(from), offsetAt);
  return minutes.flatMap((minute) => {
    for (const change of changes) {
      const trouble = troubleOf(minute, change);
      if (trouble !== null && isRunDay(trouble.date, days, dates)) return [trouble];
    }
    return [];
  });
}

/** How many of these times come after `from`, up to `until`; both ISO 8601. */
export function startsBetween(
  { times, intervals }: StartTimes,
  between: { readonly from: string; readonly until: string },
): number {
  const [from, until] = [Date.parse(between.from), Date.parse(between.until)];
  const starts = times.flatMap(({ minutes, days, dates, timeZone }) => {
    const offsetAt = offsetsOf(timeZone);
    const found: number[] = [];
    // A day more at both ends, whatever the zone.
    for (let midnight = Math.floor(from / dayMs) * dayMs - dayMs; midnight <= until + dayMs; midnight += dayMs) {
      if (!isRunDay(new Date(midnight).toISOString().slice(0, 10), days, dates)) continue;
      for (const minute of minutes) {
        const local = midnight + minute * minuteMs;
        found.push(local - offsetAt(local - offsetAt(local) * minuteMs) * minuteMs);
      }
    }
    return found;
  });
  const all = [...starts, ...intervals.flatMap((interval) => startsOf(interval, { from, until }))];
  return new Set(all.filter((at) => at > from && at <= until)).size;
}

function startsOf(
  { everySeconds, offsetSeconds }: StartInterval,
  { from, until }: { readonly from: number; readonly until: number },
): readonly number[] {
  const [every, offset] = [Math.max(1, everySeconds) * 1000, offsetSeconds * 1000];
  const first = Math.floor((from - offset) / every) * every + offset;
  return Array.from({ length: Math.floor((until - first) / every) + 1 }, (_, index) => first + index * every);
}

function isRunDay(date: string, days: readonly Weekday[], dates: LocalDates | undefined): boolean {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const isOfWeek = days.length === 0 || days.includes(names[new Date(date).getUTCDay()] ?? 'sunday');
  if (dates === undefined || !isOfWeek) return isOfWeek;
  const isOfYear = dates.years.length === 0 || dates.years.includes(year);
  return isOfYear && dates.months.includes(month) && dates.daysOfMonth.includes(day);
}

/** A time of each zone's people that comes once every day: 03:00 wherever it does. Minutes. */
export function safeTime(timeZone: string, from: string): number {
  const hours = [3, 4, 5, 6, 12].map((hour) => hour * 60);
  return hours.find((minute) => clockTroubles({ minutes: [minute], days: [], timeZone }, from).length === 0) ?? 180;
}

export function sentenceOfClockTrouble({ minute, date, kind }: ClockTrouble, timeZone: string, from: string): string {
  const what = kind === 'skipped' ? 'does not exist on' : 'comes twice on';
  const runs = kind === 'skipped' ? 'the sweep would not run that night' : 'the sweep would run twice that night';
  return `${clockText(minute)} in ${timeZone} ${what} ${date}, when the clocks change: ${runs}. ${clockText(safeTime(timeZone, from))} comes exactly once every day`;
}

/** Why a schedule with these times is refused, a sentence each; empty where each time comes once every day. */
export function clockProblems(
  { at, days, timeZone }: Pick<Schedule, 'at' | 'days' | 'timeZone'>,
  from: string,
): string[] {
  const minutes = at.map((time) => {
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    return hour * 60 + minute;
  });
  return clockTroubles({ minutes, days, timeZone }, from).map((one) => sentenceOfClockTrouble(one, timeZone, from));
}

/** Of each; the others are counted. */
const mostNamed = 8;

/** What a person should know of times that nobody has refused, a sentence each. */
export function clockWarnings(times: readonly LocalTimes[], from: string): string[] {
  const troubles = times.flatMap((local) =>
    clockTroubles(local, from).map((trouble) => ({ ...trouble, timeZone: local.timeZone })),
  );
  const each = [...new Map(troubles.map((one) => [`${one.timeZone} ${one.date} ${String(one.minute)}`, one])).values()];
  const named = each
    .slice(0, mostNamed)
    .map(({ timeZone, ...trouble }) => `${sentenceOfClockTrouble(trouble, timeZone, from)}.`);
  const more = each.length - named.length;
  return more === 0
    ? named
    : [...named, `… and ${String(more)} more of its times that a clock change skips or doubles.`];
}

export const clockText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** Minutes east of UTC at an instant. */
type OffsetAt = (at: number) => number;

function offsetsOf(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    return Math.round((local - Math.floor(at / 1000) * 1000) / minuteMs);
  };
}

interface Change {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

function changesFrom(from: number, offsetAt: OffsetAt): readonly Change[] {
  const changes: Change[] = [];
  for (let day = 0; day < daysAhead; day += 1) {
    let [low, high] = [from + day * dayMs, from + (day + 1) * dayMs];
    const [before, after] = [offsetAt(low), offsetAt(high)];
    if (before === after) continue;
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ at: Math.round(high / minuteMs) * minuteMs, before, after });
  }
  return changes;
}

function troubleOf(minute: number, { at, before, after }: Change): ClockTrouble | null {
  const kind = after > before ? 'skipped' : 'doubled';
  // Local times, written as if they were UTC.
  const first = at + Math.min(before, after) * minuteMs;
  const end = at + Math.max(before, after) * minuteMs;
  for (const midnight of [first, end].map((time) => Math.floor(time / dayMs) * dayMs)) {
    const time = midnight + minute * minuteMs;
    if (time >= first && time < end) return { minute, kind, date: new Date(midnight).toISOString().slice(0, 10) };
  }
  return null;
}
