/**
 * Evaluations of one checkpoint on one benchmark, put together over their seeds: one score per problem.
 *
 * Covers pooling, and which evaluations lack problems; the order in which they arrived does not matter. Does not cover comparing (statistics.ts, gate.ts).
 */
import type { Evaluation } from './evaluation.ts';
import { mean, type ProblemScore } from './statistics.ts';

export interface ScoreKey {
  readonly checkpoint: string;
  readonly benchmark: string;
  readonly version: number;
}

export interface PooledScore {
  /** Seeds of the evaluations, ascending. */
  readonly seeds: readonly number[];
  /** Mean over problems. */
  readonly mean: number;
  readonly problems: readonly PooledProblem[];
  /** Samples over all problems and seeds. */
  readonly samples: number;
  readonly tokensPerSample: number;
  /** Share of samples that were cut at the token limit. */
  readonly truncatedShare: number;
  /** Share of samples that were not done in time. */
  readonly timedOutShare: number;
  /** Whether a problem's score is that of its vote. */
  readonly byVote: boolean;
  readonly seconds: number;
}

export interface PooledProblem extends ProblemScore {
  readonly samples: number;
  readonly correct: number;
  readonly tokens: number;
}

/** Evaluations of this checkpoint on this benchmark, by seed; one of no problem at all says nothing and is left out. */
export function evaluationsOf(evaluations: readonly Evaluation[], key: ScoreKey): readonly Evaluation[] {
  const bySeed = new Map<number, Evaluation>();
  for (const one of evaluations) {
    if (one.checkpoint !== key.checkpoint || one.benchmark !== key.benchmark || one.version !== key.version) continue;
    if (one.problems.length > 0) bySeed.set(one.seed, one);
  }
  return [...bySeed.values()].sort((a, b) => a.seed - b.seed);
}

/**
 * Of a benchmark and version those that have every problem that any of it has: whoever leaves hard ones out must not win by it.
 * `problems` are all of them.
 */
export function wholeOf(
  evaluations: readonly Evaluation[],
  { benchmark, version }: Pick<ScoreKey, 'benchmark' | 'version'>,
): { readonly whole: readonly Evaluation[]; readonly problems: readonly string[] } {
  const own = evaluations.filter((one) => one.benchmark === benchmark && one.version === version);
  const problems = new Set(own.flatMap((one) => one.problems.map(({ problem }) => problem)));
  const whole = own.filter((one) => isWhole(one, problems.size));
  return { whole, problems: [...problems].sort() };
}

/** Whether it has as many problems as there are. */
export function isWhole(evaluation: Evaluation, problems: number): boolean {
  return new Set(evaluation.problems.map(({ problem }) => problem)).size === problems;
}

/** Null without any evaluation. */
export function scoreOf(evaluations: readonly Evaluation[], key: ScoreKey): PooledScore | null {
  const own = evaluationsOf(evaluations, key);
  if (own.length === 0) return null;
  const problems = new Map<string, { samples: number; correct: number; tokens: number; votes: number[] }>();
  let tokens = 0;
  let truncated = 0;
  let timedOut = 0;
  let seconds = 0;
  const outcomes = own.flatMap((one) => one.problems);
  for (const outcome of outcomes) {
    const sum = problems.get(outcome.problem) ?? { samples: 0, correct: 0, tokens: 0, votes: [] };
    problems.set(outcome.problem, {
      samples: sum.samples + outcome.samples,
      correct: sum.correct + outcome.correct,
      tokens: sum.tokens + outcome.tokens,
      votes: outcome.voted === undefined ? sum.votes : [...sum.votes, outcome.voted],
    });
    tokens += outcome.tokens;
    truncated += outcome.truncated;
    timedOut += outcome.timedOut ?? 0;
    seconds += outcome.seconds;
  }
  const pooled = [...problems]
    .map(([problem, { samples, correct, tokens: own, votes }]) => ({
      problem,
      samples,
      correct,
      tokens: own,
      score: mean(votes) ?? (samples === 0 ? 0 : correct / samples),
    }))
    .sort((a, b) => (a.problem < b.problem ? -1 : 1));
  const samples = pooled.reduce((total, one) => total + one.samples, 0);
  return {
    seeds: own.map((one) => one.seed),
    mean: pooled.reduce((total, one) => total + one.score, 0) / pooled.length,
    problems: pooled,
    samples,
    tokensPerSample: samples === 0 ? 0 : tokens / samples,
    truncatedShare: samples === 0 ? 0 : truncated / samples,
    timedOutShare: samples === 0 ? 0 : timedOut / samples,
    byVote: outcomes.some(({ voted }) => voted !== undefined),
    seconds,
  };
}
