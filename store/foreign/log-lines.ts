/**
 * The lines of a log as they come: split at newlines and at the carriage returns of progress bars, from where it was read last.
 *
 * A line longer than 8 KiB is cut: nothing of a step stands behind that. Does not cover what a line means (the readers beside this).
 */
import { isNoOwnFile, openToRead } from '../own-file.ts';

const chunkBytes = 1024 * 1024;
const longestLine = 8 * 1024;
const newline = 0x0a;
const carriageReturn = 0x0d;

export interface LogTail {
  /** Where to go on: behind the last whole line. */
  readonly offset: number;
  /** When the log was written last; null when there is none. */
  readonly writtenAt: Date | null;
}

/** Calls back for each whole line since `offset`. A log that became shorter is read anew. */
export async function tailLines(path: string, offset: number, line: (text: string) => void): Promise<LogTail> {
  let handle;
  try {
    handle = await openToRead(path);
  } catch (error) {
    if (isNoOwnFile(error)) return { offset: 0, writtenAt: null };
    throw error;
  }
  try {
    const { size, mtime } = await handle.stat();
    let at = size < offset ? 0 : offset;
    while (at < size) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(chunkBytes), 0, Math.min(chunkBytes, size - at), at);
      const taken = linesOf(buffer.subarray(0, bytesRead), bytesRead === chunkBytes, line);
      if (taken === 0) break;
      at += taken;
    }
    return { offset: at, writtenAt: mtime };
  } finally {
    await handle.close();
  }
}

/** Bytes that were taken; of a chunk that is full of one line, all of it. */
function linesOf(bytes: Buffer, isFull: boolean, line: (text: string) => void): number {
  let begin = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== newline && bytes[at] !== carriageReturn) continue;
    if (at > begin) line(bytes.toString('utf8', begin, Math.min(at, begin + longestLine)));
    begin = at + 1;
  }
  return begin === 0 && isFull ? bytes.length : begin;
}
