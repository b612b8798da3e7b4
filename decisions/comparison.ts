/**
 * Two checkpoints on the same problems of one benchmark: the difference with its interval, and what went from right to wrong and back.
 *
 * Covers two. Does not cover several at once (comparison-with-best.ts), what follows (gate.ts) or printing.
 */
import type { Evaluation, ProblemOutcome } from './evaluation.ts';
import { evaluationsOf, type ScoreKey } from './scores.ts';
import { chanceOfHigher, type Estimate, mcnemar, mean, pairedBootstrap } from './statistics.ts';

/** Every difference is the second less the first. */
export interface Comparison {
  readonly benchmark: string;
  readonly version: number;
  /** That both have: everything here is over these alone. */
  readonly problems: number;
  /** That only one of them has. */
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly first: Side;
  readonly second: Side;
  readonly difference: Estimate;
  /** Share of draws of problems in which the second is higher; a tie counts half. Null with fewer than two problems. */
  readonly chanceOfHigher: number | null;
  /** Exact McNemar test, two-sided; null where a problem has more than one sample. */
  readonly mcnemar: number | null;
  readonly transitions: Transitions;
  /**
   * Problems that go from right to wrong, and as many back, from one sample of the first to another of the first: what luck alone moves.
   * Absent where that is not known: with one sample a problem, or votes.
   */
  readonly byLuck?: number;
  /** Problems are scored by their votes. Absent where the samples count by themselves. */
  readonly byVote?: true;
  /** Empty where the benchmark has no types. */
  readonly types: readonly TypeComparison[];
  /** Types that are not listed. */
  readonly typesOmitted: number;
  /**
   * Tokens and seconds per sample, as the mean over problems; null of fewer than two, of which no range is known, and where a side has none: another
   * harness may not have told them.
   */
  readonly tokens: Estimate | null;
  readonly seconds: Estimate | null;
  /** Whose share of right samples changed by half or more, the largest change first. */
  readonly moved: readonly MovedProblem[];
  /** Moved problems that are not listed. */
  readonly movedOmitted: number;
}

/** What is not compared of what both have. */
export interface NotCompared {
  /** Benchmarks that were left out. */
  readonly omitted: number;
  /** The same of those from outside. Older workers said neither this nor the next. */
  readonly outsideOmitted?: number;
  /** Benchmarks with their versions that both were evaluated on, with no problem in common. */
  readonly incomparable?: readonly string[];
}

export interface Side {
  readonly checkpoint: string;
  readonly seeds: number;
  readonly samples: number;
  readonly mean: number;
  readonly tokensPerSample: number;
  readonly secondsPerSample: number;
  readonly truncatedShare: number;
  /** Share of samples that were not done in time; absent where all were. */
  readonly timedOutShare?: number;
}

/**
 * Problems, first → second. With several samples a problem counts by shares, as if one sample of each were drawn: of 3 right of 4, then 1
 * of 4, it is 0.19 right → right, 0.56 right → wrong, 0.06 wrong → right and 0.19 wrong → wrong.
 */
export interface Transitions {
  readonly rightRight: number;
  readonly rightWrong: number;
  readonly wrongRight: number;
  readonly wrongWrong: number;
}

export interface TypeComparison {
  /** Null: of the problems without one. */
  readonly type: string | null;
  readonly problems: number;
  readonly first: number;
  readonly second: number;
  readonly difference: Estimate;
}

export interface MovedProblem {
  readonly problem: string;
  readonly type?: string;
  readonly first: Share;
  readonly second: Share;
}

interface Share {
  readonly samples: number;
  readonly correct: number;
}

/** One problem of one checkpoint, over all its seeds. */
interface Pooled extends Share {
  readonly problem: string;
  readonly type?: string;
  readonly tokens: number;
  readonly truncated: number;
  readonly timedOut: number;
  readonly seconds: number;
  /** Of its votes, where the benchmark is scored by them. */
  readonly voted: number | null;
}

interface Pair {
  readonly problem: string;
  readonly first: Pooled;
  readonly second: Pooled;
}

const mostMoved = 10;
const mostTypes = 30;
/** A problem moved when its share of right samples changed by this much. */
const moves = 0.5;

/** Null where they have no problem in common. */
export function compareTwo(
  evaluations: readonly Evaluation[],
  { first, second, ...key }: { first: string; second: string } & Omit<ScoreKey, 'checkpoint'>,
): Comparison | null {
  const seedsOf = (checkpoint: string) => evaluationsOf(evaluations, { checkpoint, ...key });
  const [firstSeeds, secondSeeds] = [seedsOf(first), seedsOf(second)];
  const [ofFirst, ofSecond] = [pooled(firstSeeds), pooled(secondSeeds)];
  const pairs = [...ofFirst.values()].flatMap((one): Pair[] => {
    const other = ofSecond.get(one.problem);
    return other === undefined ? [] : [{ problem: one.problem, first: one, second: other }];
  });
  if (pairs.length === 0) return null;
  const transitions = transitionsOf(pairs);
  const isSingle = pairs.every((pair) => pair.first.samples === 1 && pair.second.samples === 1);
  const moved = movedOf(pairs);
  const byLuck = movedByLuck(pairs);
  const types = typesOf(pairs);
  const costs = (valueOf: (one: Pooled) => number) => {
    const isTold = (['first', 'second'] as const).every((side) => pairs.some((pair) => valueOf(pair[side]) > 0));
    return pairs.length < 2 || !isTold ? null : differenceOf(pairs, valueOf);
  };
  return {
    ...key,
    problems: pairs.length,
    onlyFirst: ofFirst.size - pairs.length,
    onlySecond: ofSecond.size - pairs.length,
    first: sideOf(
      first,
      firstSeeds.length,
      pairs.map((pair) => pair.first),
    ),
    second: sideOf(
      second,
      secondSeeds.length,
      pairs.map((pair) => pair.second),
    ),
    difference: differenceOf(pairs, share),
    chanceOfHigher: chanceOfHigher(...scoresOf(pairs, share)),
    mcnemar: isSingle ? mcnemar(transitions.rightWrong, transitions.wrongRight) : null,
    transitions,
    ...(byLuck !== null && { byLuck }),
    ...(pairs.some(({ first: one, second: other }) => (one.voted ?? other.voted) !== null) && { byVote: true }),
    types: types.slice(0, mostTypes),
    typesOmitted: Math.max(0, types.length - mostTypes),
    tokens: costs((one) => perSample(one, one.tokens)),
    seconds: costs((one) => perSample(one, one.seconds)),
    moved: moved.slice(0, mostMoved),
    movedOmitted: Math.max(0, moved.length - mostMoved),
  };
}

/** By their names; of problems without a sample nothing is known. */
function pooled(evaluations: readonly Evaluation[]): Map<string, Pooled> {
  const outcomes = Map.groupBy(
    evaluations.flatMap((one) => one.problems),
    ({ problem }) => problem,
  );
  const all = [...outcomes].map(([problem, own]): Pooled => {
    const total = (field: 'samples' | 'correct' | 'tokens' | 'truncated' | 'seconds') =>
      own.reduce((sum, outcome) => sum + outcome[field], 0);
    return {
      problem,
      samples: total('samples'),
      correct: total('correct'),
      tokens: total('tokens'),
      truncated: total('truncated'),
      timedOut: own.reduce((sum, { timedOut }) => sum + (timedOut ?? 0), 0),
      seconds: total('seconds'),
      voted: mean(own.flatMap(({ voted }) => voted ?? [])),
      ...typeOf(own),
    };
  });
  const sampled = all.filter(({ samples }) => samples > 0).sort((a, b) => (a.problem < b.problem ? -1 : 1));
  return new Map(sampled.map((one) => [one.problem, one]));
}

function typeOf(outcomes: readonly Pick<ProblemOutcome, 'type'>[]): { readonly type?: string } {
  const type = outcomes.find((outcome) => outcome.type !== undefined)?.type;
  return type === undefined ? {} : { type };
}

const perSample = ({ samples }: Pooled, total: number): number => total / samples;
const share = (one: Pooled): number => one.voted ?? perSample(one, one.correct);

function scoresOf(pairs: readonly Pair[], valueOf: (one: Pooled) => number) {
  const scores = (side: 'first' | 'second') =>
    pairs.map((pair) => ({ problem: pair.problem, score: valueOf(pair[side]) }));
  return [scores('second'), scores('first')] as const;
}

function differenceOf(pairs: readonly Pair[], valueOf: (one: Pooled) => number): Estimate {
  return pairedBootstrap(...scoresOf(pairs, valueOf));
}

function sideOf(checkpoint: string, seeds: number, own: readonly Pooled[]): Side {
  const total = (valueOf: (one: Pooled) => number) => own.reduce((sum, one) => sum + valueOf(one), 0);
  const samples = total((one) => one.samples);
  const late = total((one) => one.timedOut);
  return {
    checkpoint,
    seeds,
    samples,
    mean: total(share) / own.length,
    tokensPerSample: total((one) => one.tokens) / samples,
    secondsPerSample: total((one) => one.seconds) / samples,
    truncatedShare: total((one) => one.truncated) / samples,
    ...(late > 0 && { timedOutShare: late / samples }),
  };
}

function transitionsOf(pairs: readonly Pair[]): Transitions {
  const total = (valueOf: (before: number, after: number) => number) =>
    pairs.reduce((sum, { first, second }) => sum + valueOf(share(first), share(second)), 0);
  return {
    rightRight: total((before, after) => before * after),
    rightWrong: total((before, after) => before * (1 - after)),
    wrongRight: total((before, after) => (1 - before) * after),
    wrongWrong: total((before, after) => (1 - before) * (1 - after)),
  };
}

/** Of two different samples of a problem, how often the one is right and the other wrong; null where it is not known of every problem. */
function movedByLuck(pairs: readonly Pair[]): number | null {
  if (pairs.some(({ first, second }) => first.samples < 2 || (first.voted ?? second.voted) !== null)) return null;
  return pairs.reduce((sum, { first: { samples, correct } }) => {
    return sum + (correct * (samples - correct)) / (samples * (samples - 1));
  }, 0);
}

/** The one with most problems first; nothing where no problem has a type. */
function typesOf(pairs: readonly Pair[]): readonly TypeComparison[] {
  const byType = Map.groupBy(pairs, ({ first, second }) => first.type ?? second.type ?? null);
  if ([...byType.keys()].every((type) => type === null)) return [];
  const rows = [...byType].map(([type, own]) => ({
    type,
    problems: own.length,
    first: mean(own.map((pair) => share(pair.first))) ?? 0,
    second: mean(own.map((pair) => share(pair.second))) ?? 0,
    difference: differenceOf(own, share),
  }));
  return rows.sort((a, b) => b.problems - a.problems || ((a.type ?? '') < (b.type ?? '') ? -1 : 1));
}

function movedOf(pairs: readonly Pair[]): readonly MovedProblem[] {
  const change = ({ first, second }: Pair) => Math.abs(share(second) - share(first));
  return pairs
    .filter((pair) => change(pair) >= moves)
    .sort((a, b) => change(b) - change(a) || (a.problem < b.problem ? -1 : 1))
    .map(({ problem, first, second }) => ({
      problem,
      ...typeOf([first, second]),
      first: { samples: first.samples, correct: first.correct },
      second: { samples: second.samples, correct: second.correct },
    }));
}
