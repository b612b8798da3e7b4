/** A pipeline `demo` whose sft saved the checkpoints of steps 40 and 50, before its gate, which looks at a benchmark from outside. */
import { phaseSchema, recipeSchema } from '../../configs/schema.ts';
import type { ResolvedPipeline } from '../../workflows/contract.ts';
import { activityBench, type ActivityBench, contextOf, runId, sft, startAttempt } from './activity-bench.ts';
import { fakeTrainer } from './fake-trainer.ts';
import { addition, recipeOf } from './recipes.ts';

const { evaluate: _, ...rest } = sft;
export const phase = phaseSchema.parse({ ...rest, gate: [{ compare: { benchmark: 'public', by: 'mean' } }] });
const benchmarks = { addition, public: { outside: true, problems: 4 } };
export const recipe = recipeSchema.parse(recipeOf([phase], { benchmarks }));

export const checkpointAt = (step: number): string => `demo/sft/a1/checkpoint-${String(step)}`;

export async function benchBeforeItsGate(): Promise<ActivityBench> {
  const bench = await activityBench();
  const resolved = { recipe } as unknown as ResolvedPipeline;
  await bench.as(runId).openPipeline({ pipelineId: 'demo', runId: 'run-1', resolved });
  const attempt = await startAttempt(bench, 1, { context: contextOf({ phase, benchmarks: recipe.benchmarks }) });
  const trainer = fakeTrainer(attempt);
  await trainer.saves(40);
  await trainer.saves(50);
  await trainer.finishes();
  bench.backend.end(attempt.job, {});
  await bench.as(runId).judgeAttempt(attempt);
  return bench;
}
