/**
 * Waits for a database that cannot do now what it can do in a moment, without stopping this process.
 *
 * Right for functions that may be called again, as all of the ledger's are. Does not cover what passes: each database has its own signs.
 */
import { setTimeout as pause } from 'node:timers/promises';

/** First pause between two tries, in milliseconds; each is longer than the one before. */
const firstPause = 5;
const longestPause = 200;

/** The same object; a method that fails with what `isPassing` is called again until `milliseconds` are over. */
export function patient<Methods extends object>(
  methods: Methods,
  milliseconds: number,
  isPassing: (error: unknown) => boolean,
): Methods {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    (...parameters: unknown[]) => untilItPasses(() => (method as Method)(...parameters), milliseconds, isPassing),
  ]);
  return Object.fromEntries(entries) as Methods;
}

type Method = (...parameters: unknown[]) => Promise<unknown>;

async function untilItPasses<Answer>(
  act: () => Promise<Answer>,
  milliseconds: number,
  isPassing: (error: unknown) => boolean,
): Promise<Answer> {
  const end = performance.now() + milliseconds;
  for (let wait = firstPause; ; wait = Math.min(wait * 2, longestPause)) {
    try {
      return await act();
    } catch (error) {
      if (!isPassing(error) || performance.now() + wait > end) throw error;
      await pause(wait);
    }
  }
}
