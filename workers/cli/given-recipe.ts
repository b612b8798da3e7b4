/**
 * The recipe that a person names or gives as a file, with what `--set` changes: checked here where it lies on this machine, with lines;
 * by the worker where only the worker has it.
 */
import { fitting, loadRecipe, loadRecipeFile } from '../../configs/load.ts';
import type { Profile, Recipe } from '../../configs/schema.ts';
import { readYaml } from '../../configs/yaml-text.ts';
import { TemperError } from '../../decisions/errors.ts';
import type { PipelineInput } from '../../workflows/contract.ts';
import type { Set } from './options.ts';

export interface GivenRecipe {
  readonly recipe: string | undefined;
  readonly file?: string | undefined;
  readonly set: Set;
  readonly profile?: string | undefined;
}

export interface RecipeInput {
  readonly input: PipelineInput;
  /** The recipe's name; null where the worker's default is meant. */
  readonly name: string | null;
}

export interface Place {
  readonly recipesDirectory: string;
  readonly profile: Profile;
}

/**
 * The recipe as this machine has it, fit for the profile; null where none is named. Throws `invalid-input` with every problem, `not-found`.
 */
export async function recipeHere(
  given: Omit<GivenRecipe, 'profile'>,
  { recipesDirectory, profile }: Place,
): Promise<Recipe | null> {
  mustNameOne(given);
  const set = valuesOf(given.set);
  if (given.file !== undefined) return fitting(await loadRecipeFile(given.file, set), profile).value;
  if (given.recipe !== undefined) return fitting(await loadRecipe(recipesDirectory, given.recipe, set), profile).value;
  if (Object.keys(set).length > 0) throw new TemperError('invalid-input', '--set changes a recipe: name one');
  return null;
}

/** Throws `invalid-input` with every problem, `not-found`. */
export async function inputOf(given: GivenRecipe): Promise<RecipeInput> {
  const set = valuesOf(given.set);
  const more = {
    ...(Object.keys(set).length > 0 ? { set } : {}),
    ...(given.profile === undefined ? {} : { profile: given.profile }),
  };
  if (given.file === undefined) {
    const named = given.recipe === undefined ? {} : { recipe: given.recipe };
    return { input: { ...named, ...more }, name: given.recipe ?? null };
  }
  mustNameOne(given);
  const { value, document } = await loadRecipeFile(given.file, set);
  return { input: { recipe: { ...document }, ...more }, name: value.name };
}

function mustNameOne({ recipe, file }: Pick<GivenRecipe, 'recipe' | 'file'>): void {
  if (recipe === undefined || file === undefined) return;
  throw new TemperError('invalid-input', `name a recipe ("${recipe}") or give a file (${file}), not both`);
}

/** Values of `--set` as YAML has them. Throws `invalid-input`. */
export function valuesOf(set: Set): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(set).map(([field, text]) => [
      field,
      readYaml(`value: ${String(text)}`, `--set ${field}`).value['value'],
    ]),
  );
}
