/**
 * What a foreign trainer has written so far: each checkpoint as a list of files, with the names they get in Temper's own folder.
 *
 * One of Megatron-LM becomes a folder of its own, with a file that names its iteration: what `--load` takes then is that very one,
 * never the latest. Covers names. Does not cover whether it is whole (../formats/).
 */
import { basename, dirname, join } from 'node:path';
import { isOfMegatron } from '../../configs/schema-command.ts';
import { foldersIn, isAbsent, isThere } from '../absence.ts';
import { iterationFolder, trackerName } from '../formats/megatron.ts';
import { criticFolder, dataPositionName } from '../formats/slime.ts';
import { readOwnTextIfThere } from '../own-file.ts';
import { filesBelow } from '../seal.ts';
import type { ForeignReading } from './reading.ts';

export interface ForeignSource {
  readonly step: number;
  /** Folders of the trainer's own that hold it. */
  readonly folders: readonly string[];
  /** Absolute paths of its files by the names they get. */
  files(): Promise<ReadonlyMap<string, string>>;
  /** Texts that Temper adds, by name. */
  readonly added: Readonly<Record<string, string>>;
}

/** By step. */
export async function foreignSources(reading: ForeignReading): Promise<readonly ForeignSource[]> {
  const hasIterations = isOfMegatron(reading.format);
  const folders = await foldersIn(reading.source);
  const found = await Promise.all(
    folders.map(async (name) => {
      const step = stepOf(name, hasIterations ? /^iter_(\d+)$/ : /^checkpoint-(\d+)$/);
      if (step !== null)
        return hasIterations ? await iteration(reading, step, name) : folderAsItIs(reading, step, name);
      // ms-swift puts each of its checkpoints of Megatron-LM into a folder of its own.
      const wrapped = hasIterations ? stepOf(name, /^checkpoint-(\d+)$/) : null;
      return wrapped === null ? null : folderAsItIs(reading, wrapped, name);
    }),
  );
  return found.filter((source) => source !== null).sort((one, other) => one.step - other.step);
}

function folderAsItIs({ source }: ForeignReading, step: number, name: string): ForeignSource {
  const folder = join(source, name);
  return { step, folders: [folder], added: {}, files: () => filesUnder(folder, '') };
}

async function iteration({ format, source }: ForeignReading, step: number, name: string): Promise<ForeignSource> {
  const folder = join(source, name);
  const critic = join(dirname(source), `${basename(source)}-critic`);
  const hasCritic = format === 'slime' && (await isThere(critic));
  const tracked = { [trackerName]: `${String(step)}\n` };
  const isNamed = await trackerReaches(source, folder, step);
  const isCriticNamed = hasCritic && (await trackerReaches(critic, join(critic, name), step));
  return {
    step,
    folders: [folder],
    added: {
      ...(isNamed ? tracked : {}),
      ...(isCriticNamed ? { [`${criticFolder}/${trackerName}`]: `${String(step)}\n` } : {}),
    },
    async files() {
      const position = join(source, dataPositionName(step));
      return new Map([
        ...(await filesUnder(folder, `${iterationFolder(step)}/`)),
        ...(format === 'slime' && (await isThere(position)) ? [[dataPositionName(step), position] as const] : []),
        ...(hasCritic ? await criticFiles(critic, name, step) : []),
      ]);
    },
  };
}

/** A critic that has not saved this step yet shows as a folder without it: the reader names what is missing. */
async function criticFiles(critic: string, name: string, step: number): Promise<ReadonlyMap<string, string>> {
  const files = await filesUnder(join(critic, name), `${criticFolder}/${iterationFolder(step)}/`);
  return files.size > 0 ? files : new Map([[`${criticFolder}/${trackerName}`, join(critic, trackerName)]]);
}

/** The distributed format has a marker of its own; the older one is whole when the tracker has come to it. */
async function trackerReaches(source: string, folder: string, step: number): Promise<boolean> {
  if (await isThere(join(folder, 'metadata.json'))) return true;
  const latest = Number((await readOwnTextIfThere(join(source, trackerName))) ?? NaN);
  return Number.isInteger(latest) && latest >= step;
}

async function filesUnder(folder: string, prefix: string): Promise<ReadonlyMap<string, string>> {
  try {
    return new Map((await filesBelow(folder)).map((name) => [`${prefix}${name}`, join(folder, name)]));
  } catch (error) {
    if (isAbsent(error)) return new Map(); // it was rotated away since it was listed
    throw error;
  }
}

function stepOf(name: string, pattern: RegExp): number | null {
  const match = pattern.exec(name);
  return match === null ? null : Number(match[1]);
}
