/**
 * Deletes checkpoints so that a kill in the middle leaves nothing half that looks whole: first the name goes, then the files.
 *
 * Covers one checkpoint with its seal, and what earlier deletions and killed writers left. Does not cover which may go
 * (decisions/prune.ts).
 */
import { randomUUID } from 'node:crypto';
import { lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAbsent, isThere } from './absence.ts';
import { filesBelow, sealPath } from './seal.ts';

const trashName = /^\.trash-(.+)-[0-9a-f-]{36}$/;
/** Trainers write a checkpoint under such a name until it is whole. */
const unfinishedName = /^\.(.+)\.tmp$/;

/** Deletes the directory and its seal; one that is gone already is no error. */
export async function deleteCheckpoint(path: string): Promise<void> {
  const folder = dirname(path);
  const trash = join(folder, `.trash-${basename(path)}-${randomUUID()}`);
  try {
    await rename(path, trash);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    return;
  }
  await syncFolder(folder);
  await emptyTrash(trash);
}

/** What deletions that were killed left in a folder of checkpoints; of an attempt that is over, unfinished checkpoints too. */
export async function leftoversIn(folder: string, attemptIsOver: boolean): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
  return names
    .filter((name) => trashName.test(name) || (attemptIsOver && unfinishedName.test(name)))
    .map((name) => join(folder, name));
}

/** Deletes a leftover for good. */
export async function emptyTrash(path: string): Promise<void> {
  const [, name] = trashName.exec(basename(path)) ?? [];
  if (name !== undefined) {
    const checkpoint = join(dirname(path), name);
    if (!(await isThere(checkpoint))) await rm(sealPath(checkpoint), { force: true });
  }
  await rm(path, { recursive: true, force: true });
}

/** Bytes that deleting a directory gives back: a file with another name elsewhere (a linked shard) gives nothing. */
export async function freedBytesOf(path: string): Promise<number> {
  let bytes = 0;
  try {
    for (const name of await filesBelow(path)) {
      const { size, nlink } = await lstat(join(path, name));
      if (nlink === 1) bytes += size;
    }
  } catch (error) {
    if (!isAbsent(error)) throw error; // it grows or goes while this looks: what was counted is near enough
  }
  return bytes;
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
