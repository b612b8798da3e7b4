/**
 * What several fields of a recipe have in common: names, counts, data, evaluations, gates, and what every phase has.
 *
 * Does not cover the kinds of phases (schema-phases.ts, schema-command.ts) or the recipe itself (schema.ts).
 */
import { z } from 'zod';

/** Names of recipes, phases, benchmarks: they become workflow ids, job names and directories. */
export const name = z
  .string()
  .regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
    'a name is lower-case letters, digits and single dashes, and begins with a letter',
  )
  .max(40);
export const count = z.int().positive();
export const step = z.int().min(0);

/** A list that names nothing twice. */
export function eachOnce<Item extends z.ZodType<string>>(list: z.ZodArray<Item>) {
  return list
    .refine((names) => new Set(names).size === names.length, {
      error: ({ input }) =>
        `names ${JSON.stringify((input as string[]).find((one, at, all) => all.indexOf(one) < at))} twice`,
    })
    .meta({ uniqueItems: true });
}

export const rate = z.number().positive().max(1);
const share = z.number().min(0).max(1);

export const dataset = z
  .union([
    z.strictObject({
      tiny: z
        .enum(['problems', 'solutions', 'held-out'])
        .describe(
          'Sums of two numbers, made in the trainer: problems to answer, solutions to imitate, or the problems that are kept for scoring.',
        ),
      rows: count.optional().describe('Takes so many rows; all there are unless named.'),
      longShare: share.default(1).describe('Share of the solutions that write their steps out.'),
    }),
    z.strictObject({
      jsonl: z.string().min(1).describe('A JSONL file, by its absolute path where jobs run.'),
      rows: count.optional().describe('Takes so many rows; all there are unless named.'),
    }),
  ])
  .describe('The rows that are trained or scored on.');

const benchmarkVersion = count
  .default(1)
  .describe(
    'Raise it when anything else of the benchmark changes, which is refused otherwise: scores of another version never count.',
  );

const evaluatedBenchmark = z.strictObject({
  outside: z.literal(false).optional().describe('Jobs of Temper evaluate it.'),
  data: dataset,
  version: benchmarkVersion,
  grader: z
    .enum(['boxed-integer', 'exact-match', 'numeric', 'math-verify'])
    .describe(
      'What is right: the integer in the last \\boxed{…} is the answer’s; the whole completion is the answer, spaces around it aside; the number in the last \\boxed{…} (a decimal, a fraction, 1e3, a percentage as hundredths; a unit after it counts for nothing) is within `tolerance` of the answer’s; or the Python package math-verify, which the image must have, finds the two equal.',
    ),
  tolerance: z
    .strictObject({
      relative: z.number().positive().optional().describe('Of the answer: 0.01 is one per cent of it.'),
      absolute: z.number().positive().optional().describe('In the answer’s own unit.'),
    })
    .optional()
    .describe('How far from the answer a number may be, with grader `numeric` alone; the larger of the two counts.'),
  samples: count.max(1024).default(1).describe('Completions of each problem.'),
  temperature: z.number().min(0).max(2).default(1).describe('Temperature they are sampled at; 0 is greedy.'),
  maxTokens: count.default(1024).describe('Most tokens of a completion.'),
  vote: z
    .strictObject({
      agreeing: count
        .min(2)
        .optional()
        .describe(
          'Ends the vote on a problem, in the order of its samples, when so many have the same answer: it stands, and the others are not sampled. More than half of `samples` changes no vote.',
        ),
      of: count
        .min(2)
        .optional()
        .describe(
          'Takes all samples, and scores how often a vote of so many of them is right (maj@k, 2,000 draws), in place of one vote of all.',
        ),
      weight: z
        .enum(['answer-entropy', 'token-entropy'])
        .optional()
        .describe(
          'Weighs each vote by how sure the model was, from the five likeliest tokens at each place: `answer-entropy` by 1/(1 + entropy) over the tokens of the answer, `token-entropy` by 1/entropy over all tokens. An answer that `agreeing` samples have stands all the same. The trainer must tell it. Without it all votes weigh the same.',
        ),
    })
    .optional()
    .describe(
      'Scores each problem by the vote over its samples, each with one vote for its answer: 1 where the answer of most is right, and ties share it. Without it the share of right samples is the score.',
    ),
  time: z
    .strictObject({
      problemMinutes: z.number().positive().describe('What each problem has for all its samples.'),
      upToMinutes: z
        .number()
        .positive()
        .optional()
        .describe('The most that a problem may take of what others left over; `problemMinutes` unless named.'),
      runMinutes: z
        .number()
        .positive()
        .optional()
        .describe('What all problems have together; `problemMinutes` for each of them unless named.'),
    })
    .optional()
    .describe(
      'A time to be done in: samples that are not count as wrong. Problems are asked one after the other by one job, whatever `evaluations.shards` of the profile says. Without it nothing is cut off.',
    ),
});

const outsideBenchmark = z.strictObject({
  outside: z
    .literal(true)
    .describe('It is scored elsewhere, as on a public leaderboard: scores come in by `temper record-score`.'),
  version: benchmarkVersion,
  problems: count
    .optional()
    .describe('How many problems a score on it is over; each score says so itself unless named.'),
});

export const benchmark = z.discriminatedUnion('outside', [evaluatedBenchmark, outsideBenchmark]);

const evaluate = z
  .strictObject({
    every: count.optional().describe('Steps between evaluated checkpoints; without it only the last one is evaluated.'),
    benchmarks: eachOnce(z.array(name).min(1)).describe('Names of benchmarks of this recipe that jobs evaluate.'),
    seeds: count.max(64).default(1).describe('Seeds an evaluation begins with.'),
    maxSeeds: count.max(64).default(3).describe('Seeds a gate may ask for when the evidence does not decide.'),
  })
  .describe('Which checkpoints are scored, and on what; without it none is.');

const gatedBenchmark = name.describe('A benchmark that `evaluate.benchmarks` names, or one that is scored outside.');

export const gateStage = z.union([
  z.strictObject({
    require: z
      .strictObject({
        notWorseThanParent: z
          .strictObject({
            benchmark: gatedBenchmark,
            margin: share.describe('How far below the parent still passes, as a share: 0.02 is two points.'),
          })
          .describe(
            'Passes what is not more than `margin` below the parent, by the paired interval of the difference; without a parent all pass.',
          ),
      })
      .describe('A limit that every candidate must keep.'),
  }),
  z.strictObject({
    require: z
      .strictObject({
        scoreAtLeast: z
          .strictObject({ benchmark: gatedBenchmark, score: share.describe('The least mean score, as a share.') })
          .describe('Passes what scores so much, whatever the parent has.'),
      })
      .describe('A limit that every candidate must keep.'),
  }),
  z.strictObject({
    require: z
      .strictObject({
        runtimeAtMost: z
          .strictObject({
            benchmark: gatedBenchmark,
            minutes: z.number().positive().describe('The limit of one run over all problems, one after the other.'),
            marginMinutes: z.number().min(0).default(0).describe('How far below the limit it must stay.'),
          })
          .describe(
            'Passes what stays so far below the limit in 95 % of draws of as many problems, and with each seed that was seen.',
          ),
      })
      .describe('A limit that every candidate must keep.'),
  }),
  z.strictObject({
    compare: z
      .strictObject({
        benchmark: gatedBenchmark,
        by: z
          .enum(['evidence', 'mean'])
          .default('evidence')
          .describe(
            '`evidence`: out is what is surely below the highest, with all candidates looked at at once, and those in question are evaluated with further seeds while that is likely to decide. `mean`: out is whatever has a lower mean, however few seeds it rests on.',
          ),
        undecided: z
          .enum(['highest', 'tie', 'hold'])
          .default('highest')
          .describe(
            'When no further seed may be had or would decide: the highest mean goes on, all go on to the next stage as a tie (where none puts them in order, the highest mean goes on), or a person is asked; when they release the phase, the highest goes on.',
          ),
      })
      .describe('Keeps the candidate with the highest score, and those that the evidence cannot tell apart from it.'),
  }),
  z.strictObject({
    rank: z
      .strictObject({
        by: gatedBenchmark,
        tie: eachOnce(z.array(z.enum(['tokens', 'runtime', 'earlier'])))
          .default(['tokens', 'earlier'])
          .describe('What decides, in order, between candidates that the evidence cannot tell apart.'),
      })
      .describe('The candidate with the highest score is promoted.'),
  }),
]);

/** Progress is looked for every ten seconds: less than half a minute would be a stall that nobody saw. */
const minutes = z.number().min(0.5).optional();

/** What a trainer says it is doing (decisions/states.ts), each with the minutes it may take without anything new. */
export const stallMinutes = z
  .strictObject({
    starting: minutes.describe('Until it says its first word; 20 unless named.'),
    loading: minutes.describe('Loading models and data; 60 unless named.'),
    compiling: minutes.describe('Compiling kernels or graphs; 60 unless named.'),
    training: minutes.describe('Between two steps; 15 unless named.'),
    generating: minutes.describe('Sampling the completions of a step; 30 unless named.'),
    saving: minutes.describe('Saving a checkpoint; 60 unless named.'),
    publishing: minutes.describe('Handing weights to an inference engine; 30 unless named.'),
    evaluating: minutes.describe('Between two batches of an evaluation; 30 unless named.'),
    finishing: minutes.describe('After the last step; 60 unless named.'),
  })
  .describe(
    'How long a job may do a thing without anything new before it counts as stalled and is stopped, in minutes.',
  );
/** What phases of every kind have. */
export const everyPhase = {
  name: name.describe('What this phase is called everywhere; no two phases share one.'),
  from: z
    .union([
      name,
      z.strictObject({
        checkpoint: z
          .string()
          .min(1)
          .max(1000)
          .describe(
            'A promoted checkpoint of another pipeline: pipeline/phase for what that phase promoted, its id, or its path. Its weights are taken; optimizer, schedule and steps begin anew.',
          ),
      }),
    ])
    .optional()
    .describe(
      'What this phase starts from: the promoted checkpoint of that phase, or of another pipeline by `checkpoint`; of the phase before unless named.',
    ),
  evaluate: evaluate.optional(),
  gate: z
    .array(gateStage)
    .default([])
    .describe('What a checkpoint must show to be promoted, in order; without any, the newest is.'),
  onCollapse: z
    .enum(['tell', 'stop', 'hold'])
    .default('tell')
    .describe(
      'What follows when scores fall far below those of the same run before, as reinforcement learning can while its reward rises. `tell`: it is said on the page and to whom the profile names, and it trains on. `stop`: the training is stopped, and the gate looks at the checkpoints up to the best one before. `hold`: it is stopped and a person is asked; when they release it, it trains on. Judged after each evaluation that `evaluate.every` asks for.',
    ),
  onReject: z
    .enum(['keep-parent', 'hold', 'fail'])
    .default('keep-parent')
    .describe(
      'What follows when every candidate misses a hard limit of the gate: go on from the parent, wait for a person, or end.',
    ),
};
