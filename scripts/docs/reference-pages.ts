/** The pages of docs/reference that are written from the code, by their paths in the repository. */
import { commandPage } from './command-page.ts';
import { profilePage, recipePage } from './recipe-page.ts';

export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/reference/recipe.md', recipePage()],
    ['docs/reference/profile.md', profilePage()],
    ['docs/reference/cli.md', await commandPage()],
  ]);
}
