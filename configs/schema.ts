/**
 * The one home of the fields and defaults of recipes and profiles, with schema-fields.ts, schema-input.ts, schema-phases.ts,
 * schema-command.ts and schema-profile.ts. What `.describe()` says of a field is what editors and docs/reference say: `npm run docs` writes both anew.
 *
 * Covers: shape, defaults, ranges. Does not cover: which fields go together (schema-rules.ts), reading files, `--set`, nearest names (load.ts).
 */
import { z } from 'zod';
import { benchmark, count, name, stallMinutes, type gateStage } from './schema-fields.ts';
import { phaseSchema } from './schema-phases.ts';
import { brokenRules } from './schema-rules.ts';

export type { PipelineInput } from './schema-input.ts';
export { phaseSchema } from './schema-phases.ts';
export { profileSchema, type Profile } from './schema-profile.ts';

const model = z
  .union([
    z.strictObject({
      tiny: z
        .strictObject({
          seed: z.int().min(0).default(1).describe('Seed of its first weights and of its pretraining.'),
        })
        .describe('A GPT-OSS of 129 thousand parameters, made by the base phase.'),
    }),
    z.strictObject({
      path: z.string().min(1).describe('Folder of a model, by its absolute path where jobs run.'),
      format: z
        .enum(['hf', 'mxfp4'])
        .default('hf')
        .describe('How it is stored: as transformers writes it, or with experts packed as MXFP4.'),
    }),
  ])
  .describe('What everything starts from.');

/** What a phase may spend. Queue time, preemption and node loss are not charged. */
export const budgetsSchema = z
  .strictObject({
    attempts: count.default(5).describe('Charged attempts of one phase.'),
    gpuHours: z
      .number()
      .positive()
      .optional()
      .describe(
        'What the jobs of one phase may take, evaluations included: hours × the GPUs of all pods that the profile gives a job; without any, an hour counts as one. No limit unless named.',
      ),
    evaluations: count.default(100).describe('Evaluations of the whole pipeline.'),
    waitMinutes: z.number().positive().default(60).describe('How long a job may wait to start, in minutes.'),
    startMinutes: z
      .number()
      .positive()
      .optional()
      .describe(
        'How long a job that has its place may fail to start for one and the same reason (its image, a volume, its sandbox) before it lets go of it, in minutes; 10 unless named. What only a person mends has a fifth of it, pods that wait for the rest of theirs half.',
      ),
    stallMinutes: stallMinutes.optional(),
  })
  .prefault({})
  .describe('What may be spent. Queue time, preemption and node loss are not charged.');

export const benchmarksSchema = z
  .record(name, benchmark)
  .default({})
  .describe('What checkpoints are scored on, by name.');

export const recipeSchema = z
  .strictObject({
    name: name.describe('What the recipe is called; a pipeline is named after it unless named otherwise.'),
    seed: z.int().min(0).default(1).describe('Seed of every phase’s data and sampling.'),
    model,
    benchmarks: benchmarksSchema,
    phases: z.array(phaseSchema).min(1).describe('In order; the first is of kind `base`.'),
    budgets: budgetsSchema,
    onFailure: z
      .enum(['hold', 'fail'])
      .default('hold')
      .describe(
        'What follows when retries are spent or a person is needed: wait until the phase is released, or end. What no retry mends ends the pipeline either way.',
      ),
    hold: z
      .strictObject({
        hours: z
          .number()
          .positive()
          .max(24 * 365)
          .default(24)
          .describe('How long a person has.'),
        then: z
          .enum(['fail', 'highest', 'keep-parent'])
          .default('fail')
          .describe(
            'What follows when nobody came: the phase fails; or, where its gate is held, the highest goes on (only where the evidence does not decide: `undecided: hold`), or its parent does. A hold that has no such thing fails.',
          ),
      })
      .prefault({})
      .describe('What becomes of a phase that is held for a person.'),
  })
  .superRefine((recipe, context) => {
    for (const { path, message } of brokenRules(recipe)) context.addIssue({ code: 'custom', path: [...path], message });
  });

export type Recipe = z.output<typeof recipeSchema>;
export type Phase = z.output<typeof phaseSchema>;
export type PhaseKind = Phase['kind'];
export type Model = Recipe['model'];

export type Benchmark = z.output<typeof benchmark>;
/** Jobs of Temper evaluate it. */
export type EvaluatedBenchmark = Exclude<Benchmark, { outside: true }>;
/** Only scores of others are known on it. */
export type OutsideBenchmark = Extract<Benchmark, { outside: true }>;
export type GateStage = z.output<typeof gateStage>;
export type Budgets = z.output<typeof budgetsSchema>;
