/**
 * Starts of a schedule that made no sweep since the last one, by the schedule's own counters: each is told once.
 *
 * Covers those that a sweep kept from starting while it waited for a worker: the server counts them as any that the sweep before kept from
 * it. Does not cover asking the server (workers/schedule-facts.ts).
 */
import { type StartTimes, startsBetween } from './clock-change.ts';
import type { ScheduleCounters, SkippedNights, Waited } from './sweep.ts';

/** `before` as the last sweep that told them saw them, null where there was none; `waited`: the sweep that tells them now, for a worker. */
export function skippedNights(
  now: ScheduleCounters,
  before: ScheduleCounters | null,
  { waited, ...starting }: StartTimes & { readonly waited?: Waited | undefined },
): SkippedNights {
  const { overlap, missed } = before?.createdAt === now.createdAt ? before : { overlap: 0, missed: 0 };
  const skipped = { overlap: now.overlap - overlap, missed: now.missed - missed };
  const starts = waited === undefined ? 0 : Math.min(skipped.overlap, startsBetween(starting, waited));
  if (waited === undefined || starts === 0) return skipped;
  return { ...skipped, overlap: skipped.overlap - starts, notTaken: { starts, ...waited } };
}
