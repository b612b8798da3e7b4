/**
 * The stages of a gate, each by itself: bounds let candidates pass, rank puts them in order.
 *
 * Covers one stage on the evidence there is. Does not cover whether more is worth having (gate.ts).
 */
import { type Scored, unfinishedShares } from './gate-evidence.ts';
import type { AtLeastReport, BoundLine, NotWorseReport, RankLine, RankReport, TieRule } from './gate-report.ts';
import { bootstrapMean, differenceOfMeans, type Estimate, pairedBootstrap } from './statistics.ts';

/** Passes whose difference to the parent is surely not below −margin; without a parent all pass. */
export function judgeNotWorse(
  candidates: readonly Scored[],
  parent: Scored | null,
  rule: { readonly benchmark: string; readonly margin: number },
): NotWorseReport {
  const lines = candidates.map((candidate) => {
    if (parent === null)
      return { ...lineOf(candidate), estimate: null, outcome: 'passed', decidedBy: 'no-parent' } as const;
    return boundLine(candidate, differenceOf(candidate, parent), -rule.margin);
  });
  const bound =
    parent === null
      ? null
      : { checkpoint: parent.checkpoint.id, score: parent.mean, seeds: parent.runs, ...unfinishedShares(parent) };
  return { stage: 'not-worse-than-parent', ...rule, parent: bound, lines };
}

export function judgeAtLeast(
  candidates: readonly Scored[],
  rule: { readonly benchmark: string; readonly score: number },
): AtLeastReport {
  const lines = candidates.map((candidate) => boundLine(candidate, estimateOf(candidate), rule.score));
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

/**
 * By mean; those whose difference to the leader is inside the noise are tied with it, and the tie rules order them. So are all where a
 * comparison on the same benchmark, which looks at all of them at once, could not tell them apart.
 */
export function judgeRank(
  candidates: readonly Scored[],
  rule: { readonly by: string; readonly tie: readonly TieRule[] },
  areTied = false,
): RankReport {
  const byScore = [...candidates].sort((a, b) => b.mean - a.mean || byTieRules(rule.tie)(rankLine(a), rankLine(b)));
  const leader = byScore[0];
  const lines = byScore.map((candidate) =>
    candidate === leader || leader === undefined ? rankLine(candidate) : behind(candidate, leader, areTied),
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

/** What is not known of one of them tells nothing. */
function tieDifference(rule: TieRule, a: RankLine, b: RankLine): number {
  switch (rule) {
    case 'tokens':
      return a.tokensPerSample === null || b.tokensPerSample === null ? 0 : a.tokensPerSample - b.tokensPerSample;
    case 'runtime':
      return typeof a.minutes === 'number' && typeof b.minutes === 'number' ? a.minutes - b.minutes : 0;
    case 'earlier':
      return a.step - b.step;
  }
}

function behind(candidate: Scored, leader: Scored, areTied: boolean): RankLine {
  const fromLeader = differenceOf(candidate, leader);
  return { ...rankLine(candidate), fromLeader, tied: areTied || fromLeader.high >= 0 };
}

function rankLine(candidate: Scored): RankLine {
  const { tokensPerSample, minutes } = candidate;
  return { ...lineOf(candidate), tokensPerSample, minutes, fromLeader: null, tied: true };
}

/** Over the same problems, where both have scores by problem. */
function differenceOf(one: Scored, other: Scored): Estimate {
  if (one.problems !== null && other.problems !== null) return pairedBootstrap(one.problems, other.problems);
  return differenceOfMeans(one, other);
}

function estimateOf(one: Scored): Estimate {
  if (one.problems !== null) return bootstrapMean(one.problems.map(({ score }) => score));
  return differenceOfMeans(one, { mean: 0, standardError: 0, n: one.n });
}

function boundLine(candidate: Scored, estimate: Estimate, limit: number): BoundLine {
  if (estimate.low >= limit) return { ...lineOf(candidate), estimate, outcome: 'passed', decidedBy: 'interval' };
  if (estimate.high < limit) return { ...lineOf(candidate), estimate, outcome: 'failed', decidedBy: 'interval' };
  return { ...lineOf(candidate), estimate, outcome: 'undecided', decidedBy: null };
}

function lineOf({ checkpoint, mean, runs, ...shares }: Scored) {
  return { checkpoint: checkpoint.id, step: checkpoint.step, score: mean, seeds: runs, ...unfinishedShares(shares) };
}
