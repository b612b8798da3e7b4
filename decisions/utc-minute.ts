/** The words for a time of a plan, a wait or a failure: to the minute, in UTC, which is said beside it. Does not cover how long something takes. */

/** `2026-11-29 03:12`. `iso`: ISO 8601 in UTC. */
export function minuteOf(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}
