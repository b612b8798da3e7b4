/** The benchmark that a stage of a gate looks at. */
import type { GateStage } from '../configs/schema.ts';

export function benchmarkOf(stage: GateStage): string {
  if ('rank' in stage) return stage.rank.by;
  if ('compare' in stage) return stage.compare.benchmark;
  const rule = stage.require;
  if ('runtimeAtMost' in rule) return rule.runtimeAtMost.benchmark;
  return 'scoreAtLeast' in rule ? rule.scoreAtLeast.benchmark : rule.notWorseThanParent.benchmark;
}
