/**
 * Starts of a schedule that made no sweep since the last one, by the schedule's own counters: each is told once.
 *
 * Does not cover asking the server (workers/schedule-facts.ts).
 */
import type { ScheduleCounters, SkippedNights } from './sweep.ts';

/** `before` as the last sweep that told them saw them, null where there was none. */
export function skippedNights(now: ScheduleCounters, before: ScheduleCounters | null): SkippedNights {
  const { overlap, missed } = before?.createdAt === now.createdAt ? before : { overlap: 0, missed: 0 };
  return { overlap: now.overlap - overlap, missed: now.missed - missed };
}
