/**
 * Small files that several processes read and write: all of it is seen or none.
 *
 * `writeOnce` is the claim: of all who try, one succeeds.
 */
import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, unlink } from 'node:fs/promises';

/** Replaces the file. */
export async function replaceFile(path: string, value: unknown): Promise<void> {
  await rename(await temporary(path, value), path);
}

/** Creates the file; false, and nothing changed, when it exists. */
export async function writeOnce(path: string, value: unknown): Promise<boolean> {
  const written = await temporary(path, value);
  try {
    await link(written, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(written);
  }
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

/** Whether the error says that a file or folder does not exist. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function temporary(path: string, value: unknown): Promise<string> {
  const written = `${path}.${randomUUID()}.tmp`;
  const handle = await open(written, 'wx');
  try {
    await handle.writeFile(`${JSON.stringify(value)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return written;
}
