/** The start form of the UI with Temper's own example in it. */
import type { Client } from '@temporalio/client';
import { makeStartFormLink } from './start-form-link.ts';

export async function startForm(
  client: Client,
  where: { readonly uiUrl: string; readonly taskQueue: string },
): Promise<string> {
  return await makeStartFormLink(client, {
    ...where,
    input: { recipe: 'tiny', set: { 'phases.sft.params.learningRate': 0.005 } },
    summary: 'A pipeline from the start form',
    details:
      'Input: `{"recipe": "<name>"}` starts a recipe that the worker has; `set` changes single fields, addressed as `phases.sft.params.learningRate`. A whole recipe may stand in place of the name.',
  });
}
