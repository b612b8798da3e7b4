/**
 * Opens a file in a folder that a trainer owns too: only if it is a regular one. A link that was left in its place would lead a worker with
 * more rights elsewhere, and a pipe would hold it for ever.
 *
 * Files of a model may be links: trainers link what they do not change, across devices too. Of those nothing is told but whether they are
 * whole.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Throws ENOENT where it is not there, and an error that names it where it is no regular file. */
export async function openToRead(path: string): Promise<FileHandle> {
  return await openRegular(path, O_RDONLY);
}

/** Of a model: where it is a link, what it leads to, which must be a regular file too. Throws as `openToRead`. */
export async function openModelFile(path: string): Promise<FileHandle> {
  return await openRegular(path, O_RDONLY, 'links');
}

/** Creates it where it is not there; what it holds stays. Throws as `openToRead`. */
export async function openToWrite(path: string): Promise<FileHandle> {
  return await openRegular(path, O_WRONLY | O_CREAT);
}

/** Of what Temper or a trainer writes about a run; far more than any of it is. */
const mostBytesOfText = 4 * 1024 * 1024;

/** The whole text. Throws as `openToRead`, and where it is longer than `mostBytes`. @default 4 MiB */
export async function readOwnText(path: string, mostBytes = mostBytesOfText): Promise<string> {
  return (await readWhole(await openToRead(path), path, mostBytes)).toString('utf8');
}

/** All of a file of a model. Throws as `openModelFile`, and where it is longer than `mostBytes`. */
export async function readModelFile(path: string, mostBytes: number): Promise<Buffer> {
  return await readWhole(await openModelFile(path), path, mostBytes);
}

async function readWhole(handle: FileHandle, path: string, mostBytes: number): Promise<Buffer> {
  try {
    const { size } = await handle.stat();
    if (size > mostBytes) throw noOwnFile('EFBIG', `${path} has ${String(size)} bytes: more than ${String(mostBytes)}`);
    // What is appended meanwhile is not waited for.
    return size === 0 ? Buffer.alloc(0) : await buffer(handle.createReadStream({ end: size - 1, autoClose: false }));
  } finally {
    await handle.close();
  }
}

/** The text; null where there is no regular file, or one that is longer than `mostBytes`. @default 4 MiB */
export async function readOwnTextIfThere(path: string, mostBytes = mostBytesOfText): Promise<string | null> {
  try {
    return await readOwnText(path, mostBytes);
  } catch (error) {
    if (isNoOwnFile(error)) return null;
    throw error;
  }
}

/** The lines of a text that may be too long to be held whole; which must be gone through at once, to their end or not, as that closes the file. */
export type OwnLines =
  | { readonly kind: 'lines'; readonly lines: AsyncIterable<string> }
  /** There is no regular file. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'too-long' };

export async function openOwnLines(path: string, mostBytes: number): Promise<OwnLines> {
  try {
    const handle = await openToRead(path);
    const { size } = await handle.stat();
    if (size <= mostBytes) return { kind: 'lines', lines: linesOf(handle, size) };
    await handle.close();
    return { kind: 'too-long' };
  } catch (error) {
    if (isNoOwnFile(error)) return { kind: 'missing' };
    throw error;
  }
}

async function* linesOf(handle: FileHandle, size: number): AsyncGenerator<string> {
  try {
    if (size === 0) return;
    const chunks = handle.createReadStream({ end: size - 1, autoClose: false, encoding: 'utf8' });
    let rest = '';
    for await (const chunk of chunks as AsyncIterable<string>) {
      const [first = '', ...more] = chunk.split('\n');
      rest += first;
      const last = more.pop();
      if (last === undefined) continue;
      yield rest;
      yield* more;
      rest = last;
    }
    if (rest !== '') yield rest;
  } finally {
    await handle.close();
  }
}

/** Whether nothing lies there, or what is no regular file: a link, a pipe, a socket, a folder; or one that is far too long. */
export function isNoOwnFile(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error)) || isForeignThing(error);
}

/** The same of what does lie there. */
export function isForeignThing(error: unknown): boolean {
  return ['ELOOP', 'ENXIO', 'EINVAL', 'EISDIR', 'EFBIG'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

function noOwnFile(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

async function openRegular(path: string, flags: number, follows?: 'links'): Promise<FileHandle> {
  const handle = await open(path, flags | O_NONBLOCK | (follows === undefined ? O_NOFOLLOW : 0), 0o644);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw noOwnFile('EINVAL', `${path} is no regular file`);
}
