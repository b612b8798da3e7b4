/**
 * Reads `progress.jsonl` from where it was read last: whole lines only, bad lines counted and skipped.
 *
 * Does not cover when to look (scanner.ts) or whether progress is enough (decisions/stall.ts).
 */
import { z } from 'zod';
import { firstNotFiniteOf } from '../decisions/decisive-metrics.ts';
import type { Progress } from '../decisions/failure.ts';
import { activitiesOfTrainer } from '../decisions/states.ts';
import { isNoOwnFile, openToRead } from './own-file.ts';

const line = z.object({
  time: z.string(),
  step: z.int().min(0),
  of: z.int().min(0),
  doing: z.enum(activitiesOfTrainer),
  metrics: z.record(z.string(), z.number().nullable()).default({}),
});

export interface ProgressTail {
  /** Byte offset behind the last whole line: where to go on. */
  readonly offset: number;
  readonly lines: readonly Progress[];
  readonly badLines: number;
  /** Lowest step with a metric that must be finite and was not, among these lines. */
  readonly firstNotFinite: number | null;
}

const nothing = (offset: number): ProgressTail => ({ offset, lines: [], badLines: 0, firstNotFinite: null });
/** A trainer's line is a few hundred bytes; what is longer than this without an end is not one. */
const chunkBytes = 4 * 1024 * 1024;

/** What was appended since `offset`; where that is negative, so many bytes before the end, but for a line that it cuts. An absent file is an empty one, as is what is no file, such as a link; a file that became shorter is read anew. */
export async function tailProgress(path: string, offset = 0): Promise<ProgressTail> {
  let handle;
  try {
    handle = await openToRead(path);
  } catch (error) {
    if (isNoOwnFile(error)) return nothing(0);
    throw error;
  }
  try {
    const { size } = await handle.stat();
    let tail = nothing(offset < 0 ? Math.max(0, size + offset) : size < offset ? 0 : offset);
    while (tail.offset < size) {
      const buffer = Buffer.alloc(Math.min(chunkBytes, size - tail.offset));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, tail.offset);
      const next = parse(buffer.subarray(0, bytesRead), tail);
      if (next.offset === tail.offset) break;
      tail = next;
    }
    return tail;
  } finally {
    await handle.close();
  }
}

/** Far more than one line. */
const bytesOfLast = 64 * 1024;

/** The newest line, without reading those before; null where there is none. */
export async function lastProgressIn(path: string): Promise<Progress | null> {
  return (await tailProgress(path, -bytesOfLast)).lines.at(-1) ?? null;
}

function parse(bytes: Buffer, before: ProgressTail): ProgressTail {
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end === 0) {
    return bytes.length < chunkBytes
      ? before
      : { ...before, offset: before.offset + bytes.length, badLines: before.badLines + 1 };
  }
  const lines = [...before.lines];
  let { badLines, firstNotFinite } = before;
  for (const text of bytes.toString('utf8', 0, end).split('\n')) {
    if (text.trim() === '') continue;
    const read = readLine(text);
    if (read === null) badLines += 1;
    else {
      lines.push(read);
      if (firstNotFiniteOf(read.metrics) !== null && (firstNotFinite === null || read.step < firstNotFinite))
        firstNotFinite = read.step;
    }
  }
  return { offset: before.offset + end, lines, badLines, firstNotFinite };
}

function readLine(text: string): Progress | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null; // counted by the caller: one torn line must not hide the ones behind it
  }
  const read = line.safeParse(value);
  return read.success ? read.data : null;
}
