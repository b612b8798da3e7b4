/**
 * Writes a file so that a reader sees all of it or none, also after a power cut.
 *
 * Covers whole small files. Does not cover appending, or two writers at once: the last one wins unless the write is exclusive.
 */
import { randomUUID } from 'node:crypto';
import { link, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeTemporary(path: string, text: string): Promise<string> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const handle = await open(temporary, 'wx');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await unlink(temporary);
    throw error;
  } finally {
    await handle.close();
  }
  return temporary;
}

/** Replaces `path` by `text`. */
export async function writeByRename(path: string, text: string): Promise<void> {
  const temporary = await writeTemporary(path, text);
  try {
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary);
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Creates `path` with `text`; false, and nothing changed, when it exists. */
export async function writeOnce(path: string, text: string): Promise<boolean> {
  const temporary = await writeTemporary(path, text);
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(temporary);
  }
  await syncDirectory(dirname(path));
  return true;
}
