/**
 * Which fields of a recipe go together: what the shape of a single field cannot say.
 *
 * Covers names that must exist, the order of phases, and steps that never meet. Does not cover single fields (schema.ts).
 */

/** What the rules look at; every recipe fits. */
interface RecipeFields {
  readonly benchmarks: Readonly<Record<string, unknown>>;
  readonly phases: readonly PhaseFields[];
}
interface PhaseFields {
  readonly name: string;
  readonly kind: string;
  readonly from?: string | undefined;
  readonly params: { readonly steps?: number; readonly checkpointEvery?: number; readonly experts?: string };
  readonly evaluate?: { readonly every?: number | undefined; readonly benchmarks: readonly string[] } | undefined;
  readonly gate: readonly GateFields[];
}
type GateFields =
  | { readonly rank: { readonly by: string } }
  | { readonly require: { readonly notWorseThanParent: { readonly benchmark: string } } }
  | { readonly require: { readonly scoreAtLeast: { readonly benchmark: string } } };

type Path = readonly (string | number)[];

/** A rule that is broken, at the field that should change. */
export interface BrokenRule {
  readonly path: Path;
  readonly message: string;
}

/** Every broken rule, in the order of the file. */
export function brokenRules(recipe: RecipeFields): BrokenRule[] {
  const names = recipe.phases.map(({ name }) => name);
  return recipe.phases.flatMap((phase, index) =>
    [...rulesOfPlace(phase, names.slice(0, index)), ...rulesOfSteps(phase), ...rulesOfBenchmarks(phase, recipe)].map(
      ({ path, message }) => ({ path: ['phases', index, ...path], message }),
    ),
  );
}

function rulesOfPlace(phase: PhaseFields, before: readonly string[]): BrokenRule[] {
  const broken: BrokenRule[] = [];
  if (before.includes(phase.name)) {
    broken.push({
      path: ['name'],
      message: `a phase named "${phase.name}" stands above: phases are addressed by their name`,
    });
  }
  if ((before.length === 0) !== (phase.kind === 'base')) {
    broken.push({
      path: ['kind'],
      message: 'the first phase is of kind "base" (it makes or names the start), and no other is',
    });
  }
  if (phase.from !== undefined && !before.includes(phase.from)) {
    const message = `no phase named "${phase.from}" comes before this one; before it: ${before.join(', ') || 'none'}`;
    broken.push({ path: ['from'], message });
  }
  return broken;
}

function rulesOfSteps({ params, evaluate }: PhaseFields): BrokenRule[] {
  const { steps, checkpointEvery } = params;
  if (steps === undefined || checkpointEvery === undefined || steps === 0) return [];
  const broken: BrokenRule[] = [];
  if (checkpointEvery > steps) {
    const message = `is above steps (${String(steps)}): no checkpoint would come before the end`;
    broken.push({ path: ['params', 'checkpointEvery'], message });
  }
  if (evaluate?.every !== undefined && evaluate.every % checkpointEvery !== 0) {
    const message = `is ${String(evaluate.every)}, and a checkpoint comes every ${String(checkpointEvery)} steps: name a multiple`;
    broken.push({ path: ['evaluate', 'every'], message });
  }
  return broken;
}

function rulesOfBenchmarks(phase: PhaseFields, { benchmarks }: RecipeFields): BrokenRule[] {
  return benchmarksOf(phase).flatMap(([path, used]) => {
    if (!Object.hasOwn(benchmarks, used)) {
      const message = `no benchmark named "${used}"; there are: ${Object.keys(benchmarks).join(', ') || 'none'}`;
      return [{ path, message }];
    }
    if (path[0] === 'evaluate' || phase.evaluate?.benchmarks.includes(used)) return [];
    return [{ path, message: `the gate looks at "${used}", which "evaluate.benchmarks" of this phase does not name` }];
  });
}

/** Every place of a phase that names a benchmark, with the name. */
function benchmarksOf(phase: PhaseFields): [Path, string][] {
  const evaluated = (phase.evaluate?.benchmarks ?? []).map((used, index): [Path, string] => [
    ['evaluate', 'benchmarks', index],
    used,
  ]);
  const judged = phase.gate.map((stage, index): [Path, string] => {
    if ('rank' in stage) return [['gate', index, 'rank', 'by'], stage.rank.by];
    if ('notWorseThanParent' in stage.require) {
      return [
        ['gate', index, 'require', 'notWorseThanParent', 'benchmark'],
        stage.require.notWorseThanParent.benchmark,
      ];
    }
    return [['gate', index, 'require', 'scoreAtLeast', 'benchmark'], stage.require.scoreAtLeast.benchmark];
  });
  return [...evaluated, ...judged];
}
