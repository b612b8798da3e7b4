/**
 * Who goes on when every stage has let somebody through, with the reason: the last stage that puts in order names it, else the newest does.
 *
 * Covers whose scores are shrunken together. What is promoted does not depend on that: it says what to expect of it.
 */
import type { CheckpointFact } from './evaluation.ts';
import { scored } from './gate-evidence.ts';
import type { CompareReport, GateVerdict, PromoteReason, RankReport, Shrunken, StageReport } from './gate-report.ts';
import { tieRuleBetween } from './gate-stages.ts';
import type { GateInput } from './gate-input.ts';
import { shrunkenScores } from './shrinkage.ts';

/** Those standing are in the order of the last stage that has one, else newest first. */
export function promotionOf(
  input: GateInput,
  standing: readonly CheckpointFact[],
  stages: readonly StageReport[],
): GateVerdict {
  const winner = standing[0];
  if (winner === undefined) return { kind: 'hold', because: { rule: 'no-candidates' }, stages };
  const order = stages.filter((report) => !saysNothing(report)).findLast((report) => putsInOrder(report));
  const score = scoreForPage(input, winner, order?.benchmark);
  const shrunken = order === undefined ? null : shrunkenWith(input, winner, { stages, benchmark: order.benchmark });
  const because = reasonOf(order, winner, { standing, stages });
  return { kind: 'promote', checkpoint: winner, score, ...(shrunken && { shrunken }), because, stages };
}

/**
 * At the first stage that puts in order by this benchmark, for there most are looked at: those that the noise might have lifted over the
 * rest. Null where that is the winner alone, or where it is not among them.
 */
function shrunkenWith(
  input: GateInput,
  winner: CheckpointFact,
  { stages, benchmark }: { readonly stages: readonly StageReport[]; readonly benchmark: string },
): Shrunken | null {
  const first = stages.find((report) => putsInOrder(report) && report.benchmark === benchmark);
  if (first === undefined || !putsInOrder(first)) return null;
  const withScore = first.lines.filter(({ score }) => score !== null);
  const inQuestion = withScore.filter(({ fromLeader }) => fromLeader === null || fromLeader.high >= 0);
  if (inQuestion.length < 2 || !inQuestion.some(({ checkpoint }) => checkpoint === winner.id)) return null;
  const facts = inQuestion.flatMap((line) => input.candidates.find(({ id }) => id === line.checkpoint) ?? []);
  const scores = scored(input, facts, benchmark).map(({ checkpoint, ...one }) => ({ id: checkpoint.id, ...one }));
  return { benchmark, lookedAt: withScore.length, scores: shrunkenScores(scores) };
}

function reasonOf(
  order: CompareReport | RankReport | undefined,
  winner: CheckpointFact,
  { standing, stages }: { readonly standing: readonly CheckpointFact[]; readonly stages: readonly StageReport[] },
): PromoteReason {
  if (stages.length === 0) return { rule: 'no-gate', step: winner.step };
  if (order?.stage === 'rank') return reasonOfRank(order, winner);
  const newest = { rule: 'newest', step: winner.step, passed: standing.length } as const;
  return order === undefined ? newest : (reasonOfCompare(order, winner, standing) ?? newest);
}

/** It was to put in order, and nothing was known of anybody: all go on. */
export function saysNothing(report: StageReport): boolean {
  return putsInOrder(report) && report.lines.length === 0;
}

function putsInOrder(report: StageReport): report is CompareReport | RankReport {
  return report.stage === 'rank' || report.stage === 'compare';
}

/** Null where those ahead of it missed a later limit and it is the last one. */
function reasonOfCompare(
  { benchmark, lines }: CompareReport,
  winner: CheckpointFact,
  standing: readonly CheckpointFact[],
): PromoteReason | null {
  const own = lines.find((line) => line.checkpoint === winner.id);
  const score = own?.score ?? null;
  if (own !== lines[0]) {
    return standing.length === 1 ? null : { rule: 'highest-of-undecided', benchmark, score, among: standing.length };
  }
  const inQuestion = lines.filter((line) => line.outcome !== 'below');
  if (inQuestion.length > 1) return { rule: 'highest-of-undecided', benchmark, score, among: inQuestion.length };
  const next = lines.find((line) => line !== own && line.score !== null);
  return {
    rule: 'highest',
    benchmark,
    score,
    next: next === undefined ? null : { checkpoint: next.checkpoint, score: next.score ?? 0 },
  };
}

function reasonOfRank(rank: RankReport, winner: CheckpointFact): PromoteReason {
  const line = rank.lines.find((one) => one.checkpoint === winner.id);
  const others = rank.lines.filter((one) => one.checkpoint !== winner.id);
  const rival = others.find((one) => one.tied);
  const { benchmark } = rank;
  if (line === undefined || rival === undefined) {
    return { rule: 'highest', benchmark, score: line?.score ?? null, next: others[0] ?? null };
  }
  const among = rank.lines.filter((one) => one.tied).length;
  return { rule: 'tie', by: tieRuleBetween(rank.tie, line, rival), benchmark, among };
}

/** On the benchmark that puts in order, else on the first; null where it was not evaluated. */
function scoreForPage(input: GateInput, checkpoint: CheckpointFact, ordering?: string): number | null {
  const benchmark = ordering ?? input.evaluate.benchmarks[0];
  return benchmark === undefined ? null : (scored(input, [checkpoint], benchmark)[0]?.mean ?? null);
}
