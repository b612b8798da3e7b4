/**
 * What a stage lacks on a benchmark that is scored outside: no job brings it, a person does.
 *
 * Covers which of those that stand lack it. Does not cover runs that would decide between scores that are there (gate.ts).
 */
import type { GateStage } from '../configs/schema.ts';
import type { CheckpointFact } from './evaluation.ts';
import { outsideMinutes } from './gate-evidence.ts';
import type { GateInput } from './gate-input.ts';
import type { CompareReport, LackingScores, RankReport } from './gate-report.ts';
import { outsideRunsOf } from './outside-evidence.ts';
import { benchmarkOf } from './stage-benchmark.ts';

/** Null where nothing is lacking, no such benchmark is looked at, or a person let it go on without. */
export function lackingScores(
  input: GateInput,
  stage: GateStage,
  { standing, place }: { readonly standing: readonly CheckpointFact[]; readonly place: number },
): LackingScores | null {
  const benchmark = benchmarkOf(stage);
  if (!isScoredOutside(input, benchmark)) return null;
  const needed = isBoundedByParent(stage) && input.parent !== null ? [...standing, input.parent] : standing;
  const lacks = isRuntime(stage) ? 'runtime' : 'score';
  const isKnown = (id: string) =>
    lacks === 'runtime' ? isTimed(input, id, benchmark) : isScored(input, id, { benchmark, stage });
  const contenders = needed.map(({ id }) => id).sort();
  const checkpoints = contenders.filter((id) => !isKnown(id));
  const isReleased = (input.releases ?? []).some(
    (one) => one.stage === place && checkpoints.every((id) => one.contenders.includes(id)),
  );
  return checkpoints.length === 0 || isReleased ? null : { benchmark, lacks, checkpoints, contenders };
}

/** The report of a stage that puts in order, without any word from outside of those that stand; null where there is one. */
export function orderOfNothing(
  input: GateInput,
  stage: GateStage,
  standing: readonly CheckpointFact[],
): CompareReport | RankReport | null {
  const benchmark = benchmarkOf(stage);
  if ('require' in stage || !isScoredOutside(input, benchmark)) return null;
  if (standing.some(({ id }) => isScored(input, id, { benchmark, stage }))) return null;
  if ('rank' in stage) return { stage: 'rank', benchmark, tie: stage.rank.tie, lines: [] };
  return { stage: 'compare', ...stage.compare, lines: [] };
}

const isScoredOutside = ({ outsideBenchmarks = [] }: GateInput, benchmark: string) =>
  outsideBenchmarks.includes(benchmark);

/** A place without a score puts in order, and only `compare` by the mean asks for no more. */
function isScored(
  { outside = [] }: GateInput,
  checkpoint: string,
  { benchmark, stage }: { readonly benchmark: string; readonly stage: GateStage },
): boolean {
  if (outsideRunsOf(outside, { checkpoint, benchmark }) !== null) return true;
  if (!('compare' in stage) || stage.compare.by !== 'mean') return false;
  return outside.some(
    (one) => one.kind === 'order' && one.benchmark === benchmark && [one.higher, one.lower].includes(checkpoint),
  );
}

function isTimed(input: GateInput, checkpoint: string, benchmark: string): boolean {
  if (outsideMinutes(input, checkpoint, benchmark) !== null) return true;
  return (input.outside ?? []).some(
    (one) => one.kind === 'within-runtime' && one.checkpoint === checkpoint && one.benchmark === benchmark,
  );
}

const isBoundedByParent = (stage: GateStage): boolean => 'require' in stage && 'notWorseThanParent' in stage.require;
const isRuntime = (stage: GateStage): boolean => 'require' in stage && 'runtimeAtMost' in stage.require;
