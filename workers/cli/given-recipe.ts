/**
 * The recipe that a person names or gives as a file, with what `--set` changes: checked here where it lies on this machine, with lines;
 * by the worker where only the worker has it.
 */
import { loadRecipeFile } from '../../configs/load.ts';
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
  if (given.recipe !== undefined)
    throw new TemperError(
      'invalid-input',
      `name a recipe ("${given.recipe}") or give a file (${given.file}), not both`,
    );
  const { value, document } = await loadRecipeFile(given.file, set);
  return { input: { recipe: { ...document }, ...more }, name: value.name };
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
