/**
 * Which benchmarks jobs of Temper evaluate, and which are scored outside alone.
 *
 * Does not cover the scores (outside-score.ts).
 */
import type { Benchmark, EvaluatedBenchmark, OutsideBenchmark, Phase } from '../configs/schema.ts';
import { benchmarkOf } from './stage-benchmark.ts';

type Benchmarks = Readonly<Record<string, Benchmark>>;

export function isOutside(benchmark: Benchmark): benchmark is OutsideBenchmark {
  return benchmark.outside === true;
}

/** Those that jobs evaluate, by name. */
export function evaluatedOf(benchmarks: Benchmarks): Readonly<Record<string, EvaluatedBenchmark>> {
  return Object.fromEntries(
    Object.entries(benchmarks).flatMap(([name, one]) => (isOutside(one) ? [] : [[name, one] as const])),
  );
}

/** Those of a phase's gate that are scored outside, by name. */
export function outsideOfGate(
  { gate }: Pick<Phase, 'gate'>,
  benchmarks: Benchmarks,
): Readonly<Record<string, OutsideBenchmark>> {
  const named = new Set(gate.map(benchmarkOf));
  return Object.fromEntries(
    Object.entries(benchmarks).flatMap(([name, one]) =>
      isOutside(one) && named.has(name) ? [[name, one] as const] : [],
    ),
  );
}
