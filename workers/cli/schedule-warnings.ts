/**
 * What a schedule names and this machine does not have: its recipe, its profile, its benchmarks, and checkpoints that are no ids.
 *
 * Warnings, since its sweeps run on a worker, which may have others. Does not cover whether a checkpoint is in the ledger: the sweep says what
 * it skipped.
 */
import { basename } from 'node:path';
import { loadRecipes, yamlFilesOf } from '../../configs/load.ts';
import { nearestName } from '../../configs/nearest-name.ts';
import type { Schedule } from '../../configs/schema-schedule.ts';
import type { Recipe } from '../../configs/schema.ts';
import { TemperError } from '../../decisions/errors.ts';
import type { Places } from '../settings.ts';

type Folders = Pick<Places, 'recipesDirectory' | 'profilesDirectory'>;

export async function scheduleWarnings({ sweep }: Schedule, folders: Folders): Promise<string[]> {
  const recipes = await loadRecipes(folders.recipesDirectory);
  const profiles = await namesIn(folders.profilesDirectory);
  const named = recipes.find(({ name }) => name === sweep.recipe);
  return [
    ...unknownName('recipe', sweep.recipe, await namesIn(folders.recipesDirectory)),
    ...unknownName('profile', sweep.profile, profiles && [...profiles, 'local']),
    ...(sweep.recipe !== undefined && named === undefined ? [] : unknownBenchmarks(sweep, named ? [named] : recipes)),
    ...sweep.checkpoints.named.flatMap((checkpoint, index) =>
      /^.+\/[^/]+\/a\d+\/checkpoint-\d+$/.test(checkpoint)
        ? []
        : [
            `sweep.checkpoints.named.${String(index)}: "${checkpoint}" is no id of a checkpoint, such as tiny/sft/a1/checkpoint-50`,
          ],
    ),
  ];
}

/** Null where the folder cannot be read: then nobody knows what is there. */
async function namesIn(directory: string): Promise<string[] | null> {
  const files = await yamlFilesOf(directory).catch((error: unknown) => {
    if (error instanceof TemperError) return null;
    throw error;
  });
  return files?.map((file) => basename(file, '.yaml')) ?? null;
}

function unknownName(field: 'recipe' | 'profile', name: string | undefined, known: readonly string[] | null): string[] {
  if (name === undefined || known === null || known.includes(name)) return [];
  return [
    `sweep.${field}: this machine has no ${field} "${name}"${meant(name, known)} The worker that runs the sweeps must have it`,
  ];
}

function unknownBenchmarks({ benchmarks }: Schedule['sweep'], recipes: readonly Recipe[]): string[] {
  const known = [...new Set(recipes.flatMap((recipe) => Object.keys(recipe.benchmarks)))];
  const [only, another] = recipes;
  const where =
    only !== undefined && another === undefined ? `recipe "${only.name}" has` : 'no recipe of this machine has';
  return benchmarks.flatMap((name, index) => {
    if (recipes.length === 0 || known.includes(name)) return [];
    const lacks = where.startsWith('no ') ? `${where} a benchmark "${name}"` : `${where} no benchmark "${name}"`;
    return [`sweep.benchmarks.${String(index)}: ${lacks}${meant(name, known)} What has none of this name is skipped`];
  });
}

function meant(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === null ? `; there are: ${known.join(', ') || 'none'}.` : `; did you mean "${near}"?`;
}
