import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { profileSchema, recipeSchema } from '../../configs/schema.ts';
import { fieldTable, type Shape } from '../../scripts/docs/field-rows.ts';
import { referencePages } from '../../scripts/docs/reference-pages.ts';
import { repository } from '../../scripts/repository.ts';

const pages = await referencePages();

test.each([...pages.keys()])('%s is what `npm run docs` writes', async (path) => {
  expect(await readFile(join(repository, path), 'utf8')).toBe(pages.get(path));
});

test('every field of recipes and profiles says what it means', () => {
  const silent = [recipeSchema, profileSchema].flatMap((schema) =>
    fieldTable(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape)
      .split('\n')
      .filter((row) => row.endsWith('|  |')),
  );
  expect(silent).toEqual([]);
});

const lora = z.strictObject({ rank: z.int().positive().default(8).describe('Its rank.') });

test.each([
  {
    schema: z.strictObject({ a: z.number().min(0).max(1).describe('A.') }),
    want: '| `a` | number, ≥ 0, ≤ 1 | required | A. |',
  },
  { schema: z.strictObject({ a: z.enum(['x', 'y']).default('x') }), want: '| `a` | `x`, `y` | `x` |  |' },
  { schema: z.strictObject({ a: lora.prefault({}) }), want: '| `a.rank` | whole number, > 0 | `8` | Its rank. |' },
  { schema: z.strictObject({ a: z.array(lora).min(1) }), want: '| `a[].rank` | whole number, > 0 | `8` | Its rank. |' },
  { schema: z.strictObject({ a: z.array(lora).min(1) }), want: '| `a` | list of groups, at least 1 | required |  |' },
  {
    schema: z.strictObject({ a: z.record(z.string(), lora).default({}) }),
    want: '| `a.<name>.rank` | whole number, > 0 | `8` | Its rank. |',
  },
  {
    schema: z.strictObject({ a: z.union([z.strictObject({ x: z.string() }), z.strictObject({ y: z.string() })]) }),
    want: '| `a` | group with `x` or `y` | required |  |',
  },
  {
    schema: z.strictObject({ a: z.int().optional().describe('One | two.') }),
    want: '| `a` | whole number |  | One \\| two. |',
  },
])('a row: $want', ({ schema, want }) => {
  expect(fieldTable(z.toJSONSchema(schema, { io: 'input' }) as Shape)).toContain(want);
});
