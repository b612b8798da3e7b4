/**
 * Which candidate goes on: evaluations → verdict. The same evidence gives the same verdict, in whatever order it arrived.
 *
 * Covers the stages in order, what is missing to decide, and the budget for it. Does not cover the numbers of a stage
 * (gate-stages.ts), which checkpoints are evaluated, or what follows a rejection (`onReject`, workflows/).
 */
import type { GateStage } from '../configs/schema.ts';
import { TemperError } from './errors.ts';
import type { CheckpointFact, Evaluation, EvaluationKey } from './evaluation.ts';
import type { GateVerdict, MoreReason, PromoteReason, RankReport, StageReport } from './gate-report.ts';
import { decideOpenLines, judgeAtLeast, judgeNotWorse, judgeRank, type Scored, tieRuleBetween } from './gate-stages.ts';
import { scoreOf } from './scores.ts';

export type * from './gate-report.ts';

export interface GateInput {
  readonly stages: readonly GateStage[];
  /** As the phase says; seeds are the numbers 1 to `seeds`, and up to `maxSeeds` where the evidence does not decide. */
  readonly evaluate: { readonly benchmarks: readonly string[]; readonly seeds: number; readonly maxSeeds: number };
  /** The phase's own checkpoints that are to be evaluated. */
  readonly candidates: readonly CheckpointFact[];
  /** What the phase started from: a bound, never a candidate. */
  readonly parent: CheckpointFact | null;
  readonly evaluations: readonly Evaluation[];
  /** Version of each benchmark: evaluations of another version do not count. */
  readonly versions: Readonly<Record<string, number>>;
  /** Evaluations that the pipeline may still spend. */
  readonly evaluationBudgetLeft: number;
}

export function judgeGate(input: GateInput): GateVerdict {
  const candidates = [...input.candidates].sort(newestFirst);
  const newest = candidates[0];
  if (newest === undefined) return { kind: 'hold', because: { rule: 'no-candidates' }, stages: [] };
  if (input.stages.length === 0) {
    const because = { rule: 'no-gate', step: newest.step } as const;
    return { kind: 'promote', checkpoint: newest, score: scoreForPage(input, newest), because, stages: [] };
  }
  refuseEmptyEvaluations(input);
  const missing = missingFirstSeeds(input);
  if (missing.length > 0 && missing.length > input.evaluationBudgetLeft) {
    const because = { rule: 'evaluation-budget', missing: missing.length, left: input.evaluationBudgetLeft } as const;
    return { kind: 'hold', because, stages: [] };
  }
  if (missing.length > 0) {
    return more(missing, { rule: 'first-seeds', seeds: input.evaluate.seeds, missing: missing.length }, []);
  }
  return throughStages(input, candidates);
}

/** Each stage looks at those that the stages before let through. */
function throughStages(input: GateInput, candidates: readonly CheckpointFact[]): GateVerdict {
  const stages: StageReport[] = [];
  let standing = candidates;
  for (const stage of input.stages) {
    const answer = judgeStage(input, stage, standing);
    stages.push(answer.report);
    if (answer.ask.length > 0) {
      return more(answer.ask, undecided(answer.report, answer.ask.length), stages);
    }
    const passed = passedIds(answer.report);
    const before = standing.length;
    standing = passed.flatMap((id) => standing.find((candidate) => candidate.id === id) ?? []);
    if (standing.length === 0) {
      return { kind: 'reject', because: { rule: 'none-passed', stage: stages.length - 1, candidates: before }, stages };
    }
  }
  return promoted(input, standing, stages);
}

interface StageAnswer {
  readonly report: StageReport;
  /** Evaluations that may decide what the report leaves open; empty when there is nothing open or nothing to be had. */
  readonly ask: readonly EvaluationKey[];
}

function judgeStage(input: GateInput, stage: GateStage, standing: readonly CheckpointFact[]): StageAnswer {
  if ('rank' in stage) return { report: judgeRank(scored(input, standing, stage.rank.by), stage.rank), ask: [] };
  const rule = stage.require;
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

/** One more seed for the open ones and their bound while there is one to be had; then the point estimate decides. */
function askOrDecide(
  input: GateInput,
  report: Exclude<StageReport, RankReport>,
  bound: CheckpointFact | null,
): StageAnswer {
  const open = report.lines.filter((line) => line.outcome === 'undecided').map((line) => line.checkpoint);
  if (open.length === 0) return { report, ask: [] };
  const ids = bound === null ? open : [...open, bound.id];
  const ask = ids.flatMap((checkpoint) =>
    missingSeeds(input, { checkpoint, benchmark: report.benchmark }, input.evaluate.maxSeeds).slice(0, 1),
  );
  if (ask.length > 0 && ask.length <= input.evaluationBudgetLeft) return { report, ask: inOrder(ask) };
  return { report: decideOpenLines(report), ask: [] };
}

/** The numbers that every candidate needs on every benchmark, and the parent where a stage bounds by it. */
function missingFirstSeeds(input: GateInput): readonly EvaluationKey[] {
  const bounds = input.stages.flatMap((stage) =>
    'require' in stage && 'notWorseThanParent' in stage.require ? [stage.require.notWorseThanParent.benchmark] : [],
  );
  const used = new Set([...input.evaluate.benchmarks, ...input.stages.map(benchmarkOf)]);
  const pairs = [
    ...input.candidates.flatMap(({ id }) => [...used].map((benchmark) => ({ checkpoint: id, benchmark }))),
    ...(input.parent === null ? [] : [...new Set(bounds)]).map((benchmark) => ({
      checkpoint: input.parent?.id ?? '',
      benchmark,
    })),
  ];
  return inOrder(pairs.flatMap((pair) => missingSeeds(input, pair, input.evaluate.seeds)));
}

function missingSeeds(
  input: GateInput,
  pair: { readonly checkpoint: string; readonly benchmark: string },
  upTo: number,
): readonly EvaluationKey[] {
  const version = versionOf(input, pair.benchmark);
  const present = new Set(scoreOf(input.evaluations, { ...pair, version })?.seeds);
  const seeds = Array.from({ length: upTo }, (_, index) => index + 1);
  return seeds.filter((seed) => !present.has(seed)).map((seed) => ({ ...pair, version, seed }));
}

/** Such a one would be asked for again and again, and its key is taken. */
function refuseEmptyEvaluations(input: GateInput): void {
  const empty = input.evaluations.find((one) => one.problems.length === 0);
  if (empty === undefined) return;
  const { checkpoint, benchmark, seed } = empty;
  throw new TemperError(
    'ledger-conflict',
    `the evaluation of ${checkpoint} on ${benchmark} with seed ${seed} has no problem`,
  );
}

function promoted(input: GateInput, standing: readonly CheckpointFact[], stages: readonly StageReport[]): GateVerdict {
  const rank = stages.findLast((report) => report.stage === 'rank');
  const winner = standing[0];
  if (winner === undefined) return { kind: 'hold', because: { rule: 'no-candidates' }, stages };
  const score = scoreForPage(input, winner, rank?.benchmark);
  const because = rank === undefined ? newestOf(winner, standing.length) : reasonOfRank(rank, winner);
  return { kind: 'promote', checkpoint: winner, score, because, stages };
}

/** On the benchmark that ranks, else on the first; null where it was not evaluated. */
function scoreForPage(input: GateInput, checkpoint: CheckpointFact, ranking?: string): number | null {
  const benchmark = ranking ?? input.evaluate.benchmarks[0];
  return benchmark === undefined ? null : (scored(input, [checkpoint], benchmark)[0]?.score.mean ?? null);
}

function newestOf(winner: CheckpointFact, passed: number): PromoteReason {
  return { rule: 'newest', step: winner.step, passed };
}

function reasonOfRank(rank: RankReport, winner: CheckpointFact): PromoteReason {
  const line = rank.lines.find((one) => one.checkpoint === winner.id);
  const others = rank.lines.filter((one) => one.checkpoint !== winner.id);
  const rival = others.find((one) => one.tied);
  const { benchmark } = rank;
  if (line === undefined || rival === undefined) {
    return { rule: 'highest', benchmark, score: line?.score ?? 0, next: others[0] ?? null };
  }
  const among = rank.lines.filter((one) => one.tied).length;
  return { rule: 'tie', by: tieRuleBetween(rank.tie, line, rival), benchmark, among };
}

/** Rank lets through those that are tied with the leader, best first. */
function passedIds(report: StageReport): readonly string[] {
  if (report.stage === 'rank') return report.lines.filter((line) => line.tied).map((line) => line.checkpoint);
  return report.lines.filter((line) => line.outcome === 'passed').map((line) => line.checkpoint);
}

function scored(input: GateInput, checkpoints: readonly CheckpointFact[], benchmark: string): readonly Scored[] {
  const version = versionOf(input, benchmark);
  return checkpoints.flatMap((checkpoint) => {
    const score = scoreOf(input.evaluations, { checkpoint: checkpoint.id, benchmark, version });
    return score === null ? [] : [{ checkpoint, score }];
  });
}

function versionOf(input: GateInput, benchmark: string): number {
  const version = input.versions[benchmark];
  if (version === undefined)
    throw new TemperError('invalid-input', `the gate looks at "${benchmark}", which has no version`);
  return version;
}

function benchmarkOf(stage: GateStage): string {
  if ('rank' in stage) return stage.rank.by;
  return 'scoreAtLeast' in stage.require
    ? stage.require.scoreAtLeast.benchmark
    : stage.require.notWorseThanParent.benchmark;
}

function more(missing: readonly EvaluationKey[], because: MoreReason, stages: readonly StageReport[]): GateVerdict {
  return { kind: 'more-evaluations', missing, because, stages };
}

function undecided(report: StageReport, missing: number): MoreReason {
  const open = report.stage === 'rank' ? [] : report.lines.filter((line) => line.outcome === 'undecided');
  return { rule: 'undecided', benchmark: report.benchmark, contenders: open.map((line) => line.checkpoint), missing };
}

function newestFirst(a: CheckpointFact, b: CheckpointFact): number {
  return b.step - a.step || (a.id < b.id ? 1 : -1);
}

function inOrder(keys: readonly EvaluationKey[]): readonly EvaluationKey[] {
  const text = (key: EvaluationKey) => `${key.checkpoint}\n${key.benchmark}\n${String(key.seed).padStart(4, '0')}`;
  return [...keys].sort((a, b) => (text(a) < text(b) ? -1 : 1));
}
