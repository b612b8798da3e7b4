/**
 * What is allowed in a recipe and doubtful, by itself and on its profile: told before anything starts, and refused nowhere.
 *
 * Does not cover what is refused (schema-rules.ts, placement.ts).
 */
import { placementWarnings } from './placement-warnings.ts';
import type { Phase, Profile, Recipe } from './schema.ts';

/** A sentence for each; without a profile, of the recipe alone. */
export function recipeWarnings(recipe: Pick<Recipe, 'name' | 'phases'>, profile: Profile | null): string[] {
  return [...recipe.phases.flatMap(lateEvaluations), ...(profile === null ? [] : placementWarnings(profile, recipe))];
}

/** No refusal: whoever shortens a phase for a try sets its steps alone. */
function lateEvaluations({ name, evaluate, params }: Phase): string[] {
  const every = evaluate?.every;
  const steps = 'steps' in params ? params.steps : undefined;
  if (every === undefined || !steps || every <= steps) return [];
  return [
    `phases.${name}.evaluate.every is ${String(every)}, and the phase has ${String(steps)} steps: only its last checkpoint is evaluated`,
  ];
}
