/**
 * The workflows as one file of code: the one that was built ahead where it is current, else built now and kept for the next start.
 *
 * A bundle is named by the digest of all that it is made of, so that a stale one is never found. Does not cover what is in it
 * (workflows/) or when it is built ahead (`npm run build`, which set-up calls).
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeByRename } from '../store/write-by-rename.ts';

export interface BundlePlaces {
  /** The checkout. */
  readonly home: string;
  /** Bundles lie in a folder of it. */
  readonly cacheDirectory: string;
}

/** A file of code, or the code itself where none can be written. */
export type WorkflowBundle = { readonly codePath: string } | { readonly code: string };

/** Makes the code of a checkout's workflows. */
export type Bundler = (workflowsPath: string) => Promise<string>;

/** The folders that workflows may import from (.dependency-cruiser.mjs); a test holds the bundle against this list. */
export const bundledFolders = ['configs', 'decisions', 'workflows'] as const;
/** What is installed, with every version: npm writes the first one itself. */
const packageLists = [join('node_modules', '.package-lock.json'), 'package-lock.json'];
/** Checkouts may share a cache, and people go back to older ones. */
const keptBundles = 4;

/** The modules whose interceptors are part of every workflow, beside its index. */
export function interceptorsOf(workflowsPath: string): string[] {
  return [join(dirname(workflowsPath), 'reapplied.ts')];
}

export async function workflowBundle(places: BundlePlaces, bundler: Bundler): Promise<WorkflowBundle> {
  const key = await keyOfSources(places.home);
  const codePath = join(folderOf(places), `${key}.js`);
  if (await exists(codePath)) return { codePath };
  const code = await bundler(join(places.home, 'workflows', 'index.ts'));
  // An edit in the meantime: nobody knows which of the two is in it.
  if ((await keyOfSources(places.home)) !== key) return { code };
  return (await keep(places, { key, code })) ? { codePath } : { code };
}

/** SHA-256 over the names and bytes of all that a bundle is made of, and where they lie: stacks name the files. */
async function keyOfSources(home: string): Promise<string> {
  const listed = await Promise.all(
    bundledFolders.map(async (folder) =>
      (await readdir(join(home, folder), { recursive: true })).map((file) => join(folder, file)),
    ),
  );
  const sources = listed.flat().filter((file) => file.endsWith('.ts'));
  const hash = createHash('sha256').update(`${home}\n`);
  for (const file of [...packageLists, ...sources].sort()) {
    const bytes = await readFile(join(home, file)).catch(absent);
    hash.update(`${file}\n${bytes === null ? 'absent' : String(bytes.length)}\n`).update(bytes ?? '');
  }
  return hash.digest('hex').slice(0, 32);
}

/** False where this user may not write: then each start bundles. */
async function keep(places: BundlePlaces, { key, code }: { key: string; code: string }): Promise<boolean> {
  const folder = folderOf(places);
  try {
    await mkdir(folder, { recursive: true });
    await writeByRename(join(folder, `${key}.js`), code);
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
  await removeOldest(folder);
  return true;
}

async function removeOldest(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.js')).map((file) => join(folder, file));
  const aged = await Promise.all(
    files.map(async (path) => ({ path, at: (await stat(path).catch(absent))?.mtimeMs ?? 0 })),
  );
  const oldest = aged.toSorted((a, b) => b.at - a.at).slice(keptBundles);
  for (const { path } of oldest) await unlink(path).catch(absent);
}

const folderOf = ({ cacheDirectory }: BundlePlaces) => join(cacheDirectory, 'workflow-bundles');

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(absent)) !== null;
}

function absent(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}

function isRefused(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');
}
