/**
 * What scores are worth when the highest of them was picked for being the highest: each drawn towards their mean, by as much of their
 * spread as is noise.
 *
 * The highest of many is lucky too (the winner's curse). Were the true scores spread as a normal distribution, the best guess at one is
 * its score drawn to the mean by the share that noise has in the spread (James and Stein 1961; Efron and Morris 1975, JASA 70: 311–319).
 * The spread of the true scores is estimated by Paule and Mandel (1982), and that it is an estimate widens the interval (Kass and
 * Steffey 1989, JASA 84: 717–726). Noise is what sets scores apart over the same problems: that these problems are hard or easy is the
 * same luck for all, and lifts nobody over another.
 *
 * Does not cover whose scores belong together (gate-promotion.ts). What it is worth is measured: docs/decisions/0042.
 */
import type { PooledProblem } from './scores.ts';
import { varianceWithin } from './further-seeds.ts';
import { type Interval, mean, standardError } from './statistics.ts';

/** One score of several. */
export interface ScoreAmong {
  readonly id: string;
  readonly mean: number;
  /** Null where only the mean of runs is known. */
  readonly problems: readonly PooledProblem[] | null;
  /** Of the mean; used where scores by problem are not known of all. */
  readonly standardError: number;
}

/** A score after shrinkage, with its interval at 95 %. */
export interface ShrunkenScore extends Interval {
  readonly id: string;
  readonly mean: number;
}

/** 97.5 % quantile of the standard normal distribution. */
const z = 1.959963984540054;

/** In the order in which they came; that order changes no number. Of fewer than two nothing was picked: none. */
export function shrunkenScores(scores: readonly ScoreAmong[]): readonly ShrunkenScore[] {
  if (scores.length < 2) return [];
  const noise = noiseOf(scores);
  const means = scores.map((one) => one.mean);
  const spread = spreadOfTruth(means, noise.own);
  const weights = noise.own.map((variance) => 1 / Math.max(leastVariance, variance + spread));
  const total = weights.reduce((sum, one) => sum + one, 0);
  const centre = means.reduce((sum, one, index) => sum + one * (weights[index] ?? 0), 0) / total;
  const spreadError = 2 / weights.reduce((sum, one) => sum + one ** 2, 0);
  return scores.map(({ id, mean: seen }, index) => {
    const own = noise.own[index] ?? 0;
    const weight = weights[index] ?? 0;
    const drawn = Math.min(1, own * weight);
    const value = centre + (1 - drawn) * (seen - centre);
    const ofSpread = ((seen - centre) * drawn * weight) ** 2 * spreadError;
    const error = Math.sqrt(noise.shared + (1 - drawn) * own + drawn ** 2 / total + ofSpread);
    return { id, mean: value, low: Math.max(0, value - z * error), high: Math.min(1, value + z * error) };
  });
}

/** Of scores that are the same on every problem. */
const leastVariance = 1e-12;

interface Noise {
  /** Variance of each mean that is its own: what may lift one over another. */
  readonly own: readonly number[];
  /** Variance that is the same luck for all: which problems the benchmark has. */
  readonly shared: number;
}

/**
 * Over problems that all have: what is left of each score when the means of its problem and of its candidate are taken away (an analysis
 * of variance without replication). What of it is sampling is each one's own, by the samples it has; the rest is that candidates are good
 * at different problems, and the same for all.
 */
function noiseOf(scores: readonly ScoreAmong[]): Noise {
  const known = scores.flatMap(({ problems }) => (problems === null ? [] : [problems]));
  const common = known.length < scores.length ? null : scoresOfCommon(known);
  if (common === null) return { own: scores.map((one) => one.standardError ** 2), shared: 0 };
  const [k, n] = [common.length, common[0]?.length ?? 0];
  const means = common.map((own) => mean(own) ?? 0);
  const centre = mean(means) ?? 0;
  const ofProblem = Array.from({ length: n }, (_, at) => mean(common.map((own) => own[at] ?? 0)) ?? 0);
  let squares = 0;
  for (const [one, own] of common.entries()) {
    for (const [at, score] of own.entries()) {
      squares += (score - (means[one] ?? 0) - (ofProblem[at] ?? 0) + centre) ** 2;
    }
  }
  const average = squares / ((k - 1) * (n - 1)) / n;
  const sampling = known.map(varianceWithin);
  const ofSampling = mean(sampling) ?? 0;
  // Sampling is estimated by itself, and is never more than there is.
  const scale = ofSampling > average ? average / ofSampling : 1;
  const ofProblems = average - scale * ofSampling;
  const own = sampling.map((variance) => ofProblems + scale * variance);
  return { own, shared: Math.max(0, (standardError(ofProblem) ?? 0) ** 2 - average / k) };
}

/** By candidate, in the order of the problems' names; null of fewer than two problems. */
function scoresOfCommon(known: readonly (readonly PooledProblem[])[]): readonly (readonly number[])[] | null {
  const byName = known.map((problems) => new Map(problems.map(({ problem, score }) => [problem, score])));
  const names = [...(byName[0]?.keys() ?? [])].filter((name) => byName.every((own) => own.has(name))).sort();
  return names.length < 2 ? null : byName.map((own) => names.map((name) => own.get(name) ?? 0));
}

/** Variance of the true scores: with it the weighted squares about the mean are as many as they should be; 0 where noise alone is more. */
function spreadOfTruth(means: readonly number[], noise: readonly number[]): number {
  const tooSmall = (spread: number) => {
    const weights = noise.map((variance) => 1 / Math.max(leastVariance, variance + spread));
    const total = weights.reduce((sum, one) => sum + one, 0);
    const centre = means.reduce((sum, one, index) => sum + one * (weights[index] ?? 0), 0) / total;
    const squares = means.reduce((sum, one, index) => sum + (weights[index] ?? 0) * (one - centre) ** 2, 0);
    return squares > means.length - 1;
  };
  if (!tooSmall(0)) return 0;
  let [low, high] = [0, 1];
  for (let round = 0; round < 60; round += 1) {
    const middle = (low + high) / 2;
    if (tooSmall(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
