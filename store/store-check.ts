/**
 * Says before anything starts whether the store can be used: it exists or can be made, is writable, and has room.
 *
 * Leaves nothing behind. Does not cover quotas that statfs does not show.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, stat, statfs, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TemperError } from '../decisions/errors.ts';

export interface StoreCheckOptions {
  /** Room that must be free, in bytes. @default 1 GiB */
  readonly minimumFreeBytes?: number;
  /** Free bytes below a path. @default asks statfs */
  readonly freeBytes?: (path: string) => Promise<number>;
}

export interface StoreRoom {
  readonly freeBytes: number;
}

const gibibyte = 1024 ** 3;

/** Throws `store-unusable` with one line that names the fix. */
export async function checkStore(store: string, options: StoreCheckOptions = {}): Promise<StoreRoom> {
  const { minimumFreeBytes = gibibyte, freeBytes = freeBytesOf } = options;
  const probe = join(store, `.temper-probe-${randomUUID()}`);
  let free: number;
  try {
    await makeFolder(store);
    free = await freeBytes(store);
    if (free > 0) await writeAndRemove(probe);
  } catch (cause) {
    throw new TemperError('store-unusable', sentence(store, cause as NodeJS.ErrnoException), { cause });
  }
  if (free < minimumFreeBytes) {
    throw new TemperError(
      'store-unusable',
      `the disk of the store ${store} is nearly full: ${size(free)} free, ${size(minimumFreeBytes)} needed; free some or name another folder (profile: store.path)`,
      { details: { freeBytes: free, minimumFreeBytes } },
    );
  }
  return { freeBytes: free };
}

/** Not `recursive`: in a folder that takes no entries (such as /proc) Node would try for ever. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path || (await exists(dirname(path)))) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Bytes that this user can still write below a path; 0 also where no further file can be made. */
export async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize, files, ffree } = await statfs(path);
  return files > 0 && ffree === 0 ? 0 : bavail * bsize;
}

async function writeAndRemove(probe: string): Promise<void> {
  const handle = await open(probe, 'wx');
  try {
    await handle.writeFile('temper');
    await handle.sync();
  } finally {
    await handle.close();
    await unlink(probe);
  }
}

function sentence(store: string, { code = 'unknown error', message }: NodeJS.ErrnoException): string {
  const user = process.geteuid?.();
  const who = user === undefined ? 'this user' : `this user (uid ${String(user)})`;
  const fix = `make it writable for ${who} or name another folder (profile: store.path)`;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return `the store ${store} is not writable (${code}): ${fix}`;
    case 'EROFS':
      return `the store ${store} lies on a read-only filesystem: ${fix}`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `the store ${store} is not a folder: name another one (profile: store.path)`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `the disk of the store ${store} is full (${code}): free some or name another folder (profile: store.path)`;
    default:
      return `the store ${store} cannot be used (${code}: ${message}): ${fix}`;
  }
}

function size(bytes: number): string {
  return bytes >= gibibyte ? `${(bytes / gibibyte).toFixed(1)} GiB` : `${String(Math.floor(bytes / 1024 ** 2))} MiB`;
}
