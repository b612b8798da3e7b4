/**
 * Scores from outside as they are kept: what somebody told of a checkpoint on a benchmark, and what of it a gate counts with.
 *
 * A correction is a score of its own that names the one it stands for. Does not cover how a person writes it (score-entry.ts).
 */
import type { OutsideEvidence } from './outside-evidence.ts';

/** What is told; null where it is not. At least one of score, place and runtime is. */
export interface ToldScore {
  readonly checkpoint: string;
  readonly benchmark: string;
  readonly version: number;
  /** Mean over its runs, as a share. */
  readonly score: number | null;
  /** Problems of the benchmark; null only without a score. */
  readonly problems: number | null;
  readonly runs: number;
  /** Standard deviation of the score from run to run, as a share. */
  readonly deviation: number | null;
  /** Of the mean, as a share. */
  readonly standardError: number | null;
  /** On a leaderboard: 1 is the highest. */
  readonly place: number | null;
  /** Minutes of one run, or whether it kept the limit that the recipe names. */
  readonly runtime: number | 'kept' | 'missed' | null;
  /** Where it is from; empty where nobody said. */
  readonly source: string;
  /** Where another harness tells it. */
  readonly run?: HarnessRun;
}

/** It counts once on a benchmark, by its mean or by its parts. */
export interface HarnessRun {
  readonly tool: string;
  readonly task: string;
  readonly metric: string;
  /** Of the whole run. */
  readonly digest: string;
  readonly isWhole: boolean;
}

export interface OutsideScore extends ToldScore {
  /** Twelve hexadecimal digits: the same for whoever tells the same. */
  readonly id: string;
  readonly by: string;
  readonly note: string;
  /** The id of the score that this one stands for; null for one that corrects nothing. */
  readonly corrects: string | null;
  /** Another stands for it, of whichever checkpoint and benchmark that is. */
  readonly isCorrected?: true;
  /** Somebody took it back. */
  readonly isWithdrawn?: true;
  /** ISO 8601. */
  readonly at: string;
}

/** Those that count: what was corrected or withdrawn does not. */
export function standingScores(scores: readonly OutsideScore[]): readonly OutsideScore[] {
  const corrected = new Set(scores.map(({ corrects }) => corrects));
  return scores.filter(
    ({ id, isCorrected, isWithdrawn }) => isCorrected !== true && isWithdrawn !== true && !corrected.has(id),
  );
}

/** What stands for it in the end: itself where nobody corrected it. `scores`: with what corrects them, of whichever checkpoint. */
export function newestCorrection(score: OutsideScore, scores: readonly OutsideScore[]): OutsideScore {
  const later = scores.find(({ corrects }) => corrects === score.id);
  return later === undefined ? score : newestCorrection(later, scores);
}

/** What a gate counts with, of scores on one version of each benchmark. */
export function evidenceOfScores(scores: readonly OutsideScore[]): readonly OutsideEvidence[] {
  const standing = standingScores(scores);
  return [...standing.flatMap(evidenceOfScore), ...ordersOf(standing)];
}

function evidenceOfScore(told: OutsideScore): OutsideEvidence[] {
  const { checkpoint, benchmark, score, problems, runs, deviation, standardError, runtime } = told;
  const evidence: OutsideEvidence[] = [];
  if (score !== null && problems !== null) {
    const error = standardError === null ? {} : { standardError };
    evidence.push({ kind: 'runs', checkpoint, benchmark, problems, runs, mean: score, deviation, ...error });
  }
  if (typeof runtime === 'number') evidence.push({ kind: 'runtime', checkpoint, benchmark, minutes: runtime });
  else if (runtime !== null)
    evidence.push({ kind: 'within-runtime', checkpoint, benchmark, within: runtime === 'kept' });
  return evidence;
}

/** Of two that have a place each, and not both a score: numbers say more than places. */
function ordersOf(scores: readonly OutsideScore[]): OutsideEvidence[] {
  const isScored = ({ checkpoint, benchmark }: OutsideScore) =>
    scores.some((one) => one.checkpoint === checkpoint && one.benchmark === benchmark && one.score !== null);
  return scores.flatMap((higher) =>
    scores.flatMap((lower): OutsideEvidence[] => {
      const { benchmark } = higher;
      if (benchmark !== lower.benchmark || higher.place === null || lower.place === null) return [];
      if (higher.place >= lower.place || (isScored(higher) && isScored(lower))) return [];
      return [{ kind: 'order', benchmark, higher: higher.checkpoint, lower: lower.checkpoint }];
    }),
  );
}
