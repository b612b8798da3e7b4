/**
 * What is known of checkpoints from outside: runs on a public leaderboard, an order without numbers, times and limits that were kept.
 *
 * Covers what of it a gate can count with. Does not cover how it comes in.
 */

import { smoothedError } from './statistics.ts';

export type OutsideEvidence =
  /** Runs on the same problems: mean and deviation of their scores, as shares. Null: the deviation is not told. */
  | {
      readonly kind: 'runs';
      readonly checkpoint: string;
      readonly benchmark: string;
      readonly problems: number;
      readonly runs: number;
      readonly mean: number;
      readonly deviation: number | null;
      /** Of the mean, where it is told; then the spread of the others says nothing of it. */
      readonly standardError?: number;
    }
  /** Only which of two is higher is told. */
  | { readonly kind: 'order'; readonly benchmark: string; readonly higher: string; readonly lower: string }
  | { readonly kind: 'runtime'; readonly checkpoint: string; readonly benchmark: string; readonly minutes: number }
  /** Only whether it kept the limit that the recipe names is told. */
  | {
      readonly kind: 'within-runtime';
      readonly checkpoint: string;
      readonly benchmark: string;
      readonly within: boolean;
    };

/** All runs of one checkpoint together. */
export interface OutsideRuns {
  readonly mean: number;
  readonly runs: number;
  readonly problems: number;
  readonly standardError: number;
}

type Runs = Extract<OutsideEvidence, { kind: 'runs' }>;

/**
 * The error is the one that is told; else that of the spread from run to run over all checkpoints together, where there are three runs more than checkpoints; else
 * what as many independent answers have, which is never less. It is never nothing: that all runs were alike, or all answers right, is luck of so many.
 */
export function outsideRunsOf(
  evidence: readonly OutsideEvidence[],
  key: { readonly checkpoint: string; readonly benchmark: string },
): OutsideRuns | null {
  const onBenchmark = evidence.filter((one): one is Runs => one.kind === 'runs' && one.benchmark === key.benchmark);
  const own = onBenchmark.filter(({ checkpoint }) => checkpoint === key.checkpoint);
  if (own.length === 0) return null;
  const runs = sumOf(own, (one) => one.runs);
  const mean = sumOf(own, (one) => one.runs * one.mean) / runs;
  const problems = Math.min(...own.map((one) => one.problems));
  const told = onBenchmark.filter(({ deviation }) => deviation !== null);
  const freedom = sumOf(told, (one) => one.runs - 1);
  const variance =
    freedom >= 3
      ? sumOf(told, (one) => (one.runs - 1) * (one.deviation ?? 0) ** 2) / freedom
      : (mean * (1 - mean)) / problems;
  const varianceOfMean = sumOf(
    own,
    (one) => (one.runs / runs) ** 2 * (one.standardError ?? Math.sqrt(variance / one.runs)) ** 2,
  );
  const standardError = varianceOfMean > 0 ? Math.sqrt(varianceOfMean) : smoothedError(mean, problems * runs);
  return { mean, runs, problems, standardError };
}

/** Whether a candidate is told to be lower on this benchmark than one of the others. */
export function isToldLower(
  evidence: readonly OutsideEvidence[],
  candidate: string,
  { benchmark, others }: { readonly benchmark: string; readonly others: readonly string[] },
): boolean {
  return evidence.some(
    (one) =>
      one.kind === 'order' && one.benchmark === benchmark && one.lower === candidate && others.includes(one.higher),
  );
}

function sumOf(list: readonly Runs[], number: (one: Runs) => number): number {
  return list
    .map(number)
    .sort((a, b) => a - b)
    .reduce((total, value) => total + value, 0);
}
