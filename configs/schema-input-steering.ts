/**
 * What a person sends to a running pipeline. Workflows check it themselves, so that it stands beside their other input, apart from the
 * recipe's schema.
 *
 * Covers shapes. Does not cover whether a message fits the state of its phase (decisions/steering.ts).
 */
import { z } from 'zod';

/** Of what a retry may set: it stays in the run's history, and travels with every job that follows. */
const longestSet = 10_000;

const phase = z.string().min(1).describe('The phase.');
const who = {
  by: z.string().min(1).max(200).optional().describe('Who says so.'),
  reason: z.string().min(1).max(2000).optional().describe('Why, for whoever reads it later.'),
};

export const holdInputSchema = z.strictObject({ phase: phase.optional(), ...who });

export const skipPhaseInputSchema = z.strictObject({ phase: phase.optional(), ...who });

export const retryPhaseInputSchema = z.strictObject({
  phase: phase.optional(),
  set: z
    .record(z.string().min(1), z.unknown())
    .refine((set) => JSON.stringify(set).length <= longestSet, {
      error: `is longer than ${String(longestSet)} characters: write it into a recipe, and start a pipeline of that`,
    })
    .optional()
    .describe('Parameters of the phase to change, addressed as `params.<field>`.'),
  ...who,
});

export const promoteInputSchema = z.strictObject({
  phase: phase.optional(),
  checkpoint: z.string().min(1).describe('A checkpoint of the phase: its id, or its short name, such as `sft-40`.'),
  ...who,
});

export const extendBudgetInputSchema = z.strictObject({
  budgets: z
    .strictObject({
      attempts: z.int().positive().optional().describe('Charged attempts of one phase.'),
      gpuHours: z.number().positive().optional().describe('What the jobs of one phase may take: hours × GPUs.'),
      evaluations: z.int().positive().optional().describe('Evaluations of the whole pipeline.'),
    })
    .describe('What may be spent from now on, in all.'),
  ...who,
});

export type HoldInput = z.output<typeof holdInputSchema>;
export type SkipPhaseInput = z.output<typeof skipPhaseInputSchema>;
export type RetryPhaseInput = z.output<typeof retryPhaseInputSchema>;
export type PromoteInput = z.output<typeof promoteInputSchema>;
export type ExtendBudgetInput = z.output<typeof extendBudgetInputSchema>;
