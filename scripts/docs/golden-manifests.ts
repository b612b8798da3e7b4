/** test/k8s/golden: what `temper render` prints, so that a change of any manifest is seen when it is reviewed. */
import { join } from 'node:path';
import { fitting, loadProfile, loadRecipe } from '../../configs/load.ts';
import { manifestsOf, manifestsText } from '../../workers/render.ts';
import { repository } from '../repository.ts';

/** Each has a profile of its own name. */
const published = ['four-phase-120b', 'behavioural-sft-120b', 'megatron-sft-grpo', 'sao-30b'];

const pairs = [
  { recipe: 'tiny', profile: 'cluster' },
  { recipe: 'tiny', profile: 'h100' },
  ...published.map((name) => ({ recipe: name, profile: name })),
];

/** By path in the repository. */
export async function goldenManifests(): Promise<[string, string][]> {
  const configs = join(repository, 'configs');
  return await Promise.all(
    pairs.map(async ({ recipe: recipeName, profile: profileName }): Promise<[string, string]> => {
      const { value: profile } = await loadProfile(join(configs, 'profiles'), profileName);
      const { value: recipe } = fitting(await loadRecipe(join(configs, 'recipes'), recipeName), profile);
      if (profile.backend !== 'kubernetes') throw new Error(`profile ${profileName} has no manifests`);
      const path = `test/k8s/golden/${recipeName === profileName ? recipeName : `${recipeName}-on-${profileName}`}.yaml`;
      return [path, manifestsText(manifestsOf(recipe, profile, recipe.name))];
    }),
  );
}
