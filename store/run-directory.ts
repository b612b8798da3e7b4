/**
 * Where everything of a run lies on the store, and how an attempt's directory comes to be.
 *
 *   <store>/pipelines/<pipeline>/<phase>/attempt-<N>/      request.json progress.jsonl log.txt checkpoints/ result.json
 *   <store>/pipelines/<pipeline>/<phase>/evaluations/<N>/  the same for an evaluation job
 *
 * A directory belongs to one owner for ever, so that a zombie of attempt 1 can never write into attempt 2. Does not cover numbering
 * (ledger/attempts.ts) or what lies in `checkpoints/` (checkpoints.ts).
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { TemperError } from '../decisions/errors.ts';
import { readOwnTextIfThere } from './own-file.ts';
import { writeByRename, writeOnce } from './write-by-rename.ts';

/** Which directory: numbers come from the ledger, per purpose. */
export interface RunPlace {
  /** The pipeline workflow's id. */
  readonly pipeline: string;
  readonly phase: string;
  readonly purpose: 'train' | 'evaluate';
  readonly number: number;
}

export interface RunFiles {
  readonly directory: string;
  readonly request: string;
  readonly progress: string;
  readonly log: string;
  readonly result: string;
  readonly checkpoints: string;
}

/** A single path segment for any id; two ids never get the same one, also where file names ignore case. */
export function pathSegment(id: string): string {
  const slug = id.replaceAll(/[^a-z0-9._-]+/g, '-').slice(0, 60);
  const looksHashed = /-[0-9a-f]{12}$/.test(id);
  if (slug === id && !id.startsWith('.') && id !== '' && !looksHashed) return id;
  return `${slug.replace(/^[.-]+/, '')}-${createHash('sha256').update(id).digest('hex').slice(0, 12)}`.replace(
    /^-/,
    'x-',
  );
}

/** The directory of an attempt or an evaluation job. Creates nothing. */
export function runDirectory(store: string, place: RunPlace): string {
  const phase = join(store, 'pipelines', pathSegment(place.pipeline), pathSegment(place.phase));
  return place.purpose === 'train'
    ? join(phase, `attempt-${String(place.number)}`)
    : join(phase, 'evaluations', String(place.number));
}

/** Beside the checkpoints of its attempt: where a job that seals one of them runs. */
export function sealingDirectory(checkpointPath: string, number: number): string {
  return join(dirname(dirname(checkpointPath)), 'seals', `${basename(checkpointPath)}-${String(number)}`);
}

/** The files of a run directory. */
export function runFiles(directory: string): RunFiles {
  return {
    directory,
    request: join(directory, 'request.json'),
    progress: join(directory, 'progress.jsonl'),
    log: join(directory, 'log.txt'),
    result: join(directory, 'result.json'),
    checkpoints: join(directory, 'checkpoints'),
  };
}

/**
 * Creates the directory for this owner (the attempt's reservation key or job name), or finds it when the same owner asks again.
 * Throws `ledger-conflict` when it belongs to anybody else.
 */
export async function createRunDirectory(directory: string, owner: string): Promise<RunFiles> {
  await mkdir(dirname(directory), { recursive: true });
  const created = await mkdir(directory).then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    },
  );
  const ownerFile = join(directory, 'owner.json');
  if (!created && (await readOwner(ownerFile)) === null) await refuseStrangersFiles(directory);
  await writeOnce(ownerFile, `${JSON.stringify({ owner })}\n`);
  const found = await readOwner(ownerFile);
  if (found !== owner) {
    throw new TemperError(
      'ledger-conflict',
      `${directory} belongs to another attempt (${String(found)}): a Temper with another ledger has written to this store. Give each its own store, or start the pipeline under another name (--id)`,
      { details: { owner, found } },
    );
  }
  const files = runFiles(directory);
  await mkdir(files.checkpoints, { recursive: true });
  return files;
}

/** Writes `request.json`; the directory must exist. */
export async function writeRequest(files: RunFiles, request: unknown): Promise<void> {
  await writeByRename(files.request, `${JSON.stringify(request, null, 2)}\n`);
}

/** Who owns the directory; null when nobody does. */
export async function ownerOfRun(directory: string): Promise<string | null> {
  return await readOwner(join(directory, 'owner.json'));
}

const ownerSchema = z.object({ owner: z.string() });

async function readOwner(path: string): Promise<string | null> {
  const text = await readOwnTextIfThere(path);
  try {
    return ownerSchema.safeParse(JSON.parse(text ?? 'null')).data?.owner ?? null;
  } catch {
    return null; // a trainer may write there too: what is not as Temper wrote it names nobody
  }
}

async function refuseStrangersFiles(directory: string): Promise<void> {
  const strangers = (await readdir(directory)).filter((name) => !name.startsWith('owner.json'));
  if (strangers.length > 0 && (await readOwner(join(directory, 'owner.json'))) === null) {
    throw new TemperError(
      'ledger-conflict',
      `${directory} exists already and holds ${strangers.slice(0, 3).join(', ')}`,
    );
  }
}
