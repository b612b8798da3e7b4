/**
 * Checkpoints of Megatron-LM: `iter_N` below the checkpoint's folder, beside the file that names N (what `--load` reads).
 *
 * Complete: of `torch_dist`, `metadata.json` (written last), `common.pt` and every shard that `.metadata` names are there and whole as
 * far as their ends tell; of the older layout, every `model_optim_rng.pt`, and the tracker has come to N. Does not cover tensors.
 */
import { join } from 'node:path';
import { openModelFile, readModelFile, readOwnTextIfThere } from '../own-file.ts';
import { asObject, readJsonFile } from './json-file.ts';
import type { CheckpointFolder, CheckpointFormatReader, Reading } from './reader.ts';
import { zipDamage } from './zip-file.ts';

/** Names the iteration that a `--load` of this folder takes. */
export const trackerName = 'latest_checkpointed_iteration.txt';
const iteration = /^iter_(\d+)\//;
const shardName = /__\d+_\d+\.distcp/g;
/** Beyond what the shards of any model need. */
const mostBytesOfIndex = 256 * 1024 * 1024;
const zipStart = Buffer.from([0x50, 0x4b]);

/** The name of the folder of an iteration, as Megatron-LM writes it. */
export function iterationFolder(step: number): string {
  return `iter_${String(step).padStart(7, '0')}`;
}

/** What is found, for the formats that are built on this one. */
export async function readMegatron(folder: CheckpointFolder): Promise<Reading> {
  const names = [...folder.sizes.keys()];
  const inside = names.map((name) => iteration.exec(name)).find((match) => match !== null);
  const base = { marked: false, unfinished: null, notResumable: null, firstNotFinite: null };
  if (inside === undefined) return { ...base, damage: `${iterationFolder(folder.step)} is missing` };
  const [prefix] = inside;
  if (Number(inside[1]) !== folder.step)
    return { ...base, damage: `${prefix} is of another step than ${String(folder.step)}` };
  const own = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const empty = own.find((name) => folder.sizes.get(`${prefix}${name}`) === 0);
  if (empty !== undefined) return { ...base, damage: `${empty} is empty` };
  const isDistributed = own.some((name) => name === 'metadata.json' || name === '.metadata' || /\.distcp$/.test(name));
  const parts = isDistributed
    ? await readDistributed(join(folder.path, prefix), own)
    : await readPerRank(join(folder.path, prefix), own);
  const tracker = await trackerProblem(folder);
  const unfinished = parts.unfinished ?? tracker;
  return { ...base, ...parts, unfinished, marked: unfinished === null && parts.damage === null };
}

async function trackerProblem({ path, step, sizes }: CheckpointFolder): Promise<string | null> {
  if (!sizes.has(trackerName)) return `${trackerName} does not name it yet`;
  const text = (await readOwnTextIfThere(join(path, trackerName)))?.trim() ?? 'nothing';
  return text === String(step) ? null : `${trackerName} says "${text.slice(0, 20)}", not ${String(step)}`;
}

type Parts = Pick<Reading, 'damage' | 'unfinished' | 'notResumable'>;

async function readDistributed(path: string, names: readonly string[]): Promise<Parts> {
  const whole = { damage: null, unfinished: null, notResumable: null };
  if (!names.includes('metadata.json')) return { ...whole, unfinished: 'metadata.json is missing: it is written last' };
  const about = await readJsonFile(join(path, 'metadata.json'));
  if ('why' in about) return { ...whole, damage: `metadata.json ${about.why}` };
  if (typeof asObject(about.value)?.['sharded_backend'] !== 'string')
    return { ...whole, damage: 'metadata.json names no sharded_backend' };
  for (const name of ['common.pt', '.metadata'])
    if (!names.includes(name)) return { ...whole, damage: `${name} is missing` };
  const common = await zipDamage(join(path, 'common.pt'));
  if (common !== null) return { ...whole, damage: `common.pt ${common}` };
  // A pickle: the names of shards and of what they hold stand in it as they are.
  const index = (await readModelFile(join(path, '.metadata'), mostBytesOfIndex)).toString('latin1');
  const shards = new Set(index.match(shardName));
  if (shards.size === 0) return { ...whole, damage: '.metadata names no shard' };
  for (const shard of [...shards].sort()) {
    if (!names.includes(shard)) return { ...whole, damage: `${shard} is missing, which .metadata names` };
    const cut = await cutShard(join(path, shard));
    if (cut !== null) return { ...whole, damage: `${shard} ${cut}` };
  }
  const lacks = ['optimizer', 'rng_state'].find((part) => !index.includes(part));
  return { ...whole, notResumable: lacks === undefined ? null : `.metadata names no ${lacks}: weights only` };
}

/** torch saves each tensor of a shard as an archive of its own: a whole shard ends with the end of one. */
async function cutShard(path: string): Promise<string | null> {
  const handle = await openModelFile(path);
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.equals(zipStart) ? await zipDamage(path) : null;
  } finally {
    await handle.close();
  }
}

const pickleBytes = 4 * 1024 * 1024;

async function readPerRank(path: string, names: readonly string[]): Promise<Parts> {
  const whole = { damage: null, unfinished: null, notResumable: null };
  const ranks = [...new Set(names.flatMap((name) => /^(mp_rank_[\d_]+)\//.exec(name)?.[1] ?? []))];
  if (ranks.length === 0) return { ...whole, damage: 'neither metadata.json nor mp_rank_00 is there' };
  const separate = ranks.some((rank) => names.includes(`${rank}/distrib_optim.pt`));
  let hasOptimizer = separate;
  for (const rank of ranks.sort()) {
    for (const name of [`${rank}/model_optim_rng.pt`, ...(separate ? [`${rank}/distrib_optim.pt`] : [])]) {
      if (!names.includes(name)) return { ...whole, damage: `${name} is missing` };
      const damage = await zipDamage(join(path, name));
      if (damage !== null) return { ...whole, damage: `${name} ${damage}` };
    }
    hasOptimizer ||= (await firstBytes(join(path, `${rank}/model_optim_rng.pt`))).includes('optimizer');
  }
  return { ...whole, notResumable: hasOptimizer ? null : 'it holds no optimizer: weights only' };
}

/** Where the pickle of an archive of torch stands: what is saved is named in it. */
async function firstBytes(path: string): Promise<string> {
  const handle = await openModelFile(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(pickleBytes), 0, pickleBytes, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

export const megatron: CheckpointFormatReader = {
  format: 'megatron',
  stepOf(name) {
    const match = /^checkpoint-(\d+)$/.exec(name);
    return match === null ? null : Number(match[1]);
  },
  recognises: ({ sizes }) => [...sizes.keys()].some((name) => iteration.test(name)),
  read: readMegatron,
};
