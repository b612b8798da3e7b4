/** `temper render`: the manifests of every phase, without a cluster. */
import { Argument, Command } from 'commander';
import { TemperError } from '../../decisions/errors.ts';
import { fileOption, jsonOption, profileOption, setOption, type Set } from './options.ts';
import { sayJson } from './output.ts';

interface Options {
  readonly file?: string;
  readonly set: Set;
  readonly profile: string;
  readonly json?: true;
}

export function render(): Command {
  return new Command('render')
    .description(
      'Prints the Kubernetes manifests of every phase and its evaluation, as its first attempt would be submitted. Touches no cluster.',
    )
    .addArgument(new Argument('[recipe]', 'a recipe that this machine has').default('tiny'))
    .addOption(fileOption())
    .addOption(setOption())
    .addOption(profileOption().makeOptionMandatory())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ temper render -f mine.yaml --profile h100
  $ temper render tiny --profile cluster | kubectl apply --dry-run=server -f -`,
    )
    .action(async (named: string, { file, set, profile: profileName, json }: Options) => {
      const [
        { fitting, loadProfile, loadRecipe, loadRecipeFile },
        { readPlaces },
        { valuesOf },
        { manifestsOf, manifestsText },
      ] = await Promise.all([
        import('../../configs/load.ts'),
        import('../settings.ts'),
        import('./given-recipe.ts'),
        import('../render.ts'),
      ]);
      const { recipesDirectory, profilesDirectory } = readPlaces(process.env);
      const { value: profile } = await loadProfile(profilesDirectory, profileName);
      if (profile.backend !== 'kubernetes')
        throw new TemperError(
          'invalid-input',
          `profile "${profileName}" runs jobs as processes of its machine: there are no manifests`,
        );
      const fields = valuesOf(set);
      const given =
        file === undefined ? await loadRecipe(recipesDirectory, named, fields) : await loadRecipeFile(file, fields);
      const { value: recipe } = fitting(given, profile);
      const manifests = manifestsOf(recipe, profile, recipe.name);
      if (json) sayJson(manifests.map(({ object }) => object));
      else process.stdout.write(manifestsText(manifests));
    });
}
