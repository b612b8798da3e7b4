/**
 * The checkpoints of a run directory, each inspected. Directories may appear, grow and vanish while this looks.
 *
 * A seal that agrees in names and sizes settles that the writer had finished; one that does not agree makes the checkpoint torn.
 * Does not cover digests (seal.ts) or which checkpoint to use (decisions/resume-point.ts).
 */
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isOfMegatron } from '../configs/schema-command.ts';
import type { CheckpointFormat } from '../decisions/evaluation.ts';
import { foldersIn, isAbsent, isThere } from './absence.ts';
import type { CheckpointFolder, CheckpointFormatReader, Inspection } from './formats/reader.ts';
import { hf } from './formats/hf.ts';
import { megatron } from './formats/megatron.ts';
import { peft } from './formats/peft.ts';
import { slime } from './formats/slime.ts';
import { tailProgress } from './progress.ts';
import { runFiles } from './run-directory.ts';
import { filesBelow, readSeal, type Seal, sealPath, verifySeal } from './seal.ts';

/** The first that recognises a folder reads it; the last recognises what no other does. */
const readers = [slime, megatron, peft, hf] as const satisfies readonly CheckpointFormatReader[];

export interface CheckpointOnStore extends Inspection {
  readonly path: string;
  /** Every metric up to its step was finite, in the progress of this run and in the trainer's own log. */
  readonly finite: boolean;
}

/** Inspections by path, kept by whoever looks again and again: an unchanged checkpoint is not inspected twice. */
export type InspectionCache = Map<string, { readonly fingerprint: string; readonly inspection: Inspection }>;

/** Everything in `checkpoints/` of the run directory, by step; torn ones too. */
export async function listCheckpoints(
  directory: string,
  cache: InspectionCache = new Map(),
): Promise<readonly CheckpointOnStore[]> {
  const { firstNotFinite } = await tailProgress(runFiles(directory).progress);
  return await checkpointsIn(directory, firstNotFinite, cache);
}

/** The same where it is known from elsewhere which step was the first that was not finite. */
export async function checkpointsIn(
  directory: string,
  firstNotFinite: number | null,
  cache: InspectionCache = new Map(),
): Promise<readonly CheckpointOnStore[]> {
  const found: CheckpointOnStore[] = [];
  for (const path of await checkpointPaths(runFiles(directory).checkpoints)) {
    const inspection = await inspectCheckpoint(path, cache);
    if (inspection !== null) found.push(asCheckpoint(path, inspection, firstNotFinite));
  }
  return found.sort((one, other) => one.step - other.step);
}

/** An inspection with the verdict on its numbers. */
export function asCheckpoint(path: string, inspection: Inspection, firstNotFinite: number | null): CheckpointOnStore {
  const firsts = [inspection.firstNotFinite, firstNotFinite].filter((step) => step !== null);
  return { ...inspection, path, finite: firsts.every((step) => step > inspection.step) };
}

/** Paths of the checkpoint directories in a folder. An absent folder has none. */
export async function checkpointPaths(folder: string): Promise<readonly string[]> {
  return (await foldersIn(folder)).filter((name) => stepOf(name) !== null).map((name) => join(folder, name));
}

/** What the recipe says of a foreign trainer's checkpoints. */
export interface ExpectedCheckpoint {
  readonly format: CheckpointFormat;
  readonly processes: number;
}

/** Inspects one checkpoint directory; null when it is gone, or its name holds no step. */
export async function inspectCheckpoint(
  path: string,
  cache: InspectionCache = new Map(),
  expected?: ExpectedCheckpoint,
): Promise<Inspection | null> {
  const step = stepOf(basename(path));
  if (step === null) return null;
  try {
    const { folder, strange, fingerprint } = await look(path, step);
    const known = cache.get(path);
    if (known?.fingerprint === fingerprint) return known.inspection;
    const inspection =
      strange === null ? await inspect(folder, expected) : torn(folder, `${strange} is no regular file`);
    cache.set(path, { fingerprint, inspection });
    return inspection;
  } catch (error) {
    // A directory that vanishes is not there; a file that vanishes under the reader is seen when it is looked at again.
    if (!isAbsent(error)) throw error;
    cache.delete(path);
    return (await isThere(path)) ? torn({ step }, `${basename(path)} changes while it is read`) : null;
  }
}

async function inspect(found: CheckpointFolder, expected?: ExpectedCheckpoint): Promise<Inspection> {
  const folder = { ...found, ...(expected && { processes: expected.processes }) };
  const reader = readerOf(folder, expected?.format);
  const reading = await reader.read(folder);
  const sealed = await agreeingSeal(folder);
  const common = {
    step: folder.step,
    bytes: [...folder.sizes.values()].reduce((sum, size) => sum + size, 0),
    format: reader.format,
    firstNotFinite: reading.firstNotFinite,
  };
  // An agreeing seal says that the writer had finished, whatever its other markers say; it says nothing for damaged weights.
  const damage =
    sealed.damage ??
    reading.damage ??
    otherFormat(reader, expected?.format) ??
    (sealed.seal === null ? reading.unfinished : null) ??
    adapterAlone(reader, sealed.seal, reading.marked);
  if (damage !== null) return { ...common, level: 'torn', resumable: false, damage, marked: false, seal: null };
  return {
    ...common,
    level: 'complete',
    resumable: reading.notResumable === null,
    damage: reading.notResumable,
    marked: reading.marked || sealed.seal !== null,
    seal: sealed.seal,
  };
}

/** By its files; what the recipe says decides between formats that differ by what may be missing. */
function readerOf(folder: CheckpointFolder, format?: CheckpointFormat): CheckpointFormatReader {
  const named = isOfMegatron(format) ? readers.find((candidate) => candidate.format === format) : undefined;
  return named ?? readers.find((candidate) => candidate.recognises(folder)) ?? hf;
}

function otherFormat({ format }: CheckpointFormatReader, expected: CheckpointFormat | undefined): string | null {
  if (expected === undefined || expected === format) return null;
  return `it is stored as ${format}, and the recipe says ${expected}`;
}

/** Adapters are always written by a trainer that marks its checkpoints: without a mark it is still writing. */
function adapterAlone(reader: CheckpointFormatReader, seal: Seal | null, marked: boolean): string | null {
  return reader.format === 'peft' && seal === null && !marked ? 'trainer_state.json is missing' : null;
}

async function agreeingSeal(
  folder: CheckpointFolder,
): Promise<{ readonly seal: Seal | null; readonly damage: string | null }> {
  const reading = await readSeal(folder.path);
  if (reading.seal === 'none') return { seal: null, damage: null };
  const name = basename(sealPath(folder.path));
  if (reading.seal === 'damaged') return { seal: null, damage: `${name}: ${reading.why}` };
  if (reading.value.step !== folder.step) {
    return { seal: null, damage: `${name} is of step ${String(reading.value.step)}, not ${String(folder.step)}` };
  }
  const damage = await verifySeal(folder.path, reading.value, 'sizes');
  return damage === null ? { seal: reading.value, damage: null } : { seal: null, damage };
}

interface Look {
  readonly folder: CheckpointFolder;
  /** A pipe, a socket or a device, or a link to one: whoever reads it may wait for ever. */
  readonly strange: string | null;
  readonly fingerprint: string;
}

async function look(path: string, step: number): Promise<Look> {
  const sizes = new Map<string, number>();
  const marks: string[] = [];
  let strange: string | null = null;
  for (const name of await filesBelow(path)) {
    const found = await stat(join(path, name));
    const { size, mtimeMs, ino } = found;
    if (!found.isFile() && !found.isDirectory()) strange ??= name;
    sizes.set(name, size);
    marks.push(`${name}:${String(size)}:${String(mtimeMs)}:${String(ino)}`);
  }
  const seal = await stat(sealPath(path)).catch((error: unknown) => {
    if (isAbsent(error)) return null;
    throw error;
  });
  if (seal !== null) marks.push(`seal:${String(seal.size)}:${String(seal.mtimeMs)}:${String(seal.ino)}`);
  return { folder: { path, step, sizes }, strange, fingerprint: marks.join('\n') };
}

function torn({ step }: Pick<CheckpointFolder, 'step'>, damage: string): Inspection {
  return {
    level: 'torn',
    resumable: false,
    damage,
    step,
    bytes: 0,
    format: 'hf',
    marked: false,
    seal: null,
    firstNotFinite: null,
  };
}

function stepOf(name: string): number | null {
  for (const reader of readers) {
    const step = reader.stepOf(name);
    if (step !== null) return step;
  }
  return null;
}
