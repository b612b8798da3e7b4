/**
 * Where the processes of an attempt hung that were told to stop and did not: `stacks.txt`, `stacks-1.txt` … in its directory, in the
 * words of Python's faulthandler.
 *
 * Covers the main thread, which a signal meets. Does not cover whether it hung: one that stops in order leaves no file.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HungProcess } from '../decisions/failure.ts';
import { openToRead } from './own-file.ts';

const mostProcesses = 8;
const mostFrames = 12;
const longestFrame = 300;
const mostBytes = 256 * 1024;

/** By rank, the first few; none where nothing was left. A file that cannot be read is left out: it is a hint, and decides nothing. */
export async function readStacks(directory: string): Promise<readonly HungProcess[]> {
  const names = await readdir(directory).catch(() => []);
  const ranks = names.flatMap((name) => rankOf(name) ?? []).toSorted((a, b) => a - b);
  const read = await Promise.all(
    ranks.slice(0, mostProcesses).map(async (rank) => ({ rank, frames: framesIn(await textOf(directory, rank)) })),
  );
  return read.filter(({ frames }) => frames.length > 0);
}

function rankOf(name: string): number | null {
  if (name === 'stacks.txt') return 0;
  const [, rank] = /^stacks-([1-9]\d{0,5})\.txt$/.exec(name) ?? [];
  return rank === undefined ? null : Number(rank);
}

async function textOf(directory: string, rank: number): Promise<string> {
  const handle = await openToRead(join(directory, rank === 0 ? 'stacks.txt' : `stacks-${String(rank)}.txt`)).catch(
    () => null,
  );
  if (handle === null) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(mostBytes), 0, mostBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Innermost first. Of several dumps the first counts: it was made when the process was told. */
function framesIn(text: string): readonly string[] {
  const lines = text.split('\n');
  const current = lines.findIndex((line) => /^Current thread .*\(most recent call first\):/.test(line));
  const after = lines.slice(current + 1);
  const end = after.findIndex((line) => !/^ {2}(File )/.test(line));
  return (current < 0 ? [] : after.slice(0, end < 0 ? undefined : end))
    .slice(0, mostFrames)
    .map((line) => line.trim().slice(0, longestFrame));
}
