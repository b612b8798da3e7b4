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

/** `othersTurn` comes between two checkpoints: the draws of many take seconds. */
export async function dueEvaluations(
  input: DueInput,
  othersTurn: () => Promise<void>,
): Promise<readonly DueEvaluation[]> {
  const { checkpoints, benchmarks } = input;
  const ranked: Ranked[] = [];
  for (const benchmark of benchmarks) {
    for (const version of new Set(checkpoints.flatMap(({ versions }) => versions[benchmark] ?? [])))
      ranked.push(...(await dueOn(input, { benchmark, version }, othersTurn)));
  }
  return ranked
    .sort((a, b) => b.width - a.width || a.seeds - b.seeds || compareText(textOf(a), textOf(b)))
    .map(({ due }) => due);
}

interface On {
  readonly benchmark: string;
  readonly version: number;
}

async function dueOn(input: DueInput, on: On, othersTurn: () => Promise<void>): Promise<readonly Ranked[]> {
  const { whole } = wholeOf(input.evaluations, on);
  const [all, wholes] = [input.evaluations, whole].map((some) => Map.groupBy(some, ({ checkpoint }) => checkpoint));
  const ranked: Ranked[] = [];
  const scored: ComparedScore[] = [];
  for (const { id, group, versions } of input.checkpoints) {
    if (versions[on.benchmark] !== on.version) continue;
    const key = { ...on, checkpoint: id };
    const own = all?.get(id) ?? [];
    const score = scoreOf(own, key);
    const compared = scoreOf(wholes?.get(id) ?? [], key);
    if (compared !== null) scored.push({ id, mean: compared.mean, problems: compared.problems, standardError: 0 });
    const taken = evaluationsOf(own, key).map(({ seed }) => seed);
    const seed = Array.from({ length: input.seeds }, (_, index) => index + 1).find((one) => !taken.includes(one));
    if (seed === undefined) continue;
    const because = score === null ? 'never-evaluated' : 'contender';
    const width = score === null ? Infinity : widthOf(score.problems.map((problem) => problem.score));
    ranked.push({ due: { ...key, seed, because, group }, seeds: taken.length, width });
    await othersTurn();
  }
  const below = surelyBelow(scored);
  return ranked.filter(({ due }) => !below.has(due.checkpoint));
}

type ComparedScore = Parameters<typeof compareWithBest>[0][number];

/** By evaluations with every problem, with all of them looked at at once, as the gate does. */
function surelyBelow(scored: readonly ComparedScore[]): ReadonlySet<string> {
  if (scored.length < 2) return new Set();
  return new Set(compareWithBest(scored).lines.flatMap(({ id, fromBest }) => (fromBest.high < 0 ? [id] : [])));
}

function widthOf(scores: readonly number[]): number {
  const { low, high } = bootstrapMean(scores);
  return high - low;
}

const textOf = ({ due }: Ranked) => `${due.benchmark}\n${due.checkpoint}`;
