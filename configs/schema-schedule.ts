/**
 * The fields and defaults of a schedule: when a sweep runs, and what it evaluates. What `.describe()` says is what editors and
 * docs/reference say: `npm run docs` writes both anew.
 *
 * Does not cover local times that a clock change skips or doubles (decisions/clock-change.ts), or reading files (load.ts).
 */
import { z } from 'zod';
import { count, eachOnce, name } from './schema-fields.ts';
import { zoneProblem } from './schema-time-zone.ts';

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof weekdays)[number];

const localTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time is written 03:00');

const timeZone = z
  .string()
  .refine((text) => zoneProblem(text) === null, { error: ({ input }) => zoneProblem(String(input)) ?? '' })
  .describe('The zone of these times, by its IANA name, such as `Europe/Berlin`.');

const checkpoints = z
  .strictObject({
    running: z.boolean().default(true).describe('The newest complete checkpoint of every pipeline that trains now.'),
    champions: z.boolean().default(true).describe('Of every pipeline, the checkpoint that was promoted last.'),
    named: eachOnce(z.array(z.string().min(1)))
      .default([])
      .describe('Checkpoints by their id, such as `tiny/sft/a1/checkpoint-50`.'),
  })
  .prefault({})
  .refine(({ running, champions, named }) => running || champions || named.length > 0, 'names no checkpoint at all')
  .describe('Whose checkpoints are looked at.');

const sweepFields = {
  checkpoints,
  benchmarks: eachOnce(z.array(name).min(1)).describe('On which benchmarks, by their names in recipes.'),
  recipe: name
    .optional()
    .describe('The recipe whose benchmarks are meant; of each checkpoint its own pipeline’s unless named.'),
  seeds: count
    .max(64)
    .default(3)
    .describe('Most seeds of one checkpoint on one benchmark; one that is surely below the highest gets no more.'),
  gpuHours: z
    .number()
    .positive()
    .default(8)
    .describe(
      'What its jobs may take: hours × the GPUs that the profile gives an evaluation job; without any, an hour counts as one. What is left over is skipped, and told.',
    ),
  profile: name
    .optional()
    .describe('The profile its jobs run on, and whose `notify` is told; the worker’s own unless named.'),
};

/** What one sweep evaluates; input of `evalSweep`. */
export const sweepSchema = z.strictObject({
  name: name.describe('What it is called: a sweep is compared with the last one of its name.'),
  ...sweepFields,
});

export const scheduleSchema = z.strictObject({
  name: name.describe('Id of the schedule, and name of its sweeps.'),
  at: eachOnce(z.array(localTime).min(1)).describe('Local times at which a sweep starts, such as `["03:00"]`.'),
  days: eachOnce(z.array(z.enum(weekdays)).min(1))
    .default([...weekdays])
    .describe('On which days of the week.'),
  timeZone,
  catchUpHours: z
    .number()
    .positive()
    .max(24)
    .default(6)
    .describe(
      'A sweep that could not start in time starts up to so many hours late; after that it is a skipped night.',
    ),
  sweep: z.strictObject(sweepFields).describe('What is evaluated.'),
});

export type Sweep = z.output<typeof sweepSchema>;
export type Schedule = z.output<typeof scheduleSchema>;
