/**
 * Checkpoints of slime: one of Megatron-LM for the actor, the position in the data beside it, and one for the critic where there is one.
 *
 * slime starts a data set anew with no more than a warning when its position is lost: then it is not resumable. Does not cover the
 * reference model.
 */
import { join } from 'node:path';
import { megatron, readMegatron } from './megatron.ts';
import type { CheckpointFolder, CheckpointFormatReader, Reading } from './reader.ts';
import { zipDamage } from './zip-file.ts';

/** Below the checkpoint's folder: a whole checkpoint of Megatron-LM. */
export const criticFolder = 'critic';

/** Where the position in the data of a rollout is kept. */
export function dataPositionName(step: number): string {
  return `rollout/global_dataset_state_dict_${String(step)}.pt`;
}

async function read(folder: CheckpointFolder): Promise<Reading> {
  const actor = await readMegatron(folder);
  if (actor.damage !== null || actor.unfinished !== null) return actor;
  const critic = await readCritic(folder);
  if (critic !== null) return { ...actor, ...critic, marked: false };
  const position = dataPositionName(folder.step);
  if (!folder.sizes.has(position))
    return { ...actor, notResumable: actor.notResumable ?? `${position} is missing: the position in the data is lost` };
  const damage = await zipDamage(join(folder.path, position));
  return damage === null ? actor : { ...actor, damage: `${position} ${damage}` };
}

/** What is wrong with the critic; null for a whole one, or none. */
async function readCritic({ path, step, sizes }: CheckpointFolder): Promise<Partial<Reading> | null> {
  const prefix = `${criticFolder}/`;
  const own = [...sizes].flatMap(([name, size]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), size] as const] : [],
  );
  if (own.length === 0) return null;
  const { damage, unfinished } = await readMegatron({ path: join(path, criticFolder), step, sizes: new Map(own) });
  if (damage !== null) return { damage: `critic: ${damage}` };
  return unfinished === null ? null : { unfinished: `critic: ${unfinished}` };
}

export const slime: CheckpointFormatReader = {
  format: 'slime',
  stepOf: (name) => megatron.stepOf(name),
  recognises: (folder) =>
    megatron.recognises(folder) &&
    [...folder.sizes.keys()].some((name) => name.startsWith('rollout/') || name.startsWith(`${criticFolder}/`)),
  read,
};
