/** `temper render`: the manifests of every phase, without a cluster. */
import { Argument, Command, Option } from 'commander';
import { TemperError } from '../../decisions/errors.ts';
import { fileOption, jsonOption, setOption, type Set } from './options.ts';
import { note, sayJson } from './output.ts';

interface Options {
  readonly file?: string;
  readonly set: Set;
  readonly profile: string;
  readonly setup?: true;
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
    .addOption(
      new Option('--profile <name>', 'the profile of Kubernetes it would run on; required').makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--setup',
        'instead, what the namespace needs once: the Role of workers, and the Service of their jobs',
      ),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ temper render -f mine.yaml --profile h100
  $ temper render tiny --profile cluster | kubectl apply --dry-run=server -f -
  $ temper render --setup --profile cluster | kubectl apply -f -`,
    )
    .action(async (named: string, { file, set, profile: profileName, setup, json }: Options) => {
      const [
        { fitting, loadProfile, loadRecipe, loadRecipeFile },
        { placementWarnings },
        { readPlaces },
        { valuesOf },
        { manifestsOf, manifestsText, setupManifests },
      ] = await Promise.all([
        import('../../configs/load.ts'),
        import('../../configs/placement-warnings.ts'),
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
      const ofRecipe = async () => {
        const fields = valuesOf(set);
        const given =
          file === undefined ? await loadRecipe(recipesDirectory, named, fields) : await loadRecipeFile(file, fields);
        const { value: recipe } = fitting(given, profile);
        for (const sentence of placementWarnings(profile, recipe)) note(`warning: ${sentence}`);
        return manifestsOf(recipe, profile, recipe.name);
      };
      const manifests = setup ? setupManifests(profile) : await ofRecipe();
      if (json) sayJson(manifests.map(({ object }) => object));
      else process.stdout.write(manifestsText(manifests));
    });
}
