/**
 * The kinds of phases with their params and defaults.
 *
 * Does not cover which fields of a phase go together (schema-phase-rules.ts).
 */
import { z } from 'zod';
import { commandPhase } from './schema-command.ts';
import { count, dataset, everyPhase, rate, step } from './schema-fields.ts';

const lora = z
  .strictObject({
    rank: count.default(8).describe('Rank of the adapter.'),
    alpha: z.number().positive().default(16).describe('The adapter is scaled by alpha / rank.'),
    targets: z
      .array(z.enum(['q', 'k', 'v', 'o', 'experts']))
      .min(1)
      .default(['q', 'k', 'v', 'o'])
      .describe('What gets an adapter: projections of the attention, or the experts.'),
  })
  .describe('The adapter that is trained; a phase that starts from an adapter trains that one on.');

const training = {
  steps: count.describe('Optimizer steps of the whole phase.'),
  checkpointEvery: count.describe('Steps between checkpoints: what a killed job loses at most.'),
  learningRate: rate.describe('Learning rate of the optimizer.'),
};
const warmupSteps = step.default(3).describe('Steps in which the learning rate rises from 0 to its full value.');
const batchSize = count.describe('Rows of one step.');
const maxLength = count.default(64).describe('Most tokens of a row, prompt included.');
const rollouts = {
  temperature: z.number().positive().default(1).describe('Temperature that completions are sampled at.'),
  maxCompletionTokens: count.default(512).describe('Most tokens of a sampled completion.'),
};

const basePhase = z
  .strictObject({
    ...everyPhase,
    kind: z.literal('base').describe('The kind; only the first phase is, and must be, a base.'),
    params: z
      .strictObject({
        steps: step
          .default(0)
          .describe('Steps of the tiny model’s pretraining; 0 for a model that `model.path` names.'),
        checkpointEvery: count.default(160).describe('Steps between checkpoints.'),
        learningRate: rate.default(5e-3).describe('Learning rate of the optimizer.'),
        batchSize: count.default(64).describe('Rows of one step.'),
        noise: z.number().min(0).max(1).default(0.03).describe('Chance that a step of a pretraining trace is wrong.'),
      })
      .describe('How this kind trains.'),
  })
  .describe('Takes the model that `model.path` names as it is, or pretrains the tiny one.');

const sftPhase = z
  .strictObject({
    ...everyPhase,
    kind: z.literal('sft').describe('The kind.'),
    data: dataset,
    params: z
      .strictObject({ ...training, warmupSteps, lora: lora.prefault({}), batchSize, maxLength })
      .describe('How this kind trains.'),
  })
  .describe('Supervised fine-tuning of a LoRA on rows to imitate; the loss is on the completion alone.');

const rewardWeights = z
  .strictObject({
    exact: z.number().optional().describe('Weight of a right boxed answer.'),
    boxed: z.number().optional().describe('Weight of any boxed answer.'),
    length: z.number().optional().describe("Weight of the completion's length in tokens."),
  })
  .describe('How much each reward counts; one that is left out is not computed.');

const drgrpoPhase = z
  .strictObject({
    ...everyPhase,
    kind: z.literal('drgrpo').describe('The kind.'),
    data: dataset,
    params: z
      .strictObject({
        ...training,
        warmupSteps,
        promptsPerStep: count.describe('Problems of one step; the batch is promptsPerStep × generations.'),
        generations: count.min(2).describe('Completions of each problem, compared with each other.'),
        beta: z.number().min(0).default(1e-3).describe('Weight of the divergence from the start; 0 leaves it out.'),
        scaleRewards: z
          .boolean()
          .default(false)
          .describe('Divide advantages by the spread of their group, as GRPO does and DrGRPO does not.'),
        ...rollouts,
        rewards: z
          .array(
            z.strictObject({
              until: count.optional().describe('The last step these weights hold for.'),
              weights: rewardWeights,
            }),
          )
          .min(1)
          .describe('In order; each holds until its step, the last one to the end.'),
      })
      .describe('How this kind trains.'),
  })
  .describe(
    'Reinforcement learning on groups of completions of the same problem, with rewards that may change at a step.',
  );

const orpoPhase = z
  .strictObject({
    ...everyPhase,
    kind: z.literal('orpo').describe('The kind.'),
    data: dataset,
    params: z
      .strictObject({
        ...training,
        warmupSteps,
        batchSize: count.describe('Pairs of one step.'),
        beta: z.number().positive().default(0.1).describe('Weight of the odds ratio between chosen and rejected.'),
        maxLength,
        pairs: z
          .strictObject({
            from: z
              .enum(['policy', 'data'])
              .default('policy')
              .describe(
                'Sampled from the policy that the phase starts from, or rows `prompt`, `chosen`, `rejected` of the data.',
              ),
            samplesPerPrompt: count
              .min(2)
              .default(8)
              .describe('Completions sampled of each problem to make a pair of.'),
            completions: z
              .enum(['whole', 'answer'])
              .default('whole')
              .describe('Pairs of whole completions, or of their boxed answers alone.'),
          })
          .prefault({})
          .describe('Where the pairs of a right and a wrong completion come from.'),
      })
      .describe('How this kind trains.'),
  })
  .describe('Preference training on pairs of a right and a wrong completion.');

const mergePhase = z
  .strictObject({
    ...everyPhase,
    kind: z.literal('mxfp4-merge').describe('The kind.'),
    params: z
      .strictObject({
        experts: z
          .enum(['refuse', 'requantize'])
          .default('refuse')
          .describe('What to do with a LoRA that touches the experts: refuse it, or dequantize, add and requantize.'),
      })
      .prefault({})
      .describe('How this kind merges.'),
  })
  .describe('Bakes the adapter into a full model whose experts stay packed as MXFP4; trains nothing.');

const saoPhase = z
  .strictObject({
    ...everyPhase,
    kind: z.literal('sao').describe('The kind.'),
    data: dataset,
    params: z
      .strictObject({
        ...training,
        criticLearningRate: rate.describe('Learning rate of the critic.'),
        batchSize: count.describe('Rollouts of one step, each of its own prompt.'),
        queueBatches: count
          .default(2)
          .describe('Batches that wait in the queue: training is that many versions behind, less one.'),
        criticWarmupSteps: step.default(10).describe('Steps at the start that train the critic alone.'),
        criticUpdates: count.default(2).describe('Updates of the critic in a step.'),
        mask: z
          .strictObject({
            below: z.number().min(0).max(1).describe('How far below 1 the ratio may lie.'),
            above: z.number().positive().describe('How far above 1 the ratio may lie.'),
          })
          .prefault({ below: 0.3, above: 5 })
          .describe('Tokens whose ratio lies outside (1 − below, 1 + above) are masked.'),
        lambdaAlpha: z
          .number()
          .positive()
          .default(1.5)
          .describe('λ of the policy’s advantages is 1 − 1 / (lambdaAlpha × length).'),
        ...rollouts,
      })
      .describe('How this kind trains.'),
  })
  .describe('Single-rollout reinforcement learning of the full model with a critic; it starts from a merged one.');

export const phaseSchema = z.discriminatedUnion('kind', [
  basePhase,
  sftPhase,
  drgrpoPhase,
  orpoPhase,
  mergePhase,
  saoPhase,
  commandPhase,
]);
