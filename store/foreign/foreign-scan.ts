/**
 * One look after the other at the run directory of a foreign trainer: its log is read on, and what it has finished is taken.
 *
 * Does not cover telling anybody (../scanner.ts).
 */
import type { Progress } from '../../decisions/failure.ts';
import { collectCheckpoints } from './collect.ts';
import { foreignLog, type ForeignLog } from './foreign-log.ts';
import { type ForeignReading, whoTrains, logPathOf } from './reading.ts';

export interface ForeignLook {
  readonly progress: Progress | null;
  readonly firstNotFinite: number | null;
}

export class ForeignScan {
  readonly #directory: string;
  /** What was seen of checkpoints that are not complete yet. */
  readonly #seen = new Map<string, string>();
  #trainer: { readonly reading: ForeignReading; readonly log: ForeignLog } | 'built-in' | 'not-known-yet' =
    'not-known-yet';

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Null for a built-in trainer. */
  async look(): Promise<ForeignLook | null> {
    if (this.#trainer === 'not-known-yet') this.#trainer = await this.#whoTrains();
    if (typeof this.#trainer === 'string') return null;
    const { reading, log } = this.#trainer;
    const progress = await log.readOn();
    await collectCheckpoints(this.#directory, reading, {
      seen: this.#seen,
      isOver: false,
      firstNotFinite: log.firstNotFinite,
    });
    return { progress, firstNotFinite: log.firstNotFinite };
  }

  async #whoTrains() {
    const reading = await whoTrains(this.#directory);
    if (typeof reading === 'string') return reading;
    return { reading, log: foreignLog(logPathOf(this.#directory, reading), reading) };
  }
}
