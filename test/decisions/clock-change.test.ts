/** Local times that a clock change skips or doubles. What the server does with them was seen on a real one. */
import { clockProblems, clockTroubles, clockWarnings, safeTime } from '../../decisions/clock-change.ts';
import type { Weekday } from '../../configs/schema-schedule.ts';

const from = '2026-02-01T00:00:00Z';
const at = (time: string, timeZone: string, days: readonly Weekday[] = []) =>
  clockTroubles({ minutes: [Number(time.slice(0, 2)) * 60 + Number(time.slice(3))], days, timeZone }, from).map(
    ({ kind, date }) => `${kind} ${date}`,
  );

test.each([
  { time: '02:30', timeZone: 'America/Los_Angeles', want: ['skipped 2026-03-08'] },
  { time: '01:30', timeZone: 'America/Los_Angeles', want: ['doubled 2026-11-01'] },
  { time: '00:59', timeZone: 'America/New_York', want: [] },
  { time: '03:00', timeZone: 'America/New_York', want: [] },
  { time: '02:00', timeZone: 'Europe/Berlin', want: ['skipped 2026-03-29'] },
  { time: '03:00', timeZone: 'Europe/Berlin', want: [] },
  { time: '00:30', timeZone: 'America/Havana', want: ['skipped 2026-03-08'] },
  { time: '01:45', timeZone: 'Australia/Lord_Howe', want: ['doubled 2026-04-05'] },
  { time: '23:30', timeZone: 'America/Nuuk', want: ['skipped 2026-03-28'] },
  { time: '02:30', timeZone: 'UTC', want: [] },
  { time: '02:30', timeZone: 'Asia/Tokyo', want: [] },
])('$time in $timeZone: $want', ({ time, timeZone, want }) => {
  expect(at(time, timeZone)).toEqual(want);
});

test('a schedule that leaves out the day of the change is safe', () => {
  expect(at('02:30', 'Europe/Berlin', ['monday', 'friday'])).toEqual([]);
  expect(at('02:30', 'Europe/Berlin', ['friday', 'sunday'])).toEqual(['skipped 2026-03-29']);
});

test('the sentence says when, what would happen, and names 03:00', () => {
  const days: Weekday[] = ['sunday'];
  expect(clockProblems({ at: ['03:00', '02:30'], days, timeZone: 'America/New_York' }, from)).toEqual([
    '02:30 in America/New_York does not exist on 2026-03-08, when the clocks change: the sweep would not run that night. 03:00 comes exactly once every day',
  ]);
});

describe('every minute of a day on which the clocks change', () => {
  test.each([
    { timeZone: 'Europe/Berlin', date: '2027-03-28', skipped: 60, doubled: 0 },
    { timeZone: 'Europe/Berlin', date: '2026-10-25', skipped: 0, doubled: 60 },
    { timeZone: 'Australia/Lord_Howe', date: '2026-10-04', skipped: 30, doubled: 0 },
    { timeZone: 'America/Santiago', date: '2026-09-06', skipped: 60, doubled: 0 },
    { timeZone: 'Antarctica/Troll', date: '2026-10-25', skipped: 0, doubled: 120 },
    { timeZone: 'Europe/Berlin', date: '2026-10-26', skipped: 0, doubled: 0 },
  ])('$timeZone on $date: $skipped skipped, $doubled doubled', ({ timeZone, date, skipped, doubled }) => {
    const times = Array.from({ length: 24 * 60 }, (_, minute) => minute);
    const dayBefore = new Date(Date.parse(date) - 2 * 86_400_000).toISOString();
    const found = clockTroubles({ minutes: times, days: [], timeZone }, dayBefore).filter((one) => one.date === date);
    const counted = timesOfDay(timeZone, date);
    const want = times.flatMap((minute) => {
      const comes = counted.get(minute) ?? 0;
      return comes === 1 ? [] : [{ minute, date, kind: comes === 0 ? 'skipped' : 'doubled' }];
    });
    expect(found).toEqual(want);
    expect([skipped, doubled]).toEqual(
      ['skipped', 'doubled'].map((is) => want.filter(({ kind }) => kind === is).length),
    );
  });

  /** How often each minute of a local day comes, by the clock itself: minute after minute of the days around it. */
  function timesOfDay(timeZone: string, date: string): ReadonlyMap<number, number> {
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    const counted = new Map<number, number>();
    for (let at = Date.parse(date) - 86_400_000; at < Date.parse(date) + 2 * 86_400_000; at += 60_000) {
      const [day, time = ''] = clock.format(at).split(' ');
      const minute = Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
      if (day === date) counted.set(minute, (counted.get(minute) ?? 0) + 1);
    }
    return counted;
  }
});

test.each([
  { timeZone: 'Europe/Berlin', want: 3 },
  { timeZone: 'America/New_York', want: 3 },
  { timeZone: 'America/Santiago', want: 3 },
  { timeZone: 'UTC', want: 3 },
  { timeZone: 'Europe/Helsinki', want: 4 },
  { timeZone: 'Pacific/Chatham', want: 4 },
])('the time that is named for $timeZone: $want o’clock', ({ timeZone, want }) => {
  expect(safeTime(timeZone, from)).toBe(want * 60);
});

describe('of a schedule that nobody has refused', () => {
  const timeZone = 'Europe/Berlin';

  test('each such time is told once, eight of them, and the others are counted', () => {
    const everyFiveMinutes = Array.from({ length: 24 * 12 }, (_, at) => at * 5);
    const local = { minutes: everyFiveMinutes, days: [], timeZone };
    const told = clockWarnings([local, local], from);
    expect(told).toHaveLength(9);
    expect(told[0]).toMatch(/^02:00 in Europe\/Berlin does not exist on 2026-03-29, .*exactly once every day\.$/);
    expect(told[8]).toBe('… and 4 more of its times that a clock change skips or doubles.');
  });

  test('one that leaves out the date of the change is told of none', () => {
    const dates = (change: object) => ({ daysOfMonth: [29], months: [3], years: [], ...change });
    const warned = (change: object) =>
      clockWarnings([{ minutes: [150], days: [], timeZone, dates: dates(change) }], from).length;
    expect([{}, { daysOfMonth: [1] }, { months: [5] }, { years: [2030] }].map(warned)).toEqual([1, 0, 0, 0]);
  });
});
