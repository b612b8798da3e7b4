/** Starts of a schedule that made no sweep, and why: by the schedule's counters, and by how long a sweep waited for a worker. */
import type { StartInterval, StartTimes } from '../../decisions/clock-change.ts';
import { skippedNights } from '../../decisions/skipped-nights.ts';
import { sentenceOfNights } from '../../decisions/sweep-sentences.ts';

const counters = (overlap: number, missed: number, createdAt = 'then') => ({ overlap, missed, createdAt });
const times = [{ minutes: [120], days: [], timeZone: 'Europe/Berlin' }];
const intervals: readonly StartInterval[] = [];

test('a start that was skipped is told once, also when the schedule was made anew and has skipped more since', () => {
  expect(skippedNights(counters(1, 5), counters(1, 2), { times, intervals })).toEqual({ overlap: 0, missed: 3 });
  expect(skippedNights(counters(4, 6, 'later'), counters(4, 2), { times, intervals })).toEqual({
    overlap: 4,
    missed: 6,
  });
  expect(skippedNights(counters(2, 1), null, { times, intervals })).toEqual({ overlap: 2, missed: 1 });
});

describe('a sweep that was started and waited for a worker', () => {
  // 02:00 in Berlin is 01:00 UTC in winter; on the next three nights the server skips it.
  const waited = { from: '2026-11-26T01:00:00.120Z', until: '2026-11-29T09:12:30.000Z' };

  test('is what kept the nights after it from starting, and says from when to when', () => {
    const nights = skippedNights(counters(3, 0), counters(0, 0), { waited, times, intervals });
    expect(nights).toEqual({ overlap: 0, missed: 0, notTaken: { starts: 3, ...waited } });
    expect(sentenceOfNights(nights)).toBe(
      'Since the last sweep 3 starts were skipped because this sweep was started at 2026-11-26 01:00 UTC and no worker took it until 2026-11-29 09:12 UTC.',
    );
  });

  test('is not blamed for those that a longer sweep before kept from starting', () => {
    const nights = skippedNights(counters(5, 1), counters(1, 1), { waited, times, intervals });
    expect(nights).toEqual({ overlap: 1, missed: 0, notTaken: { starts: 3, ...waited } });
    expect(sentenceOfNights(nights)).toMatch(
      /^Since the last sweep 1 start was skipped because the sweep before still ran, and 3 starts were skipped because this sweep was started/,
    );
  });

  test.each([
    { title: 'taken at once', given: { waited: { ...waited, until: '2026-11-26T01:00:02.000Z' }, times, intervals } },
    { title: 'of a run that began before it was told', given: { times, intervals } },
  ])('is told as before: $title', ({ given }) => {
    expect(skippedNights(counters(2, 0), null, given)).toEqual({ overlap: 2, missed: 0 });
  });

  test('counts the starts of intervals too, each once where a local time is the same', () => {
    const daily = [{ everySeconds: 86_400, offsetSeconds: 3600 }]; // at 01:00 UTC
    const of = (given: StartTimes) => skippedNights(counters(20, 0), null, { waited, ...given }).notTaken?.starts;
    expect(of({ times: [], intervals: daily })).toBe(3);
    expect(of({ times, intervals: daily })).toBe(3);
    expect(of({ times: [], intervals: [{ everySeconds: 6 * 3600, offsetSeconds: 0 }] })).toBe(13);
  });

  test('counts the nights of its schedule alone, also where clocks change between', () => {
    const weekends = [{ minutes: [120], days: ['saturday', 'sunday'], timeZone: 'Europe/Berlin' }] as const;
    const autumn = { from: '2026-10-24T00:00:00.500Z', until: '2026-10-26T00:00:00.000Z' };
    const of = (given: typeof times | typeof weekends) =>
      skippedNights(counters(9, 0), null, { waited: autumn, times: given, intervals }).notTaken?.starts;
    expect([of(times), of(weekends)]).toEqual([1, 1]);
    const longer = { ...autumn, until: '2026-10-26T01:00:00.000Z' };
    expect(skippedNights(counters(9, 0), null, { waited: longer, times, intervals }).notTaken?.starts).toBe(2);
  });
});
