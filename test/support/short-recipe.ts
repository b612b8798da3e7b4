/**
 * The tiny recipe, shortened for tests: the one place of its settings. It learns next to nothing; every part of the machinery runs.
 *
 * Covers the recipe by name with `set`, as an inline recipe of some of its phases, and as a file of a recipes folder.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { parseYaml } from '../../configs/load.ts';
import { withFieldsSet } from '../../configs/set-fields.ts';
import { repository } from '../../scripts/repository.ts';

type Document = Record<string, unknown>;

/** A model that guesses may be worse than its parent by chance: the limit is there, but cannot be missed. */
const gate = [
  { require: { notWorseThanParent: { benchmark: 'addition', margin: 0.9 } } },
  { rank: { by: 'addition', tie: ['tokens', 'earlier'] } },
];
const evaluateLast = { benchmarks: ['addition'], seeds: 1, maxSeeds: 1 };

/** Fields of the tiny recipe, as `set` takes them. */
export const shortened: Readonly<Record<string, unknown>> = {
  'benchmarks.addition.data.rows': 20,
  'benchmarks.addition.samples': 2,
  // Fewer steps and no completion is ever right: no pair for orpo, no reward for sao.
  'phases.base.params.steps': 320,
  'phases.base.params.checkpointEvery': 80,
  'phases.sft.params.steps': 40,
  'phases.sft.params.checkpointEvery': 5,
  'phases.sft.evaluate': { ...evaluateLast, every: 20 },
  'phases.sft.gate': gate,
  'phases.drgrpo.params.promptsPerStep': 4,
  'phases.drgrpo.params.generations': 4,
  'phases.drgrpo.params.steps': 12,
  'phases.drgrpo.params.checkpointEvery': 2,
  'phases.drgrpo.params.rewards': [
    { until: 6, weights: { exact: 1, boxed: 0.2 } },
    { weights: { exact: 1, boxed: 0.1 } },
  ],
  'phases.drgrpo.evaluate': evaluateLast,
  'phases.drgrpo.gate': gate,
  'phases.orpo.data.rows': 128,
  'phases.orpo.params.steps': 4,
  'phases.orpo.params.checkpointEvery': 2,
  'phases.orpo.evaluate': evaluateLast,
  'phases.orpo.gate': gate,
  'phases.bake.gate': gate.slice(0, 1),
  'phases.sao.params.batchSize': 16,
  'phases.sao.params.criticWarmupSteps': 2,
  'phases.sao.params.steps': 8,
  'phases.sao.params.checkpointEvery': 4,
  'phases.sao.evaluate': evaluateLast,
  'phases.sao.gate': gate,
};

/** For tests that ask for no quality at all: a base that has seen little, and phases that promote their last checkpoint unjudged. */
export const careless: Readonly<Record<string, unknown>> = {
  'phases.base.params.steps': 40,
  'phases.base.params.checkpointEvery': 20,
  ...Object.fromEntries(
    ['sft', 'drgrpo', 'sao'].flatMap((phase) => [
      [`phases.${phase}.evaluate`, undefined],
      [`phases.${phase}.gate`, []],
    ]),
  ),
};

/** The shortened recipe with these phases only, and these fields changed. */
export async function shortRecipe(
  phases: readonly string[],
  changes: Readonly<Record<string, unknown>> = {},
): Promise<Document> {
  const file = 'tiny.yaml';
  const text = await readFile(join(repository, 'configs', 'recipes', file), 'utf8');
  const recipe = withFieldsSet(parseYaml(text, file), { ...shortened, ...changes });
  const all = recipe['phases'] as readonly { readonly name: string }[];
  return { ...recipe, phases: phases.flatMap((name) => all.find((phase) => phase.name === name) ?? []) };
}

/** A recipe as the text of its file. */
export function recipeText(recipe: Document): string {
  return stringify(recipe);
}
