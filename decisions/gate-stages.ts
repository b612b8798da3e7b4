/**
 * The stages of a gate, each by itself: bounds let candidates pass, rank puts them in order.
 *
 * Covers one stage on the evidence there is. Does not cover whether more is worth having (gate.ts).
 */
import type { CheckpointFact } from './evaluation.ts';
import type { AtLeastReport, BoundLine, NotWorseReport, RankLine, RankReport, TieRule } from './gate-report.ts';
import type { PooledScore } from './scores.ts';
import { bootstrapMean, type Estimate, pairedBootstrap } from './statistics.ts';

/** A checkpoint with its score on the benchmark of a stage. */
export interface Scored {
  readonly checkpoint: CheckpointFact;
  readonly score: PooledScore;
}

/** Passes whose difference to the parent is surely not below −margin; without a parent all pass. */
export function judgeNotWorse(
  candidates: readonly Scored[],
  parent: Scored | null,
  rule: { readonly benchmark: string; readonly margin: number },
): NotWorseReport {
  const lines = candidates.map((candidate) => {
    if (parent === null)
      return { ...lineOf(candidate), estimate: null, outcome: 'passed', decidedBy: 'no-parent' } as const;
    const difference = pairedBootstrap(candidate.score.problems, parent.score.problems);
    return boundLine(candidate, difference, -rule.margin);
  });
  const bound =
    parent === null
      ? null
      : { checkpoint: parent.checkpoint.id, score: parent.score.mean, seeds: parent.score.seeds.length };
  return { stage: 'not-worse-than-parent', ...rule, parent: bound, lines };
}

export function judgeAtLeast(
  candidates: readonly Scored[],
  rule: { readonly benchmark: string; readonly score: number },
): AtLeastReport {
  const lines = candidates.map((candidate) =>
    boundLine(candidate, bootstrapMean(candidate.score.problems.map((one) => one.score)), rule.score),
  );
  return { stage: 'score-at-least', benchmark: rule.benchmark, atLeast: rule.score, lines };
}

/** What the point estimate says of those that the interval leaves open. */
export function decideOpenLines<R extends NotWorseReport | AtLeastReport>(report: R): R {
  const limit = report.stage === 'score-at-least' ? report.atLeast : -report.margin;
  const lines = report.lines.map((line): BoundLine => {
    if (line.outcome !== 'undecided') return line;
    const passed = line.estimate !== null && line.estimate.mean >= limit;
    return { ...line, outcome: passed ? 'passed' : 'failed', decidedBy: 'point-estimate' };
  });
  return { ...report, lines };
}

/** By mean; those whose difference to the leader is inside the noise are tied with it, and the tie rules order them. */
export function judgeRank(
  candidates: readonly Scored[],
  rule: { readonly by: string; readonly tie: readonly TieRule[] },
): RankReport {
  const byScore = [...candidates].sort(
    (a, b) => b.score.mean - a.score.mean || byTieRules(rule.tie)(rankLine(a), rankLine(b)),
  );
  const leader = byScore[0];
  const lines = byScore.map((candidate) =>
    candidate === leader || leader === undefined ? rankLine(candidate) : behind(candidate, leader),
  );
  const tied = lines.filter((line) => line.tied).sort(byTieRules(rule.tie));
  return { stage: 'rank', benchmark: rule.by, tie: rule.tie, lines: [...tied, ...lines.filter((line) => !line.tied)] };
}

/** The first tie rule that tells two apart; two that none tells apart are told apart by step and id, so that order is total. */
export function tieRuleBetween(rules: readonly TieRule[], a: RankLine, b: RankLine): TieRule {
  return rules.find((rule) => tieDifference(rule, a, b) !== 0) ?? 'earlier';
}

function byTieRules(rules: readonly TieRule[]) {
  return (a: RankLine, b: RankLine): number => {
    for (const rule of rules) {
      const difference = tieDifference(rule, a, b);
      if (difference !== 0) return difference;
    }
    return a.step - b.step || (a.checkpoint < b.checkpoint ? -1 : 1);
  };
}

function tieDifference(rule: TieRule, a: RankLine, b: RankLine): number {
  return rule === 'tokens' ? a.tokensPerSample - b.tokensPerSample : a.step - b.step;
}

function behind(candidate: Scored, leader: Scored): RankLine {
  const fromLeader = pairedBootstrap(candidate.score.problems, leader.score.problems);
  return { ...rankLine(candidate), fromLeader, tied: fromLeader.high >= 0 };
}

function rankLine(candidate: Scored): RankLine {
  return { ...lineOf(candidate), tokensPerSample: candidate.score.tokensPerSample, fromLeader: null, tied: true };
}

function boundLine(candidate: Scored, estimate: Estimate, limit: number): BoundLine {
  if (estimate.low >= limit) return { ...lineOf(candidate), estimate, outcome: 'passed', decidedBy: 'interval' };
  if (estimate.high < limit) return { ...lineOf(candidate), estimate, outcome: 'failed', decidedBy: 'interval' };
  return { ...lineOf(candidate), estimate, outcome: 'undecided', decidedBy: null };
}

function lineOf({ checkpoint, score }: Scored) {
  return { checkpoint: checkpoint.id, step: checkpoint.step, score: score.mean, seeds: score.seeds.length };
}
