/**
 * Full models as transformers writes them: one safetensors file, or shards with an index.
 *
 * Complete: `config.json` parses, every file is whole, every tensor of the index lies in its shard and every tensor of a shard is in
 * the index (a shard may keep a stale copy of a tensor that the index places elsewhere). Does not cover dtypes or shapes against the
 * configuration.
 */
import { join } from 'node:path';
import { checkSafetensors } from '../safetensors.ts';
import { asObject, readJsonFile } from './json-file.ts';
import type { CheckpointFolder, CheckpointFormatReader } from './reader.ts';
import { readResumeState } from './resume-state.ts';

const config = 'config.json';
const single = 'model.safetensors';
const index = 'model.safetensors.index.json';

async function damageOf({ path, sizes }: CheckpointFolder): Promise<string | null> {
  const weights = sizes.has(index) ? await damageOfShards(path) : await damageOfSingle(path);
  if (weights !== null) return weights;
  const reading = await readJsonFile(join(path, config));
  if ('why' in reading) return `${config} ${reading.why}`;
  return asObject(reading.value) === null ? `${config} is not an object` : null;
}

async function damageOfSingle(path: string): Promise<string | null> {
  const check = await checkSafetensors(join(path, single));
  return check.whole ? null : `${single} ${check.why}`;
}

async function damageOfShards(path: string): Promise<string | null> {
  const reading = await readJsonFile(join(path, index));
  if ('why' in reading) return `${index} ${reading.why}`;
  const map = asObject(asObject(reading.value)?.['weight_map']);
  if (map === null) return `${index} has no weight_map`;
  const shards = new Map<string, string[]>();
  for (const [tensor, shard] of Object.entries(map)) {
    if (typeof shard !== 'string' || shard.includes('/')) return `${index} places ${tensor} in no file of this folder`;
    const listed = shards.get(shard) ?? [];
    listed.push(tensor);
    shards.set(shard, listed);
  }
  if (shards.size === 0) return `${index} names no tensor`;
  for (const [shard, tensors] of shards) {
    const check = await checkSafetensors(join(path, shard));
    if (!check.whole) return `${shard} ${check.why}`;
    const held = new Set(check.tensors);
    const lost = tensors.find((tensor) => !held.has(tensor));
    if (lost !== undefined) return `${shard} does not hold ${lost}, which the index places there`;
    const unnamed = check.tensors.find((tensor) => !Object.hasOwn(map, tensor));
    if (unnamed !== undefined) return `${index} does not name ${unnamed}, which ${shard} holds`;
  }
  return null;
}

export const hf: CheckpointFormatReader = {
  format: 'hf',
  stepOf(name) {
    const match = /^checkpoint-(\d+)$/.exec(name);
    return match === null ? null : Number(match[1]);
  },
  recognises: ({ sizes }) => !sizes.has('adapter_config.json'),
  async read(folder) {
    return { damage: await damageOf(folder), ...(await readResumeState(folder)) };
  },
};
