/**
 * All that is wrong with a recipe, at once: of fields that are well formed, also how they go together, whatever is wrong beside them.
 *
 * Does not cover where it stands in a file (load.ts).
 */
import { patternProblems } from './pattern-problems.ts';
import { asGroup, fieldName, placedProblemsOf, type PlacedProblem } from './problems.ts';
import { type BrokenRule, brokenRules, type PhaseFields, type RecipeFields } from './schema-rules.ts';
import { benchmarksSchema, budgetsSchema, phaseSchema, recipeSchema } from './schema.ts';
import { standsBeside, wellFormedPart } from './well-formed-part.ts';

/** Of a document that may be anything; none for a valid one. */
export function recipeProblems(document: unknown): PlacedProblem[] {
  return [...problemsOfFields(document), ...patternProblems(document)];
}

function problemsOfFields(document: unknown): PlacedProblem[] {
  const { error } = recipeSchema.safeParse(document);
  if (error === undefined) return [];
  const ofFields = placedProblemsOf(recipeSchema, document, error.issues);
  const known = new Set(ofFields.map(textOf));
  return [...ofFields, ...brokenRulesBeside(document).filter((problem) => !known.has(textOf(problem)))];
}

const textOf = ({ field, message }: PlacedProblem): string => `${field}: ${message}`;

/** The rules over what is well formed: zod looks at them only when every field is. */
function brokenRulesBeside(document: unknown): PlacedProblem[] {
  const { phases, benchmarks, budgets } = asGroup(document);
  if (!Array.isArray(phases)) return [];
  const given: readonly unknown[] = phases;
  const parsed = given.map((phase) => phaseSchema.safeParse(phase).data ?? null);
  const knownBenchmarks = benchmarksSchema.safeParse(benchmarks);
  const recipe: RecipeFields = {
    benchmarks: knownBenchmarks.data ?? namesAlone(benchmarks),
    phases: parsed.map((data, index) => data ?? outlineOf(given[index])),
    budgets: budgetsSchema.safeParse(budgets).data ?? {},
  };
  const ofWellFormed = brokenRules(recipe).filter(
    ({ path: [group, index] }) => group !== 'phases' || parsed[Number(index)] !== null,
  );
  const ofOthers = given.flatMap((phase, index) => (parsed[index] === null ? rulesBeside(recipe, phase, index) : []));
  return [...ofWellFormed, ...ofOthers].map(({ path, message }) => ({
    ...{ path, message },
    field: fieldName(document, path),
    of: 'value',
  }));
}

/** Of one phase that is not well formed, which the others see in outline alone. */
function rulesBeside(recipe: RecipeFields, phase: unknown, index: number): BrokenRule[] {
  const part = wellFormedPart(phase);
  if (part === null) return [];
  return brokenRules({ ...recipe, phases: recipe.phases.with(index, part.phase) }).filter(
    ({ path: [group, at, ...below] }) => group === 'phases' && at === index && standsBeside(below, part.wrong),
  );
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
