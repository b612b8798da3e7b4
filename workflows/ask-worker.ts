/**
 * Answers one question of the command line from the ledger or the store, and ends.
 *
 * Covers the way there and back. Does not cover the answers (activities/answers.ts).
 */
import { proxyActivities } from '@temporalio/workflow';
import { z } from 'zod';
import type { AnswerActivities } from '../activities/answers.ts';
import { pipelineInputSchema } from '../configs/schema-input.ts';
import { importedResultSchema } from '../configs/schema-import.ts';
import { scoreInputSchema } from '../configs/schema-score.ts';
import { explained } from './explained.ts';
import type { Answer, Question } from './contract-questions.ts';
import { inputOfWorkflow } from './input-of.ts';
import { tellPages } from './tell-pages.ts';
import { wakeGates } from './wake-gates.ts';

const name = z.string().min(1);
const questionSchema = z.discriminatedUnion('question', [
  z.strictObject({ question: z.literal('plan'), input: pipelineInputSchema }),
  z.strictObject({
    question: z.literal('explain'),
    pipeline: name,
    phase: name.optional(),
    attempt: z.int().positive().optional(),
    evidence: z.boolean().optional(),
  }),
  z.strictObject({
    question: z.literal('prune'),
    pipeline: name.optional(),
    phase: name.optional(),
    delete: z.boolean(),
  }),
  z.strictObject({
    question: z.literal('pin'),
    checkpoint: name,
    pinned: z.boolean(),
    by: name,
    reason: name.optional(),
  }),
  z.strictObject({ question: z.literal('lineage'), of: name }),
  z.strictObject({ question: z.literal('reap'), stop: z.boolean() }),
  z.strictObject({ question: z.literal('nodes'), forget: z.strictObject({ node: name, by: name }).optional() }),
  z.strictObject({ question: z.literal('record-score'), score: scoreInputSchema, pipeline: name.optional() }),
  z.strictObject({
    question: z.literal('import-eval'),
    checkpoint: name,
    results: z.array(importedResultSchema).min(1),
    benchmark: name.optional(),
    pipeline: name.optional(),
    by: name,
  }),
  z.strictObject({
    question: z.literal('withdraw'),
    id: z.string().trim().min(1).max(40),
    by: name,
    note: z.string().trim().min(1).max(500),
  }),
  z.strictObject({
    question: z.literal('leaderboard'),
    pipeline: name.optional(),
    benchmark: name.optional(),
    most: z.int().positive().optional(),
  }),
  z.strictObject({ question: z.literal('compare'), first: name, second: name, benchmark: name.optional() }),
  z.strictObject({
    question: z.literal('logs'),
    pipeline: name,
    phase: name.optional(),
    purpose: z.enum(['train', 'evaluate']).optional(),
    attempt: z.int().positive().optional(),
    rank: z.int().min(0).optional(),
    seen: z.strictObject({ directory: name, to: z.int().min(0) }).optional(),
    waitSeconds: z.number().min(0).max(60).optional(),
  }),
] satisfies readonly [SchemaOfQuestion, ...SchemaOfQuestion[]]);

/** Knows every field of its question: one that only the command line knew would be refused here. */
type SchemaOfQuestion = {
  [Name in Question['question']]: z.ZodObject<
    Record<keyof Extract<Question, { question: Name }>, z.ZodType> & { question: z.ZodLiteral<Name> }
  >;
}[Question['question']];

const { answerQuestion } = proxyActivities<AnswerActivities>({
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', maximumAttempts: 3 },
});

export async function askWorker(question?: Question): Promise<Answer> {
  try {
    const answer = await answerQuestion(inputOfWorkflow<Question>(questionSchema, question));
    if (answer.answer !== 'record-score' && answer.answer !== 'import-eval' && answer.answer !== 'withdraw')
      return answer;
    const { shows, ...told } = answer;
    if (told.answer === 'withdraw') await wakeGates({ id: told.withdrawn.join(' '), wakes: told.wakes });
    else for (const score of told.answer === 'import-eval' ? told.scores : [told]) await wakeGates(score);
    await tellPages(shows);
    return told;
  } catch (error) {
    throw explained(error);
  }
}
