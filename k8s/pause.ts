/** Waits, unless it is aborted: then it is over at once, and whoever waited looks at the signal. Does not cover how long (its callers). */
import { setTimeout } from 'node:timers/promises';

/** Leaves nothing behind on a signal that lives on. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}
