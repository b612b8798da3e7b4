/**
 * Waits for other writers of an SQLite file without stopping this process: the driver's own waiting blocks the event loop.
 *
 * Right for functions that may be called again, as all of the ledger's are. Does not cover a lock that is never given back.
 */
import { setTimeout as pause } from 'node:timers/promises';

/** First pause between two tries, in milliseconds; each is longer than the one before. */
const firstPause = 5;
const longestPause = 200;

/** The same object; a method that finds the database busy is called again until `milliseconds` are over. */
export function patient<Methods extends object>(methods: Methods, milliseconds: number): Methods {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    (...parameters: unknown[]) => untilFree(() => (method as Method)(...parameters), milliseconds),
  ]);
  return Object.fromEntries(entries) as Methods;
}

type Method = (...parameters: unknown[]) => Promise<unknown>;

async function untilFree<Answer>(act: () => Promise<Answer>, milliseconds: number): Promise<Answer> {
  const end = performance.now() + milliseconds;
  for (let wait = firstPause; ; wait = Math.min(wait * 2, longestPause)) {
    try {
      return await act();
    } catch (error) {
      if (!isBusy(error) || performance.now() + wait > end) throw error;
      await pause(wait);
    }
  }
}

/** By its code alone: the driver makes its errors with the first `Error` it ever saw in this process, which may be another realm's. */
function isBusy(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
