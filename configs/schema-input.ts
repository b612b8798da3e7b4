/**
 * What a pipeline or a sweep is started with. Workflows check it themselves, each run in a world of its own, which evaluates this file and
 * schema-input-steering.ts, and not the recipe's schema: that was a third of what a worker did while many phases started.
 */
import { z } from 'zod';

/** Input of `postTrainingPipeline`. The recipe is a name that the worker knows, or a whole recipe. */
export const pipelineInputSchema = z.strictObject({
  recipe: z
    .union([z.string().min(1), z.record(z.string(), z.unknown())])
    .optional()
    .describe('A recipe that the worker has, by name, or a whole one; the worker’s default unless named.'),
  profile: z.string().min(1).optional().describe('The profile it runs on; the worker’s own unless named.'),
  set: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Fields to change, addressed as `phases.<name>.params.<field>`.'),
});

export type PipelineInput = z.output<typeof pipelineInputSchema>;

/** Input of `evalSweep`. The sweep is that of a schedule which the worker has, by name, or a whole one. */
export const sweepInputSchema = z.strictObject({
  sweep: z.union([z.string().min(1), z.record(z.string(), z.unknown())]),
});

export type SweepInput = z.output<typeof sweepInputSchema>;
