/** Waiting at the edge of a process, where no event reaches the test: looks again and again, with a deadline. */
import { setTimeout as pause } from 'node:timers/promises';

const lookMilliseconds = 50;

/** What `look` finds once it finds something (not null, not false). Rejects after `seconds`, saying what never came. */
export async function eventually<T>(
  what: string,
  seconds: number,
  look: () => Promise<T | null | false> | T | null | false,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found !== null && found !== false) return found;
    if (performance.now() > end) throw new Error(`not within ${String(seconds)} s: ${what}`);
    await pause(lookMilliseconds);
  }
}
