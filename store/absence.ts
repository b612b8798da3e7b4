/** What it means on the store that something is not there: that is a fact, any other failure to look is an error. */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';

/** Whether a file or folder is there. Throws when that cannot be told. */
export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (isAbsent(error)) return false;
      throw error;
    },
  );
}

/** Names of the folders in a folder. An absent one has none. */
export async function foldersIn(folder: string): Promise<readonly string[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Whether an error of Node's file system says that there is no such file or folder. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
