/**
 * The shared libraries that a Python and its environment take from the host: what `ldd` names for every program and library in them, less
 * what lies in them. An image with these runs that Python when both are mounted.
 *
 * Libraries that are opened by name at run time are not seen; the two that name look-ups need are added.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { debianTriplet } from '../machine/debian-triplet.ts';
import { run } from '../machine/programs.ts';

const atATime = 200;

/** Absolute paths, sorted. */
export async function libraryClosure(
  folders: readonly string[],
  programs: readonly string[],
): Promise<readonly string[]> {
  const libraries = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.so(\.|$)/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const looked = [...programs, ...libraries];
  const found = new Set(nameLookups());
  for (let begin = 0; begin < looked.length; begin += atATime) {
    const shown = await ldd(looked.slice(begin, begin + atATime));
    for (const path of readLdd(shown)) found.add(path);
  }
  return [...found].filter((path) => !folders.some((folder) => path.startsWith(`${folder}/`))).sort();
}

/** ldd ends badly when one of many is static or foreign, and still names the others'. */
async function ldd(paths: readonly string[]): Promise<string> {
  return await run('sh', ['-c', 'ldd "$@" 2>/dev/null; true', 'sh', ...paths]);
}

/** Paths in what `ldd` prints: `name => /path (0x…)`, and the loader, which has no arrow. */
export function readLdd(shown: string): readonly string[] {
  return shown.split('\n').flatMap((line) => {
    const [, path] = /(?:=>\s+|^\s+)(\/\S+)\s+\(0x/.exec(line) ?? [];
    return path ?? [];
  });
}

function nameLookups(): readonly string[] {
  const folder = join('/lib', debianTriplet());
  return ['libnss_files.so.2', 'libnss_dns.so.2'].map((name) => join(folder, name)).filter((path) => existsSync(path));
}
