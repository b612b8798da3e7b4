/**
 * Several scores on one benchmark, each against the highest: who is surely below it, and how likely each is the best.
 *
 * Looking at many finds differences that are luck, and the highest of many is lucky itself: every interval is widened until, in 95 % of
 * the draws, no difference between any two of them leaves its own (Tukey 1953, The problem of multiple comparisons; by bootstrap and
 * studentized: Romano and Wolf 2005, Econometrica 73: 1237–1282). Of two it is the paired interval. Where scores are by problem, all are
 * drawn together over the problems that all have; where only means of runs are known, each by its standard error.
 *
 * Does not cover what further evaluations would change (further-seeds.ts) or what follows (gate-compare.ts).
 */
import { normalNumbers } from './normal.ts';
import { draws, picksWithReplacement } from './random.ts';
import { type Estimate, type ProblemScore, quantile } from './statistics.ts';

export interface Comparable {
  readonly id: string;
  readonly mean: number;
  /** Null where only the mean of runs is known. */
  readonly problems: readonly ProblemScore[] | null;
  /** Of the mean; used where scores by problem are not known of all. */
  readonly standardError: number;
}

export interface AgainstBest {
  readonly id: string;
  /** To the highest, with the interval that is widened for all of them; all zero for the highest itself. */
  readonly fromBest: Estimate;
  readonly standardError: number;
  /** Share of the draws in which it has the highest mean. */
  readonly chanceOfBest: number;
}

export interface ComparisonWithBest {
  /** Of equal means the one that comes first. */
  readonly best: string;
  /** Standard errors on each side of a difference. */
  readonly critical: number;
  /** Highest first. */
  readonly lines: readonly AgainstBest[];
}

/**
 * Of at least one; ids are unique. The order in which they come matters for those of equal mean alone. `looks`: how many such comparisons
 * are read at once, which together are to be as sure as one.
 */
export function compareWithBest(candidates: readonly Comparable[], { looks = 1 } = {}): ComparisonWithBest {
  const drawn = drawnMeans(candidates);
  const { means, count } = drawn;
  const best = means.indexOf(Math.max(...means));
  const chances = chancesOfBest(drawn);
  const critical = criticalValue(drawn, looks);
  const lines = drawn.ids.map((id, index): AgainstBest => {
    const mean = (means[index] ?? 0) - (means[best] ?? 0);
    const standardError = index === best ? 0 : deviationOfDifference(drawn, index, best);
    const reach = count < 2 && index !== best ? 1 : critical * standardError;
    const fromBest = { mean, low: Math.max(-1, mean - reach), high: Math.min(1, mean + reach), n: count };
    return { id, fromBest, standardError, chanceOfBest: chances[index] ?? 0 };
  });
  lines.sort((a, b) => b.fromBest.mean - a.fromBest.mean);
  return { best: drawn.ids[best] ?? '', critical, lines };
}

/** Means of each candidate over all draws, and what they are drawn from. */
interface Drawn {
  readonly ids: readonly string[];
  readonly means: readonly number[];
  /** One row of `ids.length` means for each draw. */
  readonly rows: Float64Array;
  /** Problems that all have; draws of means of runs say as much as many of them. */
  readonly count: number;
}

function drawnMeans(candidates: readonly Comparable[]): Drawn {
  const byProblem = candidates.map(
    ({ problems }) => problems && new Map(problems.map((one) => [one.problem, one.score])),
  );
  const known = byProblem.flatMap((scores) => scores ?? []);
  return known.length < candidates.length ? drawRuns(candidates) : drawProblems(candidates, known);
}

function drawProblems(candidates: readonly Comparable[], scores: readonly ReadonlyMap<string, number>[]): Drawn {
  const [first = new Map<string, number>(), ...others] = scores;
  const common = [...first.keys()].filter((problem) => others.every((other) => other.has(problem))).sort();
  const n = common.length;
  const k = candidates.length;
  const pick = picksWithReplacement(n);
  const picks = new Uint32Array(draws * n);
  for (let at = 0; at < picks.length; at += 1) picks[at] = pick();
  const rows = new Float64Array(draws * k);
  const means = scores.map((own, one) => {
    const values = Float64Array.from(common, (problem) => own.get(problem) ?? 0);
    for (let draw = 0; draw < draws; draw += 1) rows[draw * k + one] = meanOfPicks(values, picks, draw);
    return values.reduce((sum, value) => sum + value, 0) / n;
  });
  return { ids: candidates.map(({ id }) => id), means, rows, count: n };
}

function meanOfPicks(values: Float64Array, picks: Uint32Array, draw: number): number {
  const n = values.length;
  let sum = 0;
  for (let at = draw * n; at < (draw + 1) * n; at += 1) sum += values[picks[at] as number] as number;
  return sum / n;
}

function drawRuns(candidates: readonly Comparable[]): Drawn {
  const next = normalNumbers(1);
  const means = candidates.map(({ mean }) => mean);
  const errors = candidates.map(({ standardError }) => standardError);
  const k = candidates.length;
  const rows = Float64Array.from(
    { length: draws * k },
    (_, at) => (means[at % k] ?? 0) + (errors[at % k] ?? 0) * next(),
  );
  return { ids: candidates.map(({ id }) => id), means, rows, count: Infinity };
}

function chancesOfBest({ ids, rows }: Drawn): readonly number[] {
  const k = ids.length;
  const wins = new Float64Array(k);
  for (let row = 0; row < rows.length; row += k) {
    const one = rows.subarray(row, row + k);
    const most = Math.max(...one);
    const winners = one.reduce((sum, mean) => sum + (mean === most ? 1 : 0), 0);
    one.forEach((mean, index) => {
      if (mean === most) wins[index] = (wins[index] ?? 0) + 1 / winners;
    });
  }
  return [...wins].map((won) => won / draws);
}

/** The quantile over draws, 95 % of one look, of the largest studentized difference of any two. */
function criticalValue(drawn: Drawn, looks: number): number {
  const { ids, means, rows } = drawn;
  const k = ids.length;
  const largest = new Float64Array(draws);
  for (let one = 0; one < k; one += 1) {
    for (let other = 0; other < one; other += 1) {
      const deviation = deviationOfDifference(drawn, one, other);
      if (deviation === 0) continue;
      const seen = (means[one] ?? 0) - (means[other] ?? 0);
      for (let draw = 0; draw < draws; draw += 1) {
        const difference = (rows[draw * k + one] ?? 0) - (rows[draw * k + other] ?? 0);
        largest[draw] = Math.max(largest[draw] ?? 0, Math.abs(difference - seen) / deviation);
      }
    }
  }
  return quantile(largest.sort(), 1 - 0.05 / looks);
}

function deviationOfDifference({ ids, means, rows, count }: Drawn, one: number, other: number): number {
  const k = ids.length;
  const centre = (means[one] ?? 0) - (means[other] ?? 0);
  let squares = 0;
  for (let row = 0; row < rows.length; row += k) {
    squares += ((rows[row + one] ?? 0) - (rows[row + other] ?? 0) - centre) ** 2;
  }
  // The bootstrap's own variance is that of n − 1 problems; differences that are equal on every problem leave rounding alone.
  const small = count < 2 || count === Infinity ? 1 : count / (count - 1);
  const deviation = Math.sqrt((small * squares) / draws);
  return deviation < 1e-12 ? 0 : deviation;
}
