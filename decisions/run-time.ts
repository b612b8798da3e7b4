/**
 * How long one run over a benchmark takes: as seen, and for other problems like these.
 *
 * Covers whole evaluations of one checkpoint. Does not cover a limit (gate-runtime.ts).
 */
import type { Evaluation } from './evaluation.ts';
import { draws, picksWithReplacement } from './random.ts';
import { quantile } from './statistics.ts';

/** Minutes of one run. */
export interface RunTime {
  /** The mean over seeds. */
  readonly seen: number;
  /** What half of the draws of as many problems stay below. */
  readonly p50: number;
  /** What 95 % of them stay below; never less than the longest seed took. */
  readonly p95: number;
}

/** One evaluation a seed, each with every problem; at least one. */
export function runTimeOf(evaluations: readonly Evaluation[]): RunTime {
  const totals = evaluations.map((one) => one.problems.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
  const byProblem = new Map<string, number>();
  for (const { problem, seconds } of evaluations.flatMap((one) => one.problems)) {
    byProblem.set(problem, (byProblem.get(problem) ?? 0) + seconds / 60 / evaluations.length);
  }
  const drawn = drawnTotals([...byProblem.values()].sort((a, b) => a - b));
  return {
    seen: totals.reduce((sum, total) => sum + total, 0) / totals.length,
    p50: quantile(drawn, 0.5),
    p95: Math.max(quantile(drawn, 0.95), ...totals),
  };
}

function drawnTotals(minutes: readonly number[]): Float64Array {
  const pick = picksWithReplacement(minutes.length);
  const total = () => minutes.reduce((sum) => sum + (minutes[pick()] ?? 0), 0);
  return Float64Array.from({ length: draws }, total).sort();
}
