/**
 * Entries of a profile's `jobs` that no job of a recipe asks for, as a typing error leaves them: what they say would go unheeded.
 *
 * A warning and no refusal: one profile serves several recipes, whose phases it may name. Does not cover what is in an entry (schema-profile.ts).
 */
import { nearestName } from './nearest-name.ts';
import { phaseSchema, type Profile, type Recipe } from './schema.ts';

/** What `jobs` may name whatever the recipe: `default`, the kinds of phases, and of the jobs beside them. */
const alwaysKnown: readonly string[] = [
  'default',
  ...phaseSchema.options.map(({ shape }) => shape.kind.value),
  'evaluate',
  'seal',
];

/** A sentence for each, with the nearest name; none for a profile of this machine. */
export function unusedEntries(profile: Profile, recipe: Pick<Recipe, 'name' | 'phases'>): string[] {
  const phases = recipe.phases.map(({ name }) => name);
  return unknownEntries(profile, phases).map((entry) => {
    const near = nearestName(entry, [...alwaysKnown, ...phases]);
    const meant = near === null ? '' : `; did you mean "${near}"?`;
    return `jobs.${entry} of profile "${profile.name}" counts for no job of recipe "${recipe.name}": no kind of job and no phase of it is called so${meant}`;
  });
}

/** The same of a profile by itself: what looks like a misspelt kind, and is a phase of none of `recipes`. */
export function entriesNearKinds(profile: Profile, recipes: readonly Pick<Recipe, 'phases'>[]): string[] {
  const phases = recipes.flatMap((recipe) => recipe.phases.map(({ name }) => name));
  return unknownEntries(profile, phases).flatMap((entry) => {
    const near = nearestName(entry, alwaysKnown);
    return near === null
      ? []
      : [`jobs.${entry} is no kind of job, and counts for phases of that name alone; did you mean "${near}"?`];
  });
}

function unknownEntries(profile: Profile, phases: readonly string[]): string[] {
  if (profile.backend !== 'kubernetes') return [];
  return Object.keys(profile.jobs).filter((entry) => !alwaysKnown.includes(entry) && !phases.includes(entry));
}
