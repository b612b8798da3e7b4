/** The input of an update as its schema has it; throws what a person sees in the form. */
import type { z } from 'zod';
import { problemList, problemsOf } from '../../configs/problems.ts';
import { refusal } from '../refusal.ts';

export function inputOf<T>(update: string, schema: z.ZodType<T>, input: unknown): T {
  const given = input ?? {};
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = problemsOf(schema, given, result.error.issues);
  // The form runs its lines together: of several it must be seen where each begins.
  const list = problemList(problems, problems.length > 1 ? '• ' : '');
  const message = `Input of ${update} is not valid:\n${list}`;
  throw refusal({ type: 'InvalidInput', message, details: [problems] });
}
