/** The fields of recipes, profiles and schedules as JSON Schema, for editors. Does not cover which fields go together (schema-rules.ts). */
import { z } from 'zod';
import { scheduleSchema } from './schema-schedule.ts';
import { profileSchema, recipeSchema } from './schema.ts';

const schemas = { recipe: recipeSchema, profile: profileSchema, schedule: scheduleSchema } as const;

export type Documented = keyof typeof schemas;
export const documented = Object.keys(schemas) as readonly Documented[];

/** The text of configs/<what>.schema.json. */
export function jsonSchemaText(what: Documented): string {
  const schema = z.toJSONSchema(schemas[what], { io: 'input', unrepresentable: 'any', reused: 'ref' });
  return `${JSON.stringify({ title: `A ${what} of Temper`, ...schema }, null, 2)}\n`;
}
