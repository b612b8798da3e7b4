/** Local times that a clock change skips or doubles. What the server does with them was seen on a real one. */
import { clockProblems, clockTroubles, safeTime } from '../../decisions/clock-change.ts';
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

test('03:00 is safe in every zone there is, but for those that change then: there another hour is named', () => {
  for (const zone of ['Europe/Lisbon', 'Africa/Casablanca', 'America/Santiago', 'Asia/Beirut', 'Antarctica/Troll']) {
    expect(at(`0${String(safeTime(zone, from) / 60)}:00`, zone)).toEqual([]);
  }
});
