/**
 * Which fields of a recipe go together: what the shape of a single field cannot say.
 *
 * Covers names that must exist, the order of phases, and budgets. Rules that look at one phase alone are schema-phase-rules.ts's, those of one
 * benchmark schema-benchmark-rules.ts's; single fields are schema.ts's. A DrGRPO batch is promptsPerStep × generations, so that it always holds whole groups: there is no rule for it.
 */
import { type BenchmarkFields, rulesOfBenchmarkFields } from './schema-benchmark-rules.ts';
import { rulesOfCommand, rulesOfStartFormat } from './schema-command-rules.ts';
import { startOfPhase } from './start-of-phase.ts';
import { type BrokenRule, type Path, type PhaseFields, rulesOfPhase } from './schema-phase-rules.ts';

export type { BrokenRule, PhaseFields } from './schema-phase-rules.ts';

/** What the rules look at; every recipe fits. */
export interface RecipeFields {
  readonly model?: { readonly path?: string } | object;
  readonly benchmarks: Readonly<Record<string, BenchmarkFields>>;
  readonly phases: readonly PhaseFields[];
  readonly budgets: { readonly evaluations?: number };
  readonly onFailure?: string | undefined;
}

/** Every broken rule, in the order of the file. */
export function brokenRules(recipe: RecipeFields): BrokenRule[] {
  const ofPhases = recipe.phases.flatMap((phase, index) => {
    const before = recipe.phases.slice(0, index);
    const broken = [
      ...rulesOfPlace(phase, before),
      ...rulesOfModel(phase, recipe),
      ...rulesOfPhase(phase),
      ...rulesOfCommand(phase),
      ...rulesOfStartFormat(phase, startsOf(phase, before)[0]?.[1]),
      ...rulesOfExperts(phase, before),
      ...rulesOfBenchmarks(phase, recipe),
    ];
    return broken.map(({ path, message }) => ({ path: ['phases', index, ...path], message }));
  });
  return [
    ...rulesOfBenchmarkFields(recipe.benchmarks),
    ...ofPhases,
    ...rulesOfBudgets(recipe),
    ...rulesOfWaits(recipe),
  ];
}

function rulesOfPlace(phase: PhaseFields, before: readonly PhaseFields[]): BrokenRule[] {
  const names = before.map(({ name }) => name);
  const broken: BrokenRule[] = [];
  if (names.includes(phase.name)) {
    broken.push({
      path: ['name'],
      message: `a phase named "${phase.name}" stands above: phases are addressed by their name`,
    });
  }
  const start = startOfPhase(phase, undefined);
  const isBase = phase.kind === 'base';
  // A first phase that names a finished checkpoint has its start.
  if (before.length === 0 ? !isBase && start?.kind !== 'checkpoint' : isBase) {
    broken.push({
      path: ['kind'],
      message:
        'the first phase is of kind "base" (it makes or names the start), and no other is; or it names `from: {checkpoint: pipeline/phase}`',
    });
  }
  if (isBase && start?.kind === 'checkpoint')
    broken.push({
      path: ['from'],
      message: 'a base makes or names the start: say from.checkpoint in a phase of another kind',
    });
  if (start?.kind === 'phase' && !names.includes(start.phase)) {
    const message = `no phase named "${start.phase}" comes before this one; before it: ${names.join(', ') || 'none'}`;
    broken.push({ path: ['from'], message });
  }
  return broken;
}

/** A base that names a model trains nothing. */
function rulesOfModel({ kind, params }: PhaseFields, { model }: RecipeFields): BrokenRule[] {
  if (kind !== 'base' || !model || !('path' in model) || !params.steps) return [];
  const message = `is ${String(params.steps)}, and model.path names a finished model, which is taken as it is: leave steps out`;
  return [{ path: ['params', 'steps'], message }];
}

/** A merge that refuses the experts, above a LoRA that trains them, would end the pipeline when all the training is done. */
function rulesOfExperts(phase: PhaseFields, before: readonly PhaseFields[]): BrokenRule[] {
  if (phase.kind !== 'mxfp4-merge' || phase.params.experts !== 'refuse') return [];
  for (const [index, at] of startsOf(phase, before)) {
    if (at.kind === 'mxfp4-merge') return [];
    if (!at.params.lora?.targets.includes('experts')) continue;
    const message = `is "refuse", and the LoRA of phase "${at.name}" (phases.${String(index)}) trains the experts: say "requantize", or take experts out of its targets`;
    return [{ path: ['params', 'experts'], message }];
  }
  return [];
}

/** The phases of the recipe that it starts from, and what those started from, back to the first. */
function startsOf(phase: PhaseFields, before: readonly PhaseFields[]): [number, PhaseFields][] {
  const from = startOfPhase(phase, before.at(-1));
  const index = from?.kind === 'phase' ? before.findIndex(({ name }) => name === from.phase) : -1;
  const start = before[index];
  return start === undefined ? [] : [[index, start], ...startsOf(start, before.slice(0, index))];
}

function rulesOfBenchmarks(phase: PhaseFields, { benchmarks }: RecipeFields): BrokenRule[] {
  return benchmarksOf(phase).flatMap(([path, used]) => {
    if (!Object.hasOwn(benchmarks, used)) {
      const message = `no benchmark named "${used}"; there are: ${Object.keys(benchmarks).join(', ') || 'none'}`;
      return [{ path, message }];
    }
    const isOutside = benchmarks[used]?.outside === true;
    if (isOutside && path[0] === 'evaluate') {
      const message = `no job evaluates "${used}", which is scored outside: leave it out here; a gate may name it all the same`;
      return [{ path, message }];
    }
    const evaluated = phase.evaluate?.benchmarks ?? [];
    if (isOutside) return [];
    if (path[0] === 'evaluate' || evaluated.includes(used)) return [];
    // A misspelled name among those evaluated is told where it stands, and may well be this one.
    if (evaluated.some((name) => !Object.hasOwn(benchmarks, name))) return [];
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
    if ('compare' in stage) return [['gate', index, 'compare', 'benchmark'], stage.compare.benchmark];
    const [rule, { benchmark }] = Object.entries(stage.require)[0] as [string, { readonly benchmark: string }];
    return [['gate', index, 'require', rule, 'benchmark'], benchmark];
  });
  return [...evaluated, ...judged];
}

/** A gate that lacks a score from outside holds its phase until a person brings it. */
function rulesOfWaits({ phases, benchmarks, onFailure }: RecipeFields): BrokenRule[] {
  if (onFailure !== 'fail') return [];
  const waiting = phases.flatMap((phase) =>
    benchmarksOf(phase)
      .filter(([[group], used]) => group === 'gate' && benchmarks[used]?.outside === true)
      .map(([, used]) => ({ phase: phase.name, used })),
  );
  const [first] = waiting;
  if (first === undefined) return [];
  const message = `is "fail", and the gate of phase "${first.phase}" waits for scores on "${first.used}" that a person brings: say "hold"`;
  return [{ path: ['onFailure'], message }];
}

/** A budget that the first evaluations of all phases go beyond would end before the last phase, whatever they say. */
function rulesOfBudgets({ phases, budgets }: RecipeFields): BrokenRule[] {
  const { evaluations } = budgets;
  if (evaluations === undefined) return [];
  const needs = phases
    .map((phase) => ({ name: phase.name, count: evaluationsOf(phase) }))
    .filter(({ count }) => count > 0);
  const sum = needs.reduce((total, { count }) => total + count, 0);
  if (sum <= evaluations) return [];
  const each = needs.map(({ name, count }) => `${name} ${String(count)}`).join(', ');
  const message = `is ${String(evaluations)}, and the phases begin with ${String(sum)} (checkpoints × benchmarks × seeds: ${each})`;
  return [{ path: ['budgets', 'evaluations'], message }];
}

function evaluationsOf({ params, evaluate }: PhaseFields): number {
  if (evaluate === undefined) return 0;
  const steps = params.steps ?? 0;
  const checkpoints = evaluate.every === undefined ? 1 : Math.max(1, Math.ceil(steps / evaluate.every));
  return checkpoints * evaluate.benchmarks.length * evaluate.seeds;
}
