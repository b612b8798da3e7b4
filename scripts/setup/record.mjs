/**
 * What set-up wrote down: setup.json and the marks of finished steps. Every file is written last and by rename, so that a file that is
 * there is whole, and a step that was killed has none.
 */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';

/** The JSON in `path`, or undefined when there is none that can be read: then the step is simply not finished. */
export function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Writes `value` so that a reader sees the old file or the new one, never a part. */
export function writeJson(path, value) {
  const half = `${path}.${process.pid}.half`;
  writeFileSync(half, `${JSON.stringify(value, null, 2)}\n`);
  renameSync(half, path);
}

/** SHA-256 of a file, in hex. */
export function digestOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** What tells a program that was tried from one that was replaced since. Undefined when there is no such file. */
export function fingerprintOf(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? `${stats.size}-${Math.round(stats.mtimeMs)}` : undefined;
}
