/** Recipes as a person writes them: a start and one phase of each kind, with nothing but what has no default; and names of the shipped ones. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../scripts/repository.ts';

/** Names of what is shipped, sorted. */
export function shipped(what: 'recipes' | 'profiles'): readonly string[] {
  return readdirSync(join(repository, 'configs', what))
    .map((file) => file.replace('.yaml', ''))
    .sort();
}

export type Document = Record<string, unknown>;

const training = { steps: 50, checkpointEvery: 10, learningRate: 1e-3 };

/** One phase of each kind that follows a base, with its required fields alone. */
export const leastPhases = {
  sft: { name: 'sft', kind: 'sft', data: { tiny: 'solutions' }, params: { ...training, batchSize: 32 } },
  drgrpo: {
    name: 'drgrpo',
    kind: 'drgrpo',
    data: { tiny: 'problems' },
    params: { ...training, promptsPerStep: 8, generations: 4, rewards: [{ weights: { exact: 1 } }] },
  },
  orpo: { name: 'orpo', kind: 'orpo', data: { tiny: 'problems' }, params: { ...training, batchSize: 16 } },
  bake: { name: 'bake', kind: 'mxfp4-merge' },
  sao: {
    name: 'sao',
    kind: 'sao',
    data: { tiny: 'problems' },
    params: { ...training, criticLearningRate: 4e-3, batchSize: 64 },
  },
} satisfies Record<string, Document>;

/** A trainer that knows nothing of Temper; not among the least ones, since it is no kind of Temper's own. */
export const foreign = {
  name: 'tuned',
  kind: 'command',
  params: {
    command: ['python', 'train.py', '--output_dir', '{output}'],
    resumeArgs: ['--resume_from_checkpoint', '{checkpoint}'],
    steps: 50,
    checkpointEvery: 10,
    checkpoints: { format: 'peft' },
    progress: 'hf-trainer',
  },
} satisfies Document;

export const basePhase = { name: 'base', kind: 'base', params: {} } satisfies Document;

/** Two-digit sums, the benchmark that a gate of these tests looks at. */
export const addition = { data: { tiny: 'held-out' }, grader: 'boxed-integer' } satisfies Document;

/** A recipe of a base and these phases. */
export function recipeOf(phases: readonly Document[] = [leastPhases.sft], more: Document = {}): Document {
  return { name: 'small', model: { tiny: {} }, benchmarks: { addition }, phases: [basePhase, ...phases], ...more };
}

/** A recipe whose second phase is an sft with these fields changed. */
export function recipeWithSft(change: Document): Document {
  return recipeOf([{ ...leastPhases.sft, ...change }]);
}
