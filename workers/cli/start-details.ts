/** What the page of a run that `temper start` began says under Details: what was given, and where the rest is told. Does not cover what it became. */
import type { PipelineInput } from '../../workflows/contract.ts';
import { entry } from '../../workflows/markdown.ts';

/** One field, name and value. Bytes. */
const longestField = 300;
/** A page that shows more fields than that is read by nobody. */
const mostFields = 30;

/** Markdown; text from outside is escaped. */
export function startDetails(pipelineId: string, { recipe, profile, set = {} }: PipelineInput): string {
  const recipeName = recipe === undefined ? "the worker's default recipe" : nameOf(recipe);
  const fields = Object.entries(set);
  const more = fields.length - mostFields;
  return [
    entry('recipe', recipeName, longestField),
    ...(profile === undefined ? [] : [entry('profile', profile, longestField)]),
    ...fields
      .slice(0, mostFields)
      .map(([field, value]) => entry('set', `${field} = ${JSON.stringify(value)}`, longestField)),
    ...(more > 0 ? [`- … and ${String(more)} more fields, in the input`] : []),
    '',
    `Each decision with its numbers: \`temper explain ${pipelineId.replaceAll('`', '')}\`.`,
    'All resolved values with where each came from: the query `plan`.',
  ].join('\n');
}

function nameOf(recipe: NonNullable<PipelineInput['recipe']>): string {
  if (typeof recipe === 'string') return `${recipe}, as the worker has it`;
  return `${String((recipe as { name?: unknown }).name)}, given whole in the input`;
}
