/** Tars of images in the cache: named by the digest of what went into them, the newest few kept. Does not cover making them. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Of a source tree, what goes into an image. */
export function isSource(path: string): boolean {
  return basename(path) !== '__pycache__';
}

/** 16 hexadecimal digits. */
export function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

export function digestOfTree(path: string): string {
  if (statSync(path).isFile()) return digest([readFileSync(path, 'base64')]);
  const names = readdirSync(path).filter(isSource).sort();
  return digest(names.flatMap((name) => [name, digestOfTree(join(path, name))]));
}

/** Removes the oldest of a folder but for so many. */
export function keepNewest(folder: string, kept: number): void {
  const tars = readdirSync(folder).map((name) => join(folder, name));
  const age = (path: string) => statSync(path).mtimeMs;
  for (const old of tars.sort((one, other) => age(other) - age(one)).slice(kept)) rmSync(old, { recursive: true });
}
