/**
 * What a sweep evaluates next, the most informative first: what was never evaluated on a benchmark; then those that may be the best of
 * it, with the widest interval first, and of equal ones those with the fewest seeds. What is surely below the highest gets no more.
 *
 * One seed of each at a time: with its outcome the order is made anew. Does not cover the budget (sweep-batch.ts).
 */
import { compareText } from './compare-text.ts';
import { compareWithBest } from './comparison-with-best.ts';
import type { Evaluation } from './evaluation.ts';
import { evaluationsOf, scoreOf, wholeOf } from './scores.ts';
import { bootstrapMean } from './statistics.ts';
import type { DueEvaluation, SweptCheckpoint } from './sweep.ts';

export interface DueInput {
  readonly checkpoints: readonly SweptCheckpoint[];
  readonly benchmarks: readonly string[];
  /** Of these checkpoints. */
  readonly evaluations: readonly Evaluation[];
  /** Most of one checkpoint on one benchmark. */
  readonly seeds: number;
}

interface Ranked {
  readonly due: DueEvaluation;
  readonly seeds: number;
  /** Of its interval; a checkpoint without any score comes before all. */
  readonly width: number;
}

export function dueEvaluations(input: DueInput): readonly DueEvaluation[] {
  const { checkpoints, benchmarks } = input;
  return benchmarks
    .flatMap((benchmark) => {
      const versions = new Set(checkpoints.flatMap(({ versions }) => versions[benchmark] ?? []));
      return [...versions].flatMap((version) => dueOn(input, { benchmark, version }));
    })
    .sort((a, b) => b.width - a.width || a.seeds - b.seeds || compareText(textOf(a), textOf(b)))
    .map(({ due }) => due);
}

interface On {
  readonly benchmark: string;
  readonly version: number;
}

function dueOn(input: DueInput, on: On): Ranked[] {
  const checkpoints = input.checkpoints.filter(({ versions }) => versions[on.benchmark] === on.version);
  const below = surelyBelow(input.evaluations, checkpoints, on);
  return checkpoints.flatMap((checkpoint): Ranked[] => {
    const key = { ...on, checkpoint: checkpoint.id };
    const taken = evaluationsOf(input.evaluations, key).map(({ seed }) => seed);
    const seed = Array.from({ length: input.seeds }, (_, index) => index + 1).find((one) => !taken.includes(one));
    if (seed === undefined || below.has(checkpoint.id)) return [];
    const score = scoreOf(input.evaluations, key);
    const because = score === null ? 'never-evaluated' : 'contender';
    const width = score === null ? Infinity : widthOf(score.problems.map((problem) => problem.score));
    return [{ due: { ...key, seed, because, group: checkpoint.group }, seeds: taken.length, width }];
  });
}

/** By evaluations with every problem, with all of them looked at at once, as the gate does. */
function surelyBelow(evaluations: readonly Evaluation[], checkpoints: readonly SweptCheckpoint[], on: On): Set<string> {
  const { whole } = wholeOf(evaluations, on);
  const scored = checkpoints.flatMap(({ id }) => {
    const score = scoreOf(whole, { ...on, checkpoint: id });
    return score === null ? [] : [{ id, mean: score.mean, problems: score.problems, standardError: 0 }];
  });
  if (scored.length < 2) return new Set();
  return new Set(compareWithBest(scored).lines.flatMap(({ id, fromBest }) => (fromBest.high < 0 ? [id] : [])));
}

function widthOf(scores: readonly number[]): number {
  const { low, high } = bootstrapMean(scores);
  return high - low;
}

const textOf = ({ due }: Ranked) => `${due.benchmark}\n${due.checkpoint}`;
