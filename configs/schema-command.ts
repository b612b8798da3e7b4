/**
 * The kind `command`: a trainer that knows nothing of Temper, and how its work is read from outside.
 *
 * Covers its params and the placeholders. Does not cover which of them go together (schema-command-rules.ts), nor whether a pattern is
 * one (pattern-problems.ts).
 */
import { z } from 'zod';
import { count, everyPhase, name } from './schema-fields.ts';

/** What may stand in braces in the command, its environment and its working directory, and what takes its place. */
export const commandPlaceholders = {
  output: 'the folder that this attempt writes to, and begins in',
  start: 'the checkpoint that the phase starts from, as a folder',
  base: 'the full model below it: the same folder, but for an adapter',
  seed: "the recipe's seed",
  steps: 'steps of the whole phase',
  checkpointEvery: 'steps between checkpoints',
  processes: 'processes of the job',
  phase: "the phase's name",
  attempt: "the attempt's number",
  home: 'the folder of Temper itself, where jobs are processes of its machine',
} as const;

/** In `resumeArgs` alone. */
export const checkpointPlaceholder = 'checkpoint';

export type PlaceholderName = keyof typeof commandPlaceholders | typeof checkpointPlaceholder;

const listed = Object.entries(commandPlaceholders).map(([placeholder, words]) => `\`{${placeholder}}\` ${words}`);

const placeholders = `Placeholders: ${listed.join(', ')}. What should stay in braces is doubled: \`{{rollout_id}}\`.`;

export const checkpointFormats = ['hf', 'peft', 'megatron', 'slime'] as const;

/** Formats whose checkpoints lie in folders of Megatron-LM: other things read them than full models and adapters. */
export function isOfMegatron(format: string | undefined): boolean {
  return format === 'megatron' || format === 'slime';
}

/** Kinds of logs that are read without a pattern. */
export const knownLogs = ['hf-trainer', 'megatron', 'slime', 'none'] as const;

/** The role of those that `command` starts: whatever runs beside them ends when they are done. */
export const trainerRole = 'trainer';

const environment = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no name of an environment variable'),
  z.string(),
);

const role = z
  .strictObject({
    command: z.array(z.string().min(1)).min(1).describe('What its pods run, with the placeholders of `command`.'),
    env: environment.optional().describe('Environment variables beside those of the phase.'),
  })
  .describe('Pods that serve the trainers.');

const progress = z
  .union([
    z.enum(knownLogs),
    z.strictObject({
      pattern: z
        .string()
        .min(1)
        .describe(
          'A regular expression (RE2: no lookaround, no back reference) that a line of a step matches, with a group `(?<step>…)`; other named groups are metrics, such as `(?<loss>…)`, and `(?<of>…)` the steps in all.',
        ),
      started: z
        .string()
        .min(1)
        .optional()
        .describe('One with a group `(?<step>…)` for the line that says which step it starts after.'),
    }),
  ])
  .describe(
    'How its log says where it is: the progress bar and rows of the Hugging Face Trainer, the lines of Megatron-LM or of slime, an own pattern; with `none` a log that grows is a sign of life, and steps are those of its checkpoints.',
  );

export const commandPhase = z
  .strictObject({
    ...everyPhase,
    kind: z.literal('command').describe('The kind.'),
    params: z
      .strictObject({
        command: z
          .array(z.string().min(1))
          .min(1)
          .describe(`The program and its arguments, one a text; no shell reads them. ${placeholders}`),
        resumeArgs: z
          .array(z.string().min(1))
          .default([])
          .describe(
            'Added to the command when an attempt goes on from a checkpoint, whose folder is `{checkpoint}`; without any, each attempt begins anew.',
          ),
        env: environment
          .default({})
          .describe('Environment variables that what is trained depends on; those of the machine are the profile’s.'),
        workingDirectory: z
          .string()
          .min(1)
          .default('{output}')
          .describe('The folder the command begins in, an absolute path where jobs run.'),
        image: z
          .string()
          .min(1)
          .optional()
          .describe('The container image it runs in, where jobs are containers; the local backend runs it as it is.'),
        processes: count
          .default(1)
          .describe('Processes that train at once, such as ranks of torchrun: so many slots the job takes.'),
        roles: z
          .record(name, role)
          .optional()
          .describe(
            'What runs beside the trainers in pods of its own, by name, such as rollout engines: it is there until the trainers are done, and ends the attempt when it ends before. The profile says how many pods; only where jobs are containers.',
          ),
        steps: count.describe('Steps of the whole phase, as its checkpoints count them.'),
        checkpointEvery: count.describe('Steps between checkpoints: what a killed job loses at most.'),
        checkpoints: z
          .strictObject({
            format: z
              .enum(checkpointFormats)
              .describe(
                'How they are stored: full models or adapters of the Hugging Face Trainer (`checkpoint-N`), or `iter_N` of Megatron-LM or slime.',
              ),
            folder: z
              .string()
              .regex(/^(?![\s\S]*(^|\/)\.\.(\/|$))[^/\n][^\n]*$/, 'is a path below {output}')
              .default('.')
              .describe('Where they lie, below `{output}`.'),
          })
          .describe(
            'What it saves: a complete one of the last step, with changed weights, is what proves that it is done.',
          ),
        progress,
        stallMinutes: z
          .number()
          .positive()
          .default(60)
          .describe('Minutes without a new step after which it counts as stalled; a save and a compilation count too.'),
      })
      .describe('How it is run and read.'),
  })
  .describe(
    'A command that knows nothing of Temper: it is read from outside, by its log, its checkpoints and its end. An exit code alone proves nothing.',
  );
