/**
 * What further seeds would tell of two scores: how many decide if the difference stays as it is, and what those to be had gain.
 *
 * More seeds take away the noise of sampling, not that two checkpoints are good at different problems: of the variance of a difference
 * the part within problems shrinks, the rest stays. The gain is the expected improvement of the selection, with the difference as seen
 * for the mean of what may be.
 *
 * Does not cover whether they may be had (gate-compare.ts).
 */
import { normalBelow } from './normal.ts';
import type { PooledProblem } from './scores.ts';

/** One of two scores, in runs: evaluations with a seed each. */
export interface SampledScore {
  readonly runs: number;
  /** The part of the variance of its mean that more runs shrink. */
  readonly varianceWithin: number;
}

export interface PairOfScores {
  readonly difference: number;
  readonly standardError: number;
  readonly one: SampledScore;
  readonly other: SampledScore;
}

/** The variance within problems of a mean over them; with one sample of a problem nobody knows it, and all of it counts. */
export function varianceWithin(problems: readonly PooledProblem[]): number {
  const ofProblem = ({ score, samples }: PooledProblem) => (score * (1 - score)) / Math.max(1, samples - 1);
  const n = problems.length;
  const once = problems.every(({ samples }) => samples < 2);
  const centre = problems.reduce((sum, { score }) => sum + score, 0) / n;
  const each = once ? n * centre * (1 - centre) : problems.reduce((sum, problem) => sum + ofProblem(problem), 0);
  return each / (n * n);
}

/** Runs that each of both needs besides those it has, so that the difference as seen leaves the noise; null where none would do. */
export function furtherRunsThatDecide(pair: PairOfScores, critical: number): number | null {
  const decides = (further: number) => Math.abs(pair.difference) > critical * Math.sqrt(varianceAfter(pair, further));
  let enough = 1;
  while (!decides(enough)) {
    enough *= 2;
    if (enough > 4096) return null;
  }
  let tooFew = enough === 1 ? 0 : enough / 2;
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2);
    if (decides(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

/** What the second of two gains on the average by being found to be the better one after so many runs more of each, as a share. */
export function expectedGain(pair: PairOfScores, further: number): number {
  const move = Math.sqrt(Math.max(0, pair.standardError ** 2 - varianceAfter(pair, further)));
  if (move === 0) return 0;
  const z = pair.difference / move;
  return (move * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI) + pair.difference * normalBelow(z);
}

/** Variance of the difference after so many runs more of each. */
function varianceAfter({ standardError, one, other }: PairOfScores, further: number): number {
  const now = standardError ** 2;
  const shrinks = (score: SampledScore) => (score.varianceWithin * further) / (score.runs + further);
  const within = one.varianceWithin + other.varianceWithin;
  // Never more than there is: within problems and between them are estimated apart.
  const scale = within > now ? now / within : 1;
  return Math.max(0, now - scale * (shrinks(one) + shrinks(other)));
}
