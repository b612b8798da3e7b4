/**
 * One result of another harness as `temper import-eval` sends it to a worker: of one task, outcomes per problem or a mean.
 *
 * Covers the shape. Does not cover reading a harness's files (workers/eval-files/) or what becomes of it (activities/imports.ts).
 */
import { z } from 'zod';

const word = (most: number) => z.string().trim().min(1).max(most);
const count = z.int().positive();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const share = z.number().min(0).max(1);

export const evalTools = ['lm-eval', 'lighteval', 'nemo-skills'] as const;
export type EvalTool = (typeof evalTools)[number];

const outcomes = z
  .strictObject({
    kind: z.literal('outcomes'),
    /** Their names, the same in every run on the same data. */
    problems: z.array(word(80)).min(1),
    /** A digit for each problem: `1` where its answer is right. */
    right: z.string().regex(/^[01]+$/),
    /** Generated for each, where the file says so. */
    tokens: z.array(z.int().min(0)).optional(),
    seconds: z.array(z.number().min(0)).optional(),
  })
  .refine(
    ({ problems, right, tokens = problems, seconds = problems }) =>
      [right, tokens, seconds].every(({ length }) => length === problems.length),
    'has not as many answers as problems',
  );

const mean = z.strictObject({
  kind: z.literal('mean'),
  score: share,
  problems: count,
  runs: count,
  /** Standard deviation of the score from run to run. */
  deviation: share.optional(),
  /** Of the mean. */
  standardError: share.optional(),
});

export const importedResultSchema = z.strictObject({
  tool: z.enum(evalTools),
  task: word(200),
  metric: word(200),
  /** What else of the harness makes the score what it is, such as its version of the task. */
  settings: z.record(z.string().max(40), z.union([z.string().max(2000), z.number()])),
  /** The file's name. */
  source: word(120),
  /** SHA-256 of the file. */
  digest: sha256,
  /** SHA-256 of what the harness says of the whole run: the same for its mean and for its outcomes, which are of all of it or of one of `parts`. */
  run: z.strictObject({ digest: sha256, parts: count }),
  found: z.discriminatedUnion('kind', [outcomes, mean]),
});

export type ImportedResult = z.output<typeof importedResultSchema>;
export type ImportedOutcomes = Extract<ImportedResult['found'], { kind: 'outcomes' }>;
