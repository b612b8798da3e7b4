/**
 * What is written from the code for people to read, by its path in the repository: pages of docs/reference, the help, manifests,
 * and parts of the chart.
 */
import { chartFiles } from './chart-values.ts';
import { commandPage, programHelp } from './command-page.ts';
import { goldenManifests } from './golden-manifests.ts';
import { profilePage, recipePage, schedulePage } from './recipe-page.ts';

export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/reference/recipe.md', recipePage()],
    ['docs/reference/profile.md', profilePage()],
    ['docs/reference/schedule.md', schedulePage()],
    ['docs/reference/cli.md', await commandPage()],
    ['bin/help.txt', await programHelp()],
    ...(await goldenManifests()),
    ...(await chartFiles()),
  ]);
}
