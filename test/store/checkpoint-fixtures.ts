/** Tiny checkpoints as trainers leave them, written file by file, so that a test can leave one out or cut it short. */
import { mkdir, mkdtemp, rename, rm, stat, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** A safetensors file of U8 tensors of the given sizes. */
export function safetensors(tensors: Readonly<Record<string, number>>): Buffer {
  let offset = 0;
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  for (const [name, size] of Object.entries(tensors)) {
    header[name] = { dtype: 'U8', shape: [size], data_offsets: [offset, offset + size] };
    offset += size;
  }
  return withHeader(JSON.stringify(header), Buffer.alloc(offset, 7));
}

/** A safetensors file with this text as its header. */
export function withHeader(header: string, data: Buffer): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(header)));
  return Buffer.concat([length, Buffer.from(header), data]);
}

/** An empty but whole zip archive with something before its end record. */
export function torchFile(): Buffer {
  const end = Buffer.alloc(22);
  end.set([0x50, 0x4b, 0x05, 0x06]);
  return Buffer.concat([Buffer.from([0x50, 0x4b, 0x03, 0x04]), Buffer.alloc(100), end]);
}

export function trainerState(step: number, history: string = `{"step": ${String(step)}, "loss": 0.5}`): string {
  return `{"global_step": ${String(step)}, "log_history": [${history}]}`;
}

const trainerFiles = (step: number): Record<string, Buffer | string> => ({
  'training_args.bin': torchFile(),
  'optimizer.pt': torchFile(),
  'scheduler.pt': torchFile(),
  'rng_state.pth': torchFile(),
  'trainer_state.json': trainerState(step),
});

/** Files by name. */
export type Files = Record<string, Buffer | string>;

export const peftFiles = (step: number): Files => ({
  'adapter_config.json': '{"r": 8}',
  'adapter_model.safetensors': safetensors({ 'lora_A.weight': 16, 'lora_B.weight': 16 }),
  ...trainerFiles(step),
});

export const hfFiles = (step: number): Files => ({
  'config.json': '{"model_type": "gpt_oss"}',
  'model.safetensors': safetensors({ embed: 32, head: 8 }),
  ...trainerFiles(step),
});

/** Two shards; the first keeps a stale copy of a tensor that the index places in the second. */
export const shardedFiles = (): Files => ({
  'config.json': '{"model_type": "gpt_oss"}',
  'model-00001-of-00002.safetensors': safetensors({ embed: 32, head: 8 }),
  'model-00002-of-00002.safetensors': safetensors({ head: 8, norm: 4 }),
  'model.safetensors.index.json': JSON.stringify({
    metadata: { total_size: 44 },
    weight_map: {
      embed: 'model-00001-of-00002.safetensors',
      head: 'model-00002-of-00002.safetensors',
      norm: 'model-00002-of-00002.safetensors',
    },
  }),
});

/** Writes the files into a fresh directory, which appears at once. */
export async function write(directory: string, files: Files): Promise<string> {
  await mkdir(dirname(directory), { recursive: true });
  const hidden = join(dirname(directory), `.${basename(directory)}.tmp`);
  await mkdir(hidden);
  for (const [name, content] of Object.entries(files)) await writeFile(join(hidden, name), content);
  await rename(hidden, directory);
  return directory;
}

/** Cuts the last bytes off a file. */
export async function cut(path: string, bytes = 10): Promise<void> {
  await truncate(path, Math.max(0, (await stat(path)).size - bytes));
}

export async function remove(path: string): Promise<void> {
  await unlink(path);
}

/** A fresh folder and what removes it. */
export async function scratch(): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'temper-store-'));
  return { path, remove: () => rm(path, { recursive: true }) };
}
