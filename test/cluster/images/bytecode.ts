/**
 * Compiles what the trainers import, once for an environment: containers see it read-only, and without bytecode each of them would compile
 * thousands of files for itself.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../machine/programs.ts';
import type { HostPython } from './host-python.ts';

/** Python writes bytecode when it imports: the trainers themselves, and what they import only when they need it. */
const importAll = `
import importlib, pkgutil, temper_trainers
for module in pkgutil.walk_packages(temper_trainers.__path__, "temper_trainers."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
from peft import LoraConfig
from transformers import AutoTokenizer, GptOssForCausalLM, Trainer
from trl import GRPOTrainer, SFTTrainer
from trl.experimental.orpo import ORPOTrainer
`;

/** Does nothing when it was done before. A run that was killed is done anew. */
export async function ensureBytecode({ environment }: HostPython, say: (line: string) => void): Promise<void> {
  const done = join(environment, '.temper-bytecode');
  if (existsSync(done)) return;
  say('Compiling the Python packages of the trainers, once.');
  const { PYTHONDONTWRITEBYTECODE: _, ...variables } = process.env;
  await run(join(environment, 'bin', 'python'), ['-c', importAll], { environment: variables });
  writeFileSync(done, '');
}
