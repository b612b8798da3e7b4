/**
 * All that is wrong with a recipe, at once: of fields that are well formed, also how they go together, whatever is wrong beside them.
 *
 * Does not cover where it stands in a file (load.ts).
 */
import { patternProblems } from './pattern-problems.ts';
import { asGroup, fieldName, placedProblemsOf, type PlacedProblem } from './problems.ts';
import { brokenRules, type PhaseFields, type RecipeFields } from './schema-rules.ts';
import { benchmarksSchema, budgetsSchema, phaseSchema, recipeSchema } from './schema.ts';

/** Of a document that may be anything; none for a valid one. */
export function recipeProblems(document: unknown): PlacedProblem[] {
  return [...problemsOfFields(document), ...patternProblems(document)];
}

function problemsOfFields(document: unknown): PlacedProblem[] {
  const { error } = recipeSchema.safeParse(document);
  if (error === undefined) return [];
  const rulesRan = error.issues.some(({ code }) => code === 'custom');
  const ofFields = placedProblemsOf(recipeSchema, document, error.issues);
  return rulesRan ? ofFields : [...ofFields, ...brokenRulesBeside(document)];
}

/** The rules over what is well formed: zod looks at them only when every field is. */
function brokenRulesBeside(document: unknown): PlacedProblem[] {
  const { phases, benchmarks, budgets } = asGroup(document);
  if (!Array.isArray(phases)) return [];
  const parsed = phases.map((phase: unknown) => phaseSchema.safeParse(phase));
  const knownBenchmarks = benchmarksSchema.safeParse(benchmarks);
  const recipe: RecipeFields = {
    benchmarks: knownBenchmarks.data ?? namesAlone(benchmarks),
    phases: parsed.map(({ data }, index) => data ?? outlineOf(phases[index])),
    budgets: budgetsSchema.safeParse(budgets).data ?? {},
  };
  return brokenRules(recipe)
    .filter(({ path: [group, index] }) => group !== 'phases' || parsed[Number(index)]?.success === true)
    .map(({ path, message }) => ({ path, message, field: fieldName(document, path), of: 'value' }));
}

/** Of a phase that is not well formed: what others may refer to. */
function outlineOf(phase: unknown): PhaseFields {
  const { name, kind } = asGroup(phase);
  return {
    name: typeof name === 'string' ? name : '',
    kind: typeof kind === 'string' ? kind : '',
    params: {},
    gate: [],
  };
}

function namesAlone(group: unknown): RecipeFields['benchmarks'] {
  return Object.fromEntries(Object.keys(asGroup(group)).map((name) => [name, {}]));
}
