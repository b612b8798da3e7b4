/**
 * The one home of the fields and defaults of recipes and profiles.
 *
 * Covers: shape, defaults, ranges. Does not cover: which fields go together (schema-rules.ts), reading files, `--set`, nearest names (load.ts).
 */
import { z } from 'zod';
import { brokenRules } from './schema-rules.ts';

/** Names of recipes, phases, benchmarks: they become workflow ids, job names and directories. */
const name = z
  .string()
  .regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
    'a name is lower-case letters, digits and single dashes, and begins with a letter',
  )
  .max(40);
const count = z.int().positive();
const step = z.int().min(0);
const rate = z.number().positive().max(1);

const model = z.union([
  z.strictObject({ tiny: z.strictObject({ seed: z.int().min(0).default(1) }) }),
  z.strictObject({ path: z.string().min(1), format: z.enum(['hf', 'mxfp4']).default('hf') }),
]);

const dataset = z.union([
  z.strictObject({
    tiny: z.enum(['problems', 'solutions', 'held-out']),
    rows: count.optional(),
    longShare: z.number().min(0).max(1).default(1),
  }),
  z.strictObject({ jsonl: z.string().min(1), rows: count.optional() }),
]);

const benchmark = z.strictObject({
  data: dataset,
  version: count.default(1),
  grader: z.enum(['boxed-integer', 'exact-match']),
  samples: count.max(1024).default(1),
  temperature: z.number().min(0).max(2).default(1),
  maxTokens: count.default(1024),
});

const evaluate = z.strictObject({
  /** Steps between evaluated checkpoints; without it only the last one is evaluated. */
  every: count.optional(),
  benchmarks: z.array(name).min(1),
  /** Seeds an evaluation begins with. */
  seeds: count.max(64).default(1),
  /** Seeds a gate may ask for when the evidence does not decide. */
  maxSeeds: count.max(64).default(3),
});

const gateStage = z.union([
  z.strictObject({
    require: z.strictObject({
      notWorseThanParent: z.strictObject({ benchmark: name, margin: z.number().min(0).max(1) }),
    }),
  }),
  z.strictObject({
    require: z.strictObject({ scoreAtLeast: z.strictObject({ benchmark: name, score: z.number().min(0).max(1) }) }),
  }),
  z.strictObject({
    rank: z.strictObject({ by: name, tie: z.array(z.enum(['tokens', 'earlier'])).default(['tokens', 'earlier']) }),
  }),
]);

const everyPhase = {
  name,
  /** The phase whose promoted checkpoint this one starts from; the one before unless named. */
  from: name.optional(),
  evaluate: evaluate.optional(),
  gate: z.array(gateStage).default([]),
  /** What follows when every candidate misses a hard limit of the gate. */
  onReject: z.enum(['keep-parent', 'hold', 'fail']).default('keep-parent'),
};

const lora = z.strictObject({
  rank: count.default(8),
  alpha: z.number().positive().default(16),
  targets: z
    .array(z.enum(['q', 'k', 'v', 'o', 'experts']))
    .min(1)
    .default(['q', 'k', 'v', 'o']),
});
const training = { steps: count, checkpointEvery: count, learningRate: rate };

const basePhase = z.strictObject({
  ...everyPhase,
  kind: z.literal('base'),
  params: z.strictObject({
    steps: step.default(0),
    checkpointEvery: count.default(160),
    learningRate: rate.default(5e-3),
    batchSize: count.default(64),
    /** Chance that a step of a pretraining trace is wrong. */
    noise: z.number().min(0).max(1).default(0.03),
  }),
});

const sftPhase = z.strictObject({
  ...everyPhase,
  kind: z.literal('sft'),
  data: dataset,
  params: z.strictObject({ ...training, lora: lora.prefault({}), batchSize: count, maxLength: count.default(64) }),
});

const rewardWeights = z.strictObject({
  exact: z.number().optional(),
  boxed: z.number().optional(),
  /** Weight of the completion's length in tokens. */
  length: z.number().optional(),
});

const drgrpoPhase = z.strictObject({
  ...everyPhase,
  kind: z.literal('drgrpo'),
  data: dataset,
  params: z.strictObject({
    ...training,
    promptsPerStep: count,
    generations: count.min(2),
    beta: z.number().min(0).default(1e-3),
    scaleRewards: z.boolean().default(false),
    temperature: z.number().positive().default(1),
    maxCompletionTokens: count.default(512),
    /** In order; each holds until its step, the last one to the end. */
    rewards: z.array(z.strictObject({ until: count.optional(), weights: rewardWeights })).min(1),
  }),
});

const orpoPhase = z.strictObject({
  ...everyPhase,
  kind: z.literal('orpo'),
  data: dataset,
  params: z.strictObject({
    ...training,
    batchSize: count,
    beta: z.number().positive().default(0.1),
    maxLength: count.default(64),
    pairs: z
      .strictObject({
        /** Sampled from the policy that the phase starts from, or rows `prompt`, `chosen`, `rejected` of the data. */
        from: z.enum(['policy', 'data']).default('policy'),
        samplesPerPrompt: count.min(2).default(8),
        completions: z.enum(['whole', 'answer']).default('whole'),
      })
      .prefault({}),
  }),
});

const mergePhase = z.strictObject({
  ...everyPhase,
  kind: z.literal('mxfp4-merge'),
  params: z
    .strictObject({
      /** What to do with a LoRA that touches the experts: refuse it, or dequantize, add and requantize. */
      experts: z.enum(['refuse', 'requantize']).default('refuse'),
    })
    .prefault({}),
});

const saoPhase = z.strictObject({
  ...everyPhase,
  kind: z.literal('sao'),
  data: dataset,
  params: z.strictObject({
    ...training,
    criticLearningRate: rate,
    batchSize: count,
    queueBatches: count.default(2),
    criticWarmupSteps: step.default(10),
    criticUpdates: count.default(2),
    /** Tokens whose ratio lies outside (1 − below, 1 + above) are masked. */
    mask: z
      .strictObject({ below: z.number().min(0).max(1), above: z.number().positive() })
      .prefault({ below: 0.3, above: 5 }),
    lambdaAlpha: z.number().positive().default(1.5),
    temperature: z.number().positive().default(1),
    maxCompletionTokens: count.default(512),
  }),
});

export const phaseSchema = z.discriminatedUnion('kind', [
  basePhase,
  sftPhase,
  drgrpoPhase,
  orpoPhase,
  mergePhase,
  saoPhase,
]);

/** What a phase may spend. Queue time, preemption and node loss are not charged. */
export const budgetsSchema = z
  .strictObject({
    /** Charged attempts of one phase. */
    attempts: count.default(5),
    gpuHours: z.number().positive().optional(),
    /** Evaluations of the whole pipeline. */
    evaluations: count.default(100),
    /** How long a job may wait to start, in minutes. */
    waitMinutes: z.number().positive().default(60),
  })
  .prefault({});

export const benchmarksSchema = z.record(name, benchmark).default({});

export const recipeSchema = z
  .strictObject({
    name,
    seed: z.int().min(0).default(1),
    model,
    benchmarks: benchmarksSchema,
    phases: z.array(phaseSchema).min(1),
    budgets: budgetsSchema,
    onFailure: z.enum(['hold', 'fail']).default('hold'),
  })
  .superRefine((recipe, context) => {
    for (const { path, message } of brokenRules(recipe)) context.addIssue({ code: 'custom', path: [...path], message });
  });

/** Where a recipe runs. Never part of the identity. */
export const profileSchema = z.strictObject({
  name,
  backend: z.literal('local'),
  store: z
    .strictObject({
      /** A folder of this machine; `~` and relative paths are resolved by the worker. */
      path: z.string().min(1).optional(),
    })
    .prefault({}),
  /** Jobs that run at once: GPUs, or cores on a machine without. */
  slots: z.union([count, z.literal('auto')]).default('auto'),
  /** Seconds between SIGTERM and SIGKILL. */
  graceSeconds: z.number().positive().default(20),
});

/** Input of `postTrainingPipeline`. The recipe is a name that the worker knows, or a whole recipe. */
export const pipelineInputSchema = z.strictObject({
  recipe: z.union([z.string().min(1), z.record(z.string(), z.unknown())]).optional(),
  profile: z.string().min(1).optional(),
  /** Fields to change, addressed as `phases.<name>.params.<field>`. */
  set: z.record(z.string(), z.unknown()).optional(),
});

export type Recipe = z.output<typeof recipeSchema>;
export type Phase = z.output<typeof phaseSchema>;
export type PhaseKind = Phase['kind'];
export type Model = Recipe['model'];

export type Benchmark = z.output<typeof benchmark>;
export type GateStage = z.output<typeof gateStage>;
export type Budgets = z.output<typeof budgetsSchema>;
export type Profile = z.output<typeof profileSchema>;
export type PipelineInput = z.output<typeof pipelineInputSchema>;
