/**
 * How long an attempt's saves took, against the grace that a stop gives: a trainer that is told to stop saves first, and is killed in the
 * middle where its grace is shorter.
 *
 * Covers what progress lines say. Does not cover a save that nobody saw the end of, nor the step that comes before it.
 */
import type { Evidence, Progress } from './failure.ts';
import { duration } from './sentences.ts';

/** Seconds of the longest save that ended; null where none did. */
export function longestSaveOf(lines: readonly Pick<Progress, 'time' | 'doing'>[]): number | null {
  let longest: number | null = null;
  let since: number | null = null;
  for (const { time, doing } of lines) {
    const at = Date.parse(time);
    if (doing === 'saving') since ??= at;
    else if (since !== null) {
      longest = Math.max(longest ?? 0, (at - since) / 1000);
      since = null;
    }
  }
  return longest;
}

/** What to change; null where the grace is long enough, as far as anybody saw. */
export function sentenceOfSaves({ saves }: Pick<Evidence, 'saves'>): string | null {
  if (saves === undefined || saves.longestSeconds <= saves.graceSeconds) return null;
  const { longestSeconds, graceSeconds } = saves;
  return `A save took ${duration(longestSeconds)}, and graceSeconds of the profile leaves ${duration(graceSeconds)}: when it is stopped or evicted it is killed before it has saved. Raise graceSeconds.`;
}
