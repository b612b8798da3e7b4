/**
 * Starts of a schedule that made no sweep since the last one, by the schedule's own counters: each is told once.
 *
 * Does not cover asking the server (workers/schedule-facts.ts).
 */
import type { SkippedNights } from './sweep.ts';

/** Counters since the schedule was made; `before` as the last sweep saw them, null where there was none. */
export function skippedNights(now: SkippedNights, before: SkippedNights | null): SkippedNights {
  const since = (count: number, last: number) => (count >= last ? count - last : count);
  if (before === null) return now;
  // A schedule that was made anew counts from 0 again.
  return { overlap: since(now.overlap, before.overlap), missed: since(now.missed, before.missed) };
}
