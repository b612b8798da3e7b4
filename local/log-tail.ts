/**
 * The last lines of a log, read from its end: at most 60 lines and 8 KiB, whatever the log's size.
 *
 * Of a line that was overwritten by carriage returns (progress bars) the last text counts. Where torchrun names the process that failed
 * first, the last lines of that one are among them, also when those of the peers it took along have pushed them out.
 */
import { open } from 'node:fs/promises';
import { launcherVerdict, linesOfRank } from '../decisions/signatures.ts';
import { isAbsent } from '../store/absence.ts';

const maximumBytes = 8 * 1024;
const maximumLines = 60;
const linesOfBlamed = 12;

/** Oldest first; empty when there is no log. */
export async function lastLinesOf(path: string): Promise<readonly string[]> {
  let handle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
  try {
    const { size } = await handle.stat();
    // Progress bars make one line of many: read more than is kept.
    const length = Math.min(size, 8 * maximumBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n').map(lastText);
    if (length < size && lines.length > 1) lines.shift();
    return chosen(lines.filter((line) => line.trim() !== ''));
  } finally {
    await handle.close();
  }
}

function lastText(line: string): string {
  const parts = line.split('\r').filter((part) => part.trim() !== '');
  return parts.at(-1) ?? '';
}

function chosen(lines: readonly string[]): string[] {
  const last = lines.slice(-maximumLines);
  const blamed = launcherVerdict(last);
  const earlier = lines.slice(0, -maximumLines);
  const own = blamed === null ? [] : linesOfRank(earlier, blamed.rank).slice(-linesOfBlamed);
  if (own.length === 0) return fitting(last, maximumBytes);
  const first = fitting(own, maximumBytes / 4);
  return [...first, ...fitting(last.slice(first.length), maximumBytes - maximumBytes / 4)];
}

function fitting(lines: readonly string[], most: number): string[] {
  const kept: string[] = [];
  let left = most;
  for (const line of lines.toReversed()) {
    const bytes = Buffer.byteLength(line) + 1;
    if (bytes > left) {
      if (kept.length === 0) kept.push(Buffer.from(line).subarray(-left).toString('utf8'));
      break;
    }
    left -= bytes;
    kept.push(line);
  }
  return kept.reverse();
}
