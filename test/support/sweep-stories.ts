/** A sweep as a workflow test tells it: so many jobs, then its report. */
import type { NextOfSweep } from '../../activities/sweeps.ts';
import { phaseSchema, recipeSchema } from '../../configs/schema.ts';
import type { SweepReport } from '../../decisions/sweep.ts';
import { sweepPhase, type SweepRow } from '../../workflows/contract.ts';
import { leastPhases, recipeOf } from './recipes.ts';
import type { Answers } from './stories.ts';

const recipe = recipeSchema.parse(recipeOf());
export const checkpoint = 'demo/sft/a1/checkpoint-50';

export const row: SweepRow = {
  ...{ checkpoint, whose: 'champion', benchmark: 'addition', mean: 0.625, low: 0.5, high: 0.75, seeds: 2 },
};

export const report: SweepReport = {
  ...{ outcome: 'completed', evaluated: 2, hours: 0.5, rows: [], comparedWith: null, regressions: [], skipped: [] },
  ...{ nights: { overlap: 0, missed: 0 }, clock: [] },
};

/** Something a person should know. */
export const worse: SweepReport = {
  ...report,
  regressions: [
    {
      subject: { kind: 'champion', pipeline: 'demo' },
      ...{ benchmark: 'addition', before: { checkpoint: 'before', mean: 0.7 }, now: { checkpoint, mean: 0.6 } },
      difference: { mean: -0.1, low: -0.15, high: -0.05, n: 40 },
    },
  ],
};

export function job(pipelineId: string, round: number): NextOfSweep {
  const phase = phaseSchema.parse({ ...leastPhases.sft, name: sweepPhase });
  const evaluations = [{ checkpoint, benchmark: 'addition', version: 1, seed: round }];
  const context = {
    ...{
      pipelineId,
      runId: 'sweep-run',
      recipe: 'small',
      profile: 'local',
      phase,
      position: 0,
      seed: 1,
      dataDigests: {},
    },
    ...{ model: recipe.model, benchmarks: recipe.benchmarks, budgets: recipe.budgets, start: null },
    onFailure: 'fail' as const,
  };
  return {
    kind: 'evaluate',
    round,
    input: { context, title: `evaluation ${String(round)}`, evaluations },
    rows: [row],
  };
}

/** `jobs` one after the other, and an end of this report. */
export function sweepStory(jobs: number, end: SweepReport = report, notifies = false): Answers {
  return {
    openSweep: () =>
      Promise.resolve({ name: 'nightly', profile: 'local', notifies, checkpoints: 3, benchmarks: ['addition'] }),
    nextOfSweep: ({ workflowId }, times) => Promise.resolve(times > jobs ? { kind: 'done' } : job(workflowId, times)),
    closeSweep: ({ outcome }) =>
      Promise.resolve({
        report: { ...end, outcome },
        rows: [row],
        needsAPerson: end.regressions.length > 0 && outcome !== 'cancelled',
      }),
  };
}
