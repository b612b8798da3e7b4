/**
 * The log of one attempt of a foreign trainer, read on from where it was read last: newest step, first step, and what was not finite.
 *
 * Times are those of the file: a log names none that could be trusted. Does not cover checkpoints.
 */
import type { Progress } from '../../decisions/failure.ts';
import { hfTrainerLines } from './hf-trainer-lines.ts';
import type { LineReader, Metrics } from './line-reader.ts';
import { tailLines } from './log-lines.ts';
import { megatronLines } from './megatron-lines.ts';
import { patternLines } from './pattern-lines.ts';
import type { ForeignReading } from './reading.ts';
import { slimeLines } from './slime-lines.ts';

export interface ForeignLog {
  /** Reads what is new; the newest progress, also when nothing is new. Null before anything is known. */
  readOn(): Promise<Progress | null>;
  /** The step of the first line that named one; null while none did. */
  readonly firstStep: number | null;
  /** The step that it says it starts after; null when it does not say. */
  readonly startedAtStep: number | null;
  /** Lowest step with a loss or gradient norm that was not finite. */
  readonly firstNotFinite: number | null;
}

export function foreignLog(path: string, reading: ForeignReading): ForeignLog {
  return new LogOfAttempt(path, reading);
}

function readerOf({ progress, targetStep }: ForeignReading): LineReader | null {
  switch (progress) {
    case 'hf-trainer':
      return hfTrainerLines(targetStep);
    case 'megatron':
      return megatronLines();
    case 'slime':
      return slimeLines();
    case 'none':
      return null;
    default:
      return patternLines(progress);
  }
}

class LogOfAttempt implements ForeignLog {
  firstStep: number | null = null;
  startedAtStep: number | null = null;
  firstNotFinite: number | null = null;
  readonly #path: string;
  readonly #of: number;
  readonly #read: LineReader | null;
  #offset = 0;
  #step: number;
  #metrics: Metrics = {};
  #progress: Progress | null = null;

  constructor(path: string, reading: ForeignReading) {
    this.#path = path;
    this.#of = reading.targetStep;
    this.#read = readerOf(reading);
    this.#step = reading.resume?.step ?? 0;
  }

  async readOn(): Promise<Progress | null> {
    const { offset, writtenAt } = await tailLines(this.#path, this.#offset, (line) => {
      this.#hear(line);
    });
    if (writtenAt === null || offset === 0) return null;
    if (offset === this.#offset) return this.#progress;
    this.#offset = offset;
    // A log that is not read tells by growing that its writer lives.
    const metrics = this.#read === null ? { logBytes: offset } : this.#metrics;
    const isTraining = this.#read === null || this.firstStep !== null;
    this.#progress = {
      time: writtenAt.toISOString(),
      step: this.#step,
      of: this.#of,
      doing: isTraining ? 'training' : 'loading',
      metrics,
    };
    return this.#progress;
  }

  #hear(line: string): void {
    const said = this.#read?.(line) ?? null;
    if (said === null) return;
    if (said.kind === 'started') {
      this.startedAtStep ??= said.step;
      return;
    }
    const { step, metrics } = said;
    if (step !== null) {
      this.#step = step;
      if (step > 0) this.firstStep ??= step;
    }
    if (Object.keys(metrics).length > 0) this.#metrics = metrics;
    if (Object.values(metrics).includes(null))
      this.firstNotFinite = Math.min(this.#step, this.firstNotFinite ?? Infinity);
  }
}
