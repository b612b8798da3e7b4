/**
 * A score from outside as it comes in by the update `recordScore` and by `temper record-score`.
 *
 * Covers the shape. Does not cover what goes together (decisions/score-entry.ts).
 */
import { z } from 'zod';

const word = (most: number) => z.string().trim().min(1).max(most);
/** `40/50`, `80%` or `0.8`. */
const share = z.union([z.string().min(1).max(40), z.number()]);
const count = z.int().positive();

export const scoreInputSchema = z.strictObject({
  checkpoint: word(400).describe(
    'Its id, as the leaderboard has it; or `pipeline/phase` for what that promoted, or its path.',
  ),
  benchmark: word(40).describe('A benchmark of the recipe that is scored outside.'),
  score: share.optional().describe('The mean over its runs: 40/50, 80% or 0.8.'),
  problems: count.optional().describe('How many problems it is over, where neither the score nor the recipe says so.'),
  runs: count.optional().describe('Runs that the score is the mean of; 1 unless named.'),
  deviation: share.optional().describe('Standard deviation of the score from run to run.'),
  standardError: share.optional().describe('Standard error of the score.'),
  place: count.optional().describe('Its place on a leaderboard, 1 the highest, where a score is not known of all.'),
  runtime: z
    .union([z.number().positive(), z.enum(['kept', 'missed'])])
    .optional()
    .describe('Minutes of one run, or whether it kept the runtime limit.'),
  source: word(200).optional().describe('Where it is from.'),
  by: word(100).optional().describe('Who says so.'),
  note: word(500).optional().describe('What whoever reads it later should know.'),
  corrects: word(40).optional().describe('The id of a score that this one stands for; needs a note.'),
});

export type ScoreInput = z.output<typeof scoreInputSchema>;
