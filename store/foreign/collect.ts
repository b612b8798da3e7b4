/**
 * Takes the complete checkpoints of a foreign trainer into Temper's own folder, by hard links, before the trainer can delete them.
 *
 * A link costs no space while the trainer keeps its own. What the trainer has deleted is kept where it is due, one of the newest two,
 * or one of the newest two before the numbers went wrong; the rest is let go, as its own rotation meant to. What Temper has pruned is
 * deleted at the trainer's too, and never taken again. Two workers may do this at once: a checkpoint appears by rename, and the first
 * one wins. Does not cover a trainer that writes into a finished checkpoint again: its files are the same.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { newestKept } from '../../decisions/prune.ts';
import { isAbsent, isThere } from '../absence.ts';
import type { InspectionCache } from '../checkpoints.ts';
import { checkpointPaths, inspectCheckpoint } from '../checkpoints.ts';
import { deleteCheckpoint } from '../delete-checkpoint.ts';
import type { Inspection } from '../formats/reader.ts';
import { runFiles } from '../run-directory.ts';
import { sealPath } from '../seal.ts';
import { foreignSources, type ForeignSource } from './foreign-sources.ts';
import type { ForeignReading } from './reading.ts';

/** One that is not complete, and where it lies. */
export interface LeftBehind {
  readonly path: string;
  readonly inspection: Inspection;
}

export interface Collecting {
  /** What was seen of files that have not changed is not looked at again. */
  readonly seen: Map<string, string>;
  /** The job is over: what has no mark of its own gets none any more. */
  readonly isOver: boolean;
  /** Lowest step whose numbers were not finite; null while all were. */
  readonly firstNotFinite: number | null;
}

const staging = '.collecting-';
/** Links that a killed worker has left are let go after this. */
const staleMilliseconds = 10 * 60 * 1000;

/** Links what is complete and new; tells what is not complete. */
export async function collectCheckpoints(
  directory: string,
  reading: ForeignReading,
  collecting: Collecting,
): Promise<readonly LeftBehind[]> {
  const own = runFiles(directory).checkpoints;
  await mkdir(own, { recursive: true });
  await removeStale(own);
  const taken = new Set((await checkpointPaths(own)).map((path) => basename(path)));
  const sources = await foreignSources(reading);
  const left: LeftBehind[] = [];
  for (const source of sources) {
    if (taken.has(nameOf(source))) continue;
    if (await wasTaken(directory, source)) {
      for (const folder of source.folders) await deleteCheckpoint(folder);
      continue;
    }
    const inspection = await take(source, directory, { reading, ...collecting });
    if (inspection !== null && source.folders[0] !== undefined) left.push({ path: source.folders[0], inspection });
  }
  await letGo(own, { ...collecting, reading, kept: new Set(sources.map(nameOf)) });
  return left;
}

const nameOf = ({ step }: ForeignSource): string => `checkpoint-${String(step)}`;

interface Taking extends Collecting {
  readonly reading: ForeignReading;
}

/** Null when it was taken, or nothing has changed since it was not. */
async function take(
  source: ForeignSource,
  directory: string,
  { reading, seen, isOver }: Taking,
): Promise<Inspection | null> {
  const own = runFiles(directory).checkpoints;
  const files = await source.files();
  const print = await fingerprint(files);
  const name = nameOf(source);
  if (!isOver && seen.get(name) === print) return null;
  const stage = join(own, `${staging}${randomUUID()}`);
  const staged = join(stage, name);
  try {
    await linkAll(staged, files, source.added);
    const expected = { format: reading.format, processes: reading.processes };
    const cache: InspectionCache = new Map();
    const inspection = await inspectCheckpoint(staged, cache, expected);
    const isWhole = inspection?.level === 'complete' && (inspection.marked || isOver);
    if (!isWhole) {
      // Weights without a mark may be written still: the same twice, and they are taken for whole.
      const isSettled = inspection?.level === 'complete' && seen.get(`${name} unmarked`) === print;
      if (!isSettled) {
        seen.set(inspection?.level === 'complete' ? `${name} unmarked` : name, print);
        return inspection;
      }
    }
    await rename(staged, join(own, name)).catch(ignoreTaken);
    if (await isThere(join(own, name))) await remember(directory, source);
    return null;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** An empty file for each one that was taken: what is not there any more, although it was, has been let go. */
const memory = (directory: string, source: ForeignSource) => join(directory, 'taken', nameOf(source));

async function remember(directory: string, source: ForeignSource): Promise<void> {
  await mkdir(dirname(memory(directory, source)), { recursive: true });
  await writeFile(memory(directory, source), '');
}

async function wasTaken(directory: string, source: ForeignSource): Promise<boolean> {
  return await isThere(memory(directory, source));
}

async function linkAll(
  folder: string,
  files: ReadonlyMap<string, string>,
  added: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, path] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await link(path, join(folder, name)).catch((error: unknown) => {
      if (!isAbsent(error)) throw error; // deleted since it was listed: the reader names what is missing
    });
  }
  for (const [name, text] of Object.entries(added)) {
    await rm(join(folder, name), { force: true });
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

async function fingerprint(files: ReadonlyMap<string, string>): Promise<string> {
  const marks = await Promise.all(
    [...files].map(async ([name, path]) => {
      const found = await stat(path).catch((error: unknown) => {
        if (isAbsent(error)) return null;
        throw error;
      });
      return found === null ? name : `${name}:${String(found.size)}:${String(found.mtimeMs)}:${String(found.ino)}`;
    }),
  );
  return marks.join('\n');
}

/** What the trainer has deleted itself goes, but for what is due, sealed, or one of the newest two: of all, and of those to go back to. */
async function letGo(
  own: string,
  { reading: { dueSteps }, firstNotFinite, kept }: Taking & { readonly kept: ReadonlySet<string> },
): Promise<void> {
  const byStep = (await checkpointPaths(own))
    .map((path) => ({ path, step: Number(basename(path).replace('checkpoint-', '')) }))
    .sort((one, other) => other.step - one.step);
  const finite = byStep.filter(({ step }) => firstNotFinite === null || step < firstNotFinite);
  const newest = new Set([...byStep.slice(0, newestKept), ...finite.slice(0, newestKept)]);
  for (const each of byStep) {
    const { path, step } = each;
    if (newest.has(each) || dueSteps.includes(step) || kept.has(basename(path)) || (await isThere(sealPath(path))))
      continue;
    await deleteCheckpoint(path);
  }
}

async function removeStale(own: string): Promise<void> {
  for (const name of await readdir(own)) {
    if (!name.startsWith(staging)) continue;
    const found = await stat(join(own, name)).catch((error: unknown) => {
      if (isAbsent(error)) return null;
      throw error;
    });
    if (found !== null && Date.now() - found.mtimeMs > staleMilliseconds)
      await rm(join(own, name), { recursive: true, force: true });
  }
}

/** Somebody else was first, or has swept the stage away: the next look sees. */
function ignoreTaken(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EEXIST' && code !== 'ENOTEMPTY' && code !== 'ENOENT') throw error;
}
