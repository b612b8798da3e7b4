/** What a file says, as its harness writes it. Throws `invalid-input` with every field that is missing or is something else. */
import type { z } from 'zod';
import { problemsOf } from '../../configs/problems.ts';
import { refused } from './json-files.ts';

export function checked<Schema extends z.ZodType>(where: string, schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = problemsOf(schema, value, result.error.issues).slice(0, 5);
  throw refused(where, problems.map(({ field, message }) => `${field}: ${message}`).join('; '));
}
