/**
 * Whether the weights of two checkpoints differ: by the first byte of theirs that does, so that nearly nothing of two different models
 * is read, and all of two equal ones.
 *
 * An adapter that starts from none is compared with what every adapter begins as: its second factor is zero. Files of other names
 * (another format, another cut into shards) cannot be compared.
 */
import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { isForeignThing, openModelFile } from '../own-file.ts';
import { filesBelow } from '../seal.ts';

export type WeightsComparison = 'changed' | 'unchanged' | 'not-comparable';

const weightsFile = /\.(safetensors|distcp)$|^model_optim_rng\.pt$/;
const chunkBytes = 4 * 1024 * 1024;

/** Of the folders of two checkpoints. */
export async function compareWeights(before: string, after: string): Promise<WeightsComparison> {
  const [old, fresh] = await Promise.all([weightsOf(before), weightsOf(after)]);
  if (fresh.size === 0 || old.size !== fresh.size) return 'not-comparable';
  const pairs = [...fresh].map(([name, path]) => [old.get(name), path] as const);
  if (pairs.some(([was]) => was === undefined)) return 'not-comparable';
  return await ifFiles(async () => {
    for (const [was, is] of pairs) if (await differs(was ?? '', is)) return 'changed';
    return 'unchanged';
  });
}

/** Whether an adapter does anything: the second factor of one that was never trained is zero throughout. */
export async function adapterActs(folder: string): Promise<WeightsComparison> {
  const path = [...(await weightsOf(folder))].find(([name]) => name === 'adapter_model.safetensors')?.[1];
  if (path === undefined) return 'not-comparable';
  return await ifFiles(async () => {
    const handle = await openModelFile(path);
    try {
      const { begin, factors } = await secondFactors(handle);
      if (factors.length === 0) return 'not-comparable';
      for (const [from, to] of factors) if (await holdsSomething(handle, begin + from, begin + to)) return 'changed';
      return 'unchanged';
    } finally {
      await handle.close();
    }
  });
}

/** A pipe, or a link to one, holds no weights. */
async function ifFiles(compare: () => Promise<WeightsComparison>): Promise<WeightsComparison> {
  try {
    return await compare();
  } catch (error) {
    if (isForeignThing(error)) return 'not-comparable';
    throw error;
  }
}

/** Paths by names below the folder; where an iteration is wrapped, below that. */
async function weightsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await filesBelow(folder)).filter((name) => weightsFile.test(basename(name)));
  return new Map(names.map((name) => [name.replace(/^iter_\d+\//, ''), join(folder, name)]));
}

async function differs(before: string, after: string): Promise<boolean> {
  const one = await openModelFile(before);
  const other = await openModelFile(after).catch(async (error: unknown) => {
    await one.close();
    throw error;
  });
  try {
    const [{ size, ino, dev }, found] = await Promise.all([one.stat(), other.stat()]);
    if (size !== found.size) return true;
    if (ino === found.ino && dev === found.dev) return false;
    for (let at = 0; at < size; at += chunkBytes) {
      const [left, right] = await Promise.all([chunk(one, at), chunk(other, at)]);
      if (!left.equals(right)) return true;
    }
    return false;
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
}

async function chunk(handle: FileHandle, at: number, length = chunkBytes): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

const offsets = z.record(z.string(), z.object({ data_offsets: z.tuple([z.int(), z.int()]) }).or(z.looseObject({})));

/** Where the second factors lie, from where the tensors begin. */
async function secondFactors(
  handle: FileHandle,
): Promise<{ readonly begin: number; readonly factors: readonly (readonly [number, number])[] }> {
  const length = Number((await chunk(handle, 0, 8)).readBigUInt64LE());
  const header = offsets.parse(JSON.parse((await chunk(handle, 8, length)).toString('utf8')));
  const factors = Object.entries(header).flatMap(([name, entry]) => {
    const at = entry['data_offsets'];
    return /lora_(embedding_)?B/.test(name) && Array.isArray(at) ? [[Number(at[0]), Number(at[1])] as const] : [];
  });
  return { begin: 8 + length, factors };
}

async function holdsSomething(handle: FileHandle, from: number, to: number): Promise<boolean> {
  for (let at = from; at < to; at += chunkBytes) {
    const bytes = await chunk(handle, at, Math.min(chunkBytes, to - at));
    if (bytes.some((byte) => byte !== 0)) return true;
  }
  return false;
}
