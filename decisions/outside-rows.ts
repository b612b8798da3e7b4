/**
 * Scores from outside as a leaderboard and a comparison show them: all runs of a checkpoint on one version of a benchmark together, as a
 * gate counts them. Where the spread from run to run counts, it is that of the checkpoints that are shown, and a gate's that of its candidates.
 *
 * Does not cover evaluations (leaderboard.ts, comparison.ts): these have no outcome per problem, so that nothing is paired.
 */
import { compareText } from './compare-text.ts';
import type { CheckpointFact } from './evaluation.ts';
import { type OutsideRuns, outsideRunsOf } from './outside-evidence.ts';
import { evidenceOfScores, type OutsideScore, standingScores } from './outside-score.ts';
import { differenceOfMeans, type Estimate, wilson } from './statistics.ts';

export interface OutsideRow {
  readonly phase: string;
  readonly step: number;
  readonly checkpoint: string;
  readonly benchmark: string;
  readonly version: number;
  /** Null where only a place or a runtime is told. */
  readonly score: OutsideMean | null;
  /** On a leaderboard, the best that was told; null where none was. */
  readonly place: number | null;
  /** Minutes of the longest run, or whether all kept the limit; null where nobody told. */
  readonly runtime: number | 'kept' | 'missed' | null;
  /** Where it is from, each once, the oldest first. */
  readonly sources: readonly string[];
  /** Older ones that were left out, so that what is told stays small; absent: none. */
  readonly sourcesOmitted?: number;
}

export interface OutsideMean {
  /** Over all runs, as a share, with its 95 % interval. */
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly runs: number;
  readonly problems: number;
}

/** Two checkpoints on one benchmark: the difference of their means, which is not over the same problems one by one. */
export interface OutsideComparison {
  readonly benchmark: string;
  readonly version: number;
  readonly first: OutsideMean;
  readonly second: OutsideMean;
  /** The second less the first. */
  readonly difference: Estimate;
}

type Named = Pick<CheckpointFact, 'id' | 'phase' | 'step'>;

/** In the order of the checkpoints, then by benchmark. What was corrected does not count. */
export function outsideRows(checkpoints: readonly Named[], scores: readonly OutsideScore[]): readonly OutsideRow[] {
  const standing = standingScores(scores);
  return checkpoints.flatMap(({ id, phase, step }) => {
    const own = Map.groupBy(
      standing.filter(({ checkpoint }) => checkpoint === id),
      textOf,
    );
    return [...own.values()]
      .map((told) => rowOf({ checkpoint: id, phase, step }, { told, standing }))
      .sort((a, b) => compareText(a.benchmark, b.benchmark) || a.version - b.version);
  });
}

/** On each benchmark and version that both have a score on. */
export function compareOutside(
  scores: readonly OutsideScore[],
  { first, second }: { readonly first: string; readonly second: string },
): readonly OutsideComparison[] {
  const standing = standingScores(scores);
  const benchmarks = [...Map.groupBy(standing, textOf).values()].flatMap((told) => told[0] ?? []);
  return benchmarks.flatMap(({ benchmark, version }): OutsideComparison[] => {
    const [one, other] = [first, second].map((checkpoint) => runsOf(standing, { checkpoint, benchmark, version }));
    if (!one || !other) return [];
    const difference = differenceOfMeans({ ...other, n: other.problems }, { ...one, n: one.problems });
    return [{ benchmark, version, first: meanOf(one), second: meanOf(other), difference }];
  });
}

interface Key {
  readonly checkpoint: string;
  readonly benchmark: string;
  readonly version: number;
}

function rowOf(
  of: Pick<OutsideRow, 'checkpoint' | 'phase' | 'step'>,
  { told, standing }: { readonly told: readonly OutsideScore[]; readonly standing: readonly OutsideScore[] },
): OutsideRow {
  const { benchmark = '', version = 1 } = told[0] ?? {};
  const runs = runsOf(standing, { checkpoint: of.checkpoint, benchmark, version });
  const places = told.flatMap(({ place }) => place ?? []);
  return {
    ...{ ...of, benchmark, version },
    score: runs === null ? null : meanOf(runs),
    place: places.length === 0 ? null : Math.min(...places),
    runtime: runtimeOf(told),
    sources: [...new Set(told.map(({ source }) => source))].filter((source) => source !== ''),
  };
}

function runsOf(standing: readonly OutsideScore[], { checkpoint, benchmark, version }: Key): OutsideRuns | null {
  const evidence = evidenceOfScores(standing.filter((one) => textOf(one) === textOf({ benchmark, version })));
  return outsideRunsOf(evidence, { checkpoint, benchmark });
}

/** Wilson's interval of as many answers as have this error: of all right it is not a point. */
function meanOf({ mean, runs, problems, standardError }: OutsideRuns): OutsideMean {
  const variance = mean * (1 - mean);
  const answers = variance > 0 ? variance / standardError ** 2 : problems * runs;
  return { mean, ...wilson(mean * answers, answers), runs, problems };
}

function runtimeOf(told: readonly OutsideScore[]): OutsideRow['runtime'] {
  const minutes = told.flatMap(({ runtime }) => (typeof runtime === 'number' ? [runtime] : []));
  if (minutes.length > 0) return Math.max(...minutes);
  const words = told.flatMap(({ runtime }) => (typeof runtime === 'string' ? [runtime] : []));
  if (words.length === 0) return null;
  return words.includes('missed') ? 'missed' : 'kept';
}

const textOf = ({ benchmark, version }: Pick<Key, 'benchmark' | 'version'>) => `${benchmark}@${String(version)}`;
