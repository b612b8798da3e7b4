/**
 * Small files of JSON that several processes read and write: all of it is seen or none.
 *
 * `claimFile` is the claim: of all who try, one succeeds.
 */
import { readFile, unlink } from 'node:fs/promises';
import { isAbsent } from '../store/absence.ts';
import { writeByRename, writeOnce } from '../store/write-by-rename.ts';

/** Replaces the file. */
export async function replaceFile(path: string, value: unknown): Promise<void> {
  await writeByRename(path, textOf(value));
}

/** Creates the file; false, and nothing changed, when it exists. */
export async function claimFile(path: string, value: unknown): Promise<boolean> {
  return await writeOnce(path, textOf(value));
}

/** The JSON object in the file; null when there is no such file. */
export async function readObject(path: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Removes the file if it is there. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

const textOf = (value: unknown): string => `${JSON.stringify(value)}\n`;
