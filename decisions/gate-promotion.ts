/** Who goes on when every stage has let somebody through, with the reason: the last stage that puts in order names it, else the newest does. */
import type { CheckpointFact } from './evaluation.ts';
import { scored } from './gate-evidence.ts';
import type { CompareReport, GateVerdict, PromoteReason, RankReport, StageReport } from './gate-report.ts';
import { tieRuleBetween } from './gate-stages.ts';
import type { GateInput } from './gate-input.ts';

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
  return { kind: 'promote', checkpoint: winner, score, because: reasonOf(order, winner, { standing, stages }), stages };
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
