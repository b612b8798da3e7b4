/** What a person is answered to a recipe: `valid`, or a line for each problem. */
import { loadRecipe } from '../../configs/load.ts';
import type { Document } from './recipes.ts';

export async function answerTo(recipe: Document): Promise<string[]> {
  const message = await loadRecipe('.', recipe).then(
    () => 'valid',
    (error: unknown) => (error as Error).message,
  );
  return message
    .split('\n')
    .slice(message === 'valid' ? 0 : 1)
    .map((line) => line.trim());
}
