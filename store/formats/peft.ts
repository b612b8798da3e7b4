/**
 * LoRA adapters as PEFT and the Hugging Face Trainer write them.
 *
 * Complete: the adapter's configuration parses and its safetensors file is whole. Does not cover the base model below it.
 */
import { join } from 'node:path';
import { checkSafetensors } from '../safetensors.ts';
import { asObject, readJsonFile } from './json-file.ts';
import type { CheckpointFolder, CheckpointFormatReader } from './reader.ts';
import { readResumeState } from './resume-state.ts';

const config = 'adapter_config.json';
const weights = 'adapter_model.safetensors';

async function damageOf({ path }: CheckpointFolder): Promise<string | null> {
  const check = await checkSafetensors(join(path, weights));
  if (!check.whole) return `${weights} ${check.why}`;
  const reading = await readJsonFile(join(path, config));
  if ('why' in reading) return `${config} ${reading.why}`;
  return asObject(reading.value) === null ? `${config} is not an object` : null;
}

export const peft: CheckpointFormatReader = {
  format: 'peft',
  stepOf(name) {
    const match = /^checkpoint-(\d+)$/.exec(name);
    return match === null ? null : Number(match[1]);
  },
  recognises: ({ sizes }) => [...sizes.keys()].some((name) => name.startsWith('adapter_')),
  async read(folder) {
    return { damage: await damageOf(folder), ...(await readResumeState(folder)) };
  },
};
