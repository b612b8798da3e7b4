/** test/k8s/golden: what `temper render` prints, so that a change of any manifest is seen when it is reviewed. */
import { join } from 'node:path';
import { loadProfile, loadRecipe } from '../../configs/load.ts';
import { manifestsOf, manifestsText } from '../../workers/render.ts';
import { repository } from '../repository.ts';

const pairs = [
  { recipe: 'tiny', profile: 'cluster' },
  { recipe: 'tiny', profile: 'h100' },
];

/** By path in the repository. */
export async function goldenManifests(): Promise<[string, string][]> {
  const configs = join(repository, 'configs');
  return await Promise.all(
    pairs.map(async ({ recipe: recipeName, profile: profileName }): Promise<[string, string]> => {
      const { value: recipe } = await loadRecipe(join(configs, 'recipes'), recipeName);
      const { value: profile } = await loadProfile(join(configs, 'profiles'), profileName);
      if (profile.backend !== 'kubernetes') throw new Error(`profile ${profileName} has no manifests`);
      const path = `test/k8s/golden/${recipeName}-on-${profileName}.yaml`;
      return [path, manifestsText(manifestsOf(recipe, profile, recipe.name))];
    }),
  );
}
