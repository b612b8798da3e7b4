/**
 * Which candidate goes on: evaluations → verdict. The same evidence gives the same verdict, in whatever order it arrived.
 *
 * Covers the stages in order, what is missing to decide, and the budget for it. Does not cover the numbers of a stage
 * (gate-stages.ts, gate-compare.ts, gate-runtime.ts), which evaluations count (gate-evidence.ts), which scores from outside are lacking
 * (gate-lacking.ts), which checkpoints are evaluated, or what follows a rejection (`onReject`, workflows/).
 */
import type { GateStage } from '../configs/schema.ts';
import type { CheckpointFact, EvaluationKey } from './evaluation.ts';
import { judgeCompare, worthOneMoreSeed } from './gate-compare.ts';
import { lackingScores, orderOfNothing } from './gate-lacking.ts';
import {
  type CheckpointOnBenchmark,
  inOrder,
  isEvaluated,
  lackingProblems,
  missingSeeds,
  refuseEmptyEvaluations,
  scored,
} from './gate-evidence.ts';
import type { GateInput } from './gate-input.ts';
import { promotionOf, saysNothing } from './gate-promotion.ts';
import type {
  AtLeastReport,
  CompareReport,
  GateVerdict,
  MoreReason,
  NotWorseReport,
  StageReport,
} from './gate-report.ts';
import { judgeRuntime } from './gate-runtime.ts';
import { decideOpenLines, judgeAtLeast, judgeNotWorse, judgeRank } from './gate-stages.ts';
import { benchmarkOf } from './stage-benchmark.ts';

export type { GateInput } from './gate-input.ts';
export type * from './gate-report.ts';

export function judgeGate(input: GateInput): GateVerdict {
  const candidates = [...input.candidates].sort(newestFirst);
  const newest = candidates[0];
  if (newest === undefined) return { kind: 'hold', because: { rule: 'no-candidates' }, stages: [] };
  if (input.stages.length === 0) {
    return promotionOf(input, candidates, []);
  }
  refuseEmptyEvaluations(input);
  const needed = evaluatedPairs(input);
  const missing = inOrder(needed.flatMap((pair) => missingSeeds(input, pair, input.evaluate.seeds)));
  if (missing.length > 0 && missing.length > input.evaluationBudgetLeft) {
    const because = { rule: 'evaluation-budget', missing: missing.length, left: input.evaluationBudgetLeft } as const;
    return { kind: 'hold', because, stages: [] };
  }
  if (missing.length > 0) {
    return more(missing, { rule: 'first-seeds', seeds: input.evaluate.seeds, missing: missing.length }, []);
  }
  const [lacking] = needed.flatMap((pair) => lackingProblems(input, pair, input.evaluate.seeds) ?? []);
  if (lacking !== undefined) return { kind: 'hold', because: { rule: 'lacking-problems', ...lacking }, stages: [] };
  return throughStages(input, candidates);
}

/** Each stage looks at those that the stages before let through. */
function throughStages(input: GateInput, candidates: readonly CheckpointFact[]): GateVerdict {
  const stages: StageReport[] = [];
  let standing = candidates;
  for (const stage of input.stages) {
    const lacking = lackingScores(input, stage, { standing, place: stages.length });
    if (lacking !== null) return { kind: 'hold', because: { rule: 'outside-scores', ...lacking }, stages };
    const { report: judged, ask, asksElsewhere } = judgeStage(input, stage, { standing, stages });
    const report = withVote(input, judged);
    stages.push(report);
    if (saysNothing(report)) continue;
    if (ask.length > 0 || asksElsewhere === true) return more(ask, undecided(report, ask.length), stages);
    if (report.stage === 'compare' && needsPerson(report, isReleased(input, report, stages.length - 1))) {
      const because = { rule: 'undecided', benchmark: report.benchmark, contenders: contendersOf(report) } as const;
      return { kind: 'hold', because, stages };
    }
    const before = standing.length;
    standing = passedIds(report).flatMap((id) => standing.find((candidate) => candidate.id === id) ?? []);
    if (standing.length === 0) {
      return { kind: 'reject', because: { rule: 'none-passed', stage: stages.length - 1, candidates: before }, stages };
    }
  }
  return promotionOf(input, standing, stages);
}

/** With how its benchmark's problems are scored, where that is by a vote. */
function withVote({ votes = {} }: GateInput, report: StageReport): StageReport {
  const vote = votes[report.benchmark];
  return vote === undefined || report.stage === 'runtime-at-most' ? report : { ...report, vote };
}

function needsPerson(report: CompareReport, released: boolean): boolean {
  if (report.by === 'mean' || report.undecided !== 'hold' || released) return false;
  return contendersOf(report).length > 1;
}

/** Of this very stage, with nobody in question who was not: whoever released another hold has not seen this one. */
function isReleased({ releases = [] }: GateInput, report: CompareReport, stage: number): boolean {
  const inQuestion = contendersOf(report);
  return releases.some(
    (one) => one.stage === stage && inQuestion.every((checkpoint) => one.contenders.includes(checkpoint)),
  );
}

interface StageAnswer {
  readonly report: StageReport;
  /** Evaluations that may decide what the report leaves open; empty when there is nothing open or nothing to be had. */
  readonly ask: readonly EvaluationKey[];
  /** Only runs elsewhere would decide. */
  readonly asksElsewhere?: boolean;
}

interface Reached {
  readonly standing: readonly CheckpointFact[];
  readonly stages: readonly StageReport[];
}

function judgeStage(input: GateInput, stage: GateStage, { standing, stages }: Reached): StageAnswer {
  const nothing = orderOfNothing(input, stage, standing);
  if (nothing !== null) return { report: nothing, ask: [] };
  if ('compare' in stage) return compare(input, stage.compare, { standing, stages });
  if ('rank' in stage) {
    const { by } = stage.rank;
    const areTied = stages.some((one) => one.stage === 'compare' && one.by === 'evidence' && one.benchmark === by);
    return { report: judgeRank(scored(input, standing, by), stage.rank, areTied), ask: [] };
  }
  const rule = stage.require;
  if ('runtimeAtMost' in rule) return { report: judgeRuntime(input, standing, rule.runtimeAtMost), ask: [] };
  if ('scoreAtLeast' in rule) {
    const { benchmark } = rule.scoreAtLeast;
    return askOrDecide(input, judgeAtLeast(scored(input, standing, benchmark), rule.scoreAtLeast), null);
  }
  const { benchmark } = rule.notWorseThanParent;
  const parent = input.parent === null ? null : (scored(input, [input.parent], benchmark)[0] ?? null);
  return askOrDecide(
    input,
    judgeNotWorse(scored(input, standing, benchmark), parent, rule.notWorseThanParent),
    input.parent,
  );
}

/** One more seed for those in question while it is worth it, can be had and all of it is within the budget. */
function compare(
  input: GateInput,
  rule: Extract<GateStage, { compare: unknown }>['compare'],
  { standing, stages }: Reached,
): StageAnswer {
  const { benchmark } = rule;
  const scores = scored(input, standing, benchmark);
  const judged = judgeCompare(rule, { standing, scores, outside: input.outside ?? [] });
  const { report } = judged;
  if (rule.by === 'mean' || contendersOf(report).length < 2) return { report, ask: [] };
  const released = isReleased(input, report, stages.length);
  if (!isEvaluated(input, benchmark)) return { report, ask: [], asksElsewhere: !released };
  if (released && rule.undecided === 'hold') return { report, ask: [] };
  const lacking = (checkpoint: string) => missingSeeds(input, { checkpoint, benchmark }, input.evaluate.maxSeeds);
  const asked = worthOneMoreSeed(judged, (checkpoint) => lacking(checkpoint).length);
  const ask = asked.flatMap((checkpoint) => lacking(checkpoint).slice(0, 1));
  return { report, ask: ask.length <= input.evaluationBudgetLeft ? inOrder(ask) : [] };
}

/** One more seed for the open ones and their bound while there is one to be had; then the point estimate decides. */
function askOrDecide(
  input: GateInput,
  report: NotWorseReport | AtLeastReport,
  bound: CheckpointFact | null,
): StageAnswer {
  const open = report.lines.filter((line) => line.outcome === 'undecided').map((line) => line.checkpoint);
  if (open.length === 0) return { report, ask: [] };
  const ids = bound === null ? open : [...open, bound.id];
  const ask = isEvaluated(input, report.benchmark)
    ? ids.flatMap((checkpoint) =>
        missingSeeds(input, { checkpoint, benchmark: report.benchmark }, input.evaluate.maxSeeds).slice(0, 1),
      )
    : [];
  if (ask.length > 0 && ask.length <= input.evaluationBudgetLeft) return { report, ask: inOrder(ask) };
  return { report: decideOpenLines(report), ask: [] };
}

/** What needs its first seeds: every candidate on every benchmark, and the parent where a stage bounds by it. */
function evaluatedPairs(input: GateInput): readonly CheckpointOnBenchmark[] {
  const bounds = input.stages.flatMap((stage) =>
    'require' in stage && 'notWorseThanParent' in stage.require ? [stage.require.notWorseThanParent.benchmark] : [],
  );
  const judged = [...input.evaluate.benchmarks, ...input.stages.map(benchmarkOf)];
  const used = new Set(judged.filter((benchmark) => isEvaluated(input, benchmark)));
  return [
    ...input.candidates.flatMap(({ id }) => [...used].map((benchmark) => ({ checkpoint: id, benchmark }))),
    ...(input.parent === null ? [] : [...new Set(bounds)].filter((benchmark) => used.has(benchmark))).map(
      (benchmark) => ({
        checkpoint: input.parent?.id ?? '',
        benchmark,
      }),
    ),
  ];
}

/** Rank lets through those that are tied with the leader, best first; a comparison those in question, or the highest of them. */
function passedIds(report: StageReport): readonly string[] {
  switch (report.stage) {
    case 'rank':
      return report.lines.filter((line) => line.tied).map((line) => line.checkpoint);
    case 'compare':
      if (report.by === 'mean' || report.undecided === 'tie') return contendersOf(report);
      return contendersOf(report).slice(0, 1);
    case 'not-worse-than-parent':
    case 'score-at-least':
    case 'runtime-at-most':
      return report.lines.filter((line) => line.outcome === 'passed').map((line) => line.checkpoint);
  }
}

function contendersOf(report: CompareReport): readonly string[] {
  return report.lines.filter((line) => line.outcome !== 'below').map((line) => line.checkpoint);
}

function more(missing: readonly EvaluationKey[], because: MoreReason, stages: readonly StageReport[]): GateVerdict {
  return { kind: 'more-evaluations', missing, because, stages };
}

function undecided(report: StageReport, missing: number): MoreReason {
  const open = report.lines.filter(
    (line) => 'outcome' in line && ['undecided', 'highest', 'tied'].includes(line.outcome),
  );
  return { rule: 'undecided', benchmark: report.benchmark, contenders: open.map((line) => line.checkpoint), missing };
}

function newestFirst(a: CheckpointFact, b: CheckpointFact): number {
  return b.step - a.step || (a.id < b.id ? 1 : -1);
}
