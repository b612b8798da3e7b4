/**
 * Keeps a recipe from scoring something else under a benchmark's name and version than what was scored under them before.
 *
 * Covers looking and claiming. Does not cover what makes two definitions differ (decisions/benchmark-definition.ts).
 */
import type { Recipe } from '../configs/schema.ts';
import { benchmarkDefinition, changedDefinition, type DefinedBenchmark } from '../decisions/benchmark-definition.ts';
import { TemperError } from '../decisions/errors.ts';
import { isOutside, outsideOfGate } from '../decisions/outside-benchmark.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { PhaseContext } from '../workflows/contract.ts';

type DataDigests = PhaseContext['dataDigests'];

/** Changes nothing. Throws `invalid-input` with every field that was changed without a new version. */
export async function refuseChangedBenchmarks(
  ledger: Pick<Ledger, 'definitionOf'>,
  recipe: Recipe,
  dataDigests: DataDigests,
): Promise<void> {
  const used = recipe.phases.flatMap((phase) => [
    ...(phase.evaluate?.benchmarks ?? []),
    ...Object.keys(outsideOfGate(phase, recipe.benchmarks)),
  ]);
  const wrong: string[] = [];
  for (const defined of definedOf(recipe.benchmarks, dataDigests).filter(({ name }) => used.includes(name))) {
    const kept = await ledger.definitionOf({ name: defined.name, version: defined.benchmark.version });
    if (kept !== null) wrong.push(...changedDefinition(defined, kept));
  }
  refuse(wrong);
}

/** Before the first evaluation, or score from outside, of a name and version: what they stand for from now on. Throws as above. */
export async function claimBenchmarks(
  ledger: Pick<Ledger, 'claimBenchmark'>,
  { benchmarks, dataDigests }: Pick<PhaseContext, 'benchmarks' | 'dataDigests'>,
  of: { readonly names: ReadonlySet<string>; readonly at: string },
): Promise<void> {
  const wrong: string[] = [];
  for (const defined of definedOf(benchmarks, dataDigests).filter(({ name }) => of.names.has(name))) {
    const { name, benchmark } = defined;
    const claim = { name, version: benchmark.version, definition: benchmarkDefinition(defined), at: of.at };
    wrong.push(...changedDefinition(defined, await ledger.claimBenchmark(claim)));
  }
  refuse(wrong);
}

function definedOf(benchmarks: Recipe['benchmarks'], dataDigests: DataDigests): DefinedBenchmark[] {
  return Object.entries(benchmarks).map(([name, benchmark]) => {
    const dataDigest =
      !isOutside(benchmark) && 'jsonl' in benchmark.data ? (dataDigests[benchmark.data.jsonl] ?? null) : null;
    return { name, benchmark, dataDigest };
  });
}

function refuse(wrong: readonly string[]): void {
  if (wrong.length > 0) throw new TemperError('invalid-input', wrong.join('\n'));
}
