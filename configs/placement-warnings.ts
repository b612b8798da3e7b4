/** What a recipe and a profile together make doubtful: told before anything starts, and refused nowhere. Does not cover what is refused (placement.ts). */
import { deafShells } from './deaf-shells.ts';
import type { Profile, Recipe } from './schema.ts';
import { entriesNearKinds, unusedEntries } from './unused-entries.ts';

/** A sentence for each. */
export function placementWarnings(profile: Profile, recipe: Pick<Recipe, 'name' | 'phases'>): string[] {
  return [...unusedEntries(profile, recipe), ...deafShells(profile, recipe)];
}

/** The same of a profile by itself; `recipes` are those that are there. */
export function profileWarnings(profile: Profile, recipes: readonly Pick<Recipe, 'phases'>[]): string[] {
  return [...entriesNearKinds(profile, recipes), ...deafShells(profile, null)];
}
