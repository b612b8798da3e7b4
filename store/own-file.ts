/**
 * Opens a file in a folder that a trainer owns too: only if it is a regular one. A link that was left in its place would lead a worker with
 * more rights elsewhere, and a pipe would hold it for ever.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Throws ENOENT where it is not there, and an error that names it where it is no regular file. */
export async function openToRead(path: string): Promise<FileHandle> {
  return await openRegular(path, O_RDONLY);
}

/** Creates it where it is not there; what it holds stays. Throws as `openToRead`. */
export async function openToWrite(path: string): Promise<FileHandle> {
  return await openRegular(path, O_WRONLY | O_CREAT);
}

/** The whole text. Throws as `openToRead`. */
export async function readOwnText(path: string): Promise<string> {
  const handle = await openToRead(path);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** The same; null where there is no regular file. */
export async function readOwnTextIfThere(path: string): Promise<string | null> {
  try {
    return await readOwnText(path);
  } catch (error) {
    if (isNoOwnFile(error)) return null;
    throw error;
  }
}

/** Whether nothing lies there, or what is no regular file: a link, a pipe, a socket, a folder. */
export function isNoOwnFile(error: unknown): boolean {
  return ['ENOENT', 'ELOOP', 'ENXIO', 'EINVAL', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

async function openRegular(path: string, flags: number): Promise<FileHandle> {
  const handle = await open(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o644);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw Object.assign(new Error(`${path} is no regular file`), { code: 'EINVAL' });
}
