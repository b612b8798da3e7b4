/** The input of a workflow or an update as its schema has it; throws what a person sees in the UI. */
import { workflowInfo } from '@temporalio/workflow';
import type { z } from 'zod';
import { type Problem, problemList, problemsOf } from '../configs/problems.ts';
import { refusal } from './refusal.ts';

/** Of an update. */
export function inputOf<T>(update: string, schema: z.ZodType<T>, input: unknown): T {
  return checked(schema, input, (problems) => {
    // The form runs its lines together: of several it must be seen where each begins.
    const list = problemList(problems, problems.length > 1 ? '• ' : '');
    return `Input of ${update} is not valid:\n${list}`;
  });
}

/** Of the workflow that runs. `example`: a valid one, where the problems alone do not show it. */
export function inputOfWorkflow<T>(schema: z.ZodType<T>, input: unknown, example?: string): T {
  return checked(schema, input, (problems) => {
    const message = `Input of ${workflowInfo().workflowType} is not valid:\n${problemList(problems)}`;
    return example === undefined ? message : `${message}\nInput: ${example}`;
  });
}

function checked<T>(schema: z.ZodType<T>, input: unknown, words: (problems: readonly Problem[]) => string): T {
  const given = input ?? {};
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = problemsOf(schema, given, result.error.issues);
  throw refusal({ type: 'InvalidInput', message: words(problems), details: [problems] });
}
