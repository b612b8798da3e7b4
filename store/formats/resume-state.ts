/**
 * What training needs to go on exactly, for both formats: the Hugging Face Trainer's set, or one `state.pt` of an own loop.
 *
 * The Trainer writes `trainer_state.json` last: with the right step it marks the checkpoint as finished. An absent optimizer or
 * scheduler is silently started anew by the Trainer, so a checkpoint without them is not resumable.
 */
import { join } from 'node:path';
import type { CheckpointFolder, Reading } from './reader.ts';
import { asObject, readJsonFile } from './json-file.ts';
import { zipDamage } from './zip-file.ts';

type StateReading = Pick<Reading, 'marked' | 'unfinished' | 'notResumable' | 'firstNotFinite'>;

const trainerState = 'trainer_state.json';
const ownState = 'state.pt';
/** transformers' checkpoint on SIGTERM keeps this file inside until it is done. */
const sentinel = 'checkpoint-is-incomplete.txt';
const torchFile = /^(optimizer|scheduler|scaler|state)\.pt$|^rng_state(_\d+)?\.pth$/;
const randomFile = /^rng_state(_\d+)?\.pth$/;
/** In one file, or as FSDP and DeepSpeed cut it. */
const optimizerFile = /^(optimizer\.(pt|bin)|optimizer_0\/\.metadata|global_step\d+\/.*optim_states\.pt)$/;
/** What the Trainer writes before its marker: seen without the marker, it is still writing or was killed. */
const trainerFile = /^(training_args\.bin|(optimizer|scheduler)\.pt|rng_state(_\d+)?\.pth)$/;

export async function readResumeState(folder: CheckpointFolder): Promise<StateReading> {
  const names = [...folder.sizes.keys()];
  if (names.includes(sentinel)) return unfinished(`${sentinel} is still there`);
  for (const name of names.filter((name) => torchFile.test(name))) {
    const damage = await zipDamage(join(folder.path, name));
    if (damage !== null) return unfinished(`${name} ${damage}`);
  }
  if (names.includes(trainerState)) return readTrainer(folder, names);
  if (names.includes(ownState)) return { marked: true, unfinished: null, notResumable: null, firstNotFinite: null };
  if (names.some((name) => trainerFile.test(name))) return unfinished(`${trainerState} is missing`);
  return {
    marked: false,
    unfinished: null,
    notResumable: `${trainerState} and ${ownState} are missing: weights only`,
    firstNotFinite: null,
  };
}

function unfinished(why: string): StateReading {
  return { marked: false, unfinished: why, notResumable: why, firstNotFinite: null };
}

async function readTrainer(folder: CheckpointFolder, names: readonly string[]): Promise<StateReading> {
  const reading = await readJsonFile(join(folder.path, trainerState));
  if ('why' in reading) return unfinished(`${trainerState} ${reading.why}`);
  const state = asObject(reading.value);
  const step = state?.['global_step'];
  if (typeof step !== 'number') return unfinished(`${trainerState} has no global_step`);
  if (step !== folder.step) return unfinished(`${trainerState} is of step ${String(step)}, not ${String(folder.step)}`);
  const firstNotFinite = firstNotFiniteOf(state?.['log_history'], folder.step);
  // The first process writes the marker; the others may still be at it.
  const late = rankFileMissing(folder, names);
  if (late !== null) return unfinished(`${late} is missing`);
  const lacks =
    (names.some((name) => optimizerFile.test(name)) ? null : 'optimizer.pt') ??
    (names.includes('scheduler.pt') ? null : 'scheduler.pt') ??
    (names.some((name) => randomFile.test(name)) ? null : 'rng_state.pth');
  const notResumable = names.includes(ownState) || lacks === null ? null : `${lacks} is missing`;
  return { marked: true, unfinished: null, notResumable, firstNotFinite };
}

/** The random state of a process that is not there; null where one process writes for all. */
function rankFileMissing({ processes = 1 }: CheckpointFolder, names: readonly string[]): string | null {
  const ranks = names.flatMap((name) => /^rng_state_(\d+)\.pth$/.exec(name)?.[1] ?? []).map(Number);
  if (ranks.length === 0) return null;
  const count = Math.max(processes, Math.max(...ranks) + 1);
  const missing = Array.from({ length: count }, (_, rank) => rank).find((rank) => !ranks.includes(rank));
  return missing === undefined ? null : `rng_state_${String(missing)}.pth`;
}

/** Lowest step up to `last` with a loss or gradient norm that is not a finite number. */
function firstNotFiniteOf(history: unknown, last: number): number | null {
  if (!Array.isArray(history)) return null;
  const steps = history.flatMap((entry: unknown) => {
    const row = asObject(entry);
    const step = row?.['step'];
    if (row === null || typeof step !== 'number' || step > last) return [];
    const bad = ['loss', 'grad_norm'].some((name) => name in row && !Number.isFinite(row[name]));
    return bad ? [step] : [];
  });
  return steps.length === 0 ? null : Math.min(...steps);
}
