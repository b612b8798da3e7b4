/** `temper doctor`: what a recipe lacks on a profile, before anything is spent. */
import { Argument, Command, Option } from 'commander';
import { type HealthCheck, isHealthy } from '../../decisions/health-check.ts';
import type { NodeMemory } from '../../k8s/doctor/judge-node-memory.ts';
import { exitCodes } from '../exit-codes.ts';
import { fileOption, jsonOption, setOption, type Set, wholeNumber } from './options.ts';
import { note, say, sayJson } from './output.ts';

interface Options {
  readonly file?: string;
  readonly set: Set;
  readonly profile: string;
  readonly timeout: number;
  readonly fix?: true;
  readonly json?: true;
}

export function doctor(): Command {
  return new Command('doctor')
    .description(
      'Says what is missing for a recipe on a profile, each with the command that adds it, before anything is spent. Run it where the worker runs, with its rights. On a cluster a short pod without GPUs is made and taken away again: it tries the images, and whether worker and pods see the same store. Which nodes failed lately it asks a worker, where one answers; and what the Temporal server lacks, the server.',
    )
    .addArgument(new Argument('[recipe]', 'a recipe that this machine has; without one, all that the profile names'))
    .addOption(fileOption())
    .addOption(setOption())
    .addOption(new Option('--profile <name>', 'where jobs would run').default('local'))
    .addOption(
      new Option('--timeout <seconds>', 'how long a pod may take to come up, its image included')
        .argParser(wholeNumber)
        .default(120),
    )
    .addOption(new Option('--fix', 'adds the search attributes that the namespace of the Temporal server lacks'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ temper doctor --profile cluster
  $ temper doctor -f mine.yaml --profile h100 --timeout 900

Ends with 0 when nothing is known to be missing, with 69 when something is. What you may not read is said to be not checked.`,
    )
    .action(async (named: string | undefined, options: Options) => {
      const [{ loadProfile }, { readPlaces }, { examine }, { onStopSignal }, { recipeHere }, { checksText }] =
        await Promise.all([
          import('../../configs/load.ts'),
          import('../settings.ts'),
          import('../doctor.ts'),
          import('../stop-signal.ts'),
          import('./given-recipe.ts'),
          import('../terminal/checks-text.ts'),
        ]);
      const { asked: signal } = onStopSignal(process);
      const { recipesDirectory, profilesDirectory } = readPlaces(process.env);
      const { value: profile } = await loadProfile(profilesDirectory, options.profile);
      const recipe = await recipeHere({ ...options, recipe: named }, { recipesDirectory, profile });
      const { timeout: seconds, json } = options;
      try {
        const { place, checks } = await examine({
          profile,
          recipe,
          seconds,
          signal,
          environment: process.env,
          askNodes,
          askServer: () => askServer(options.fix === true),
        });
        const title = `${recipe === null ? '' : `Recipe ${recipe.name} on `}profile ${profile.name}: ${place}`;
        if (json) sayJson({ profile: profile.name, recipe: recipe?.name ?? null, healthy: isHealthy(checks), checks });
        else say(checksText(`${title.slice(0, 1).toUpperCase()}${title.slice(1)}`, checks));
        if (!isHealthy(checks)) process.exitCode = exitCodes.unavailable;
      } catch (error) {
        if (!signal.aborted) throw error;
        note('Stopped: nothing of it is left on the cluster or the store.');
        process.exitCode = exitCodes.interrupted;
      }
    });
}

/** Far more than a worker takes that has something else to do. */
const nodesSeconds = 10;

/** Nobody has to run a worker, or a Temporal server, before doctor is asked: whatever fails here costs this check alone. */
async function askNodes(): Promise<NodeMemory> {
  const { ask } = await import('./ask.ts');
  try {
    const { cluster, suspects } = await ask({ question: 'nodes' }, { direct: false, seconds: nodesSeconds });
    return { kind: 'known', cluster, suspects };
  } catch (error) {
    return { kind: 'unknown', why: error instanceof Error ? error.message : String(error) };
  }
}

/** As above; with `fix`, a server that cannot be asked is an error, since something was to be done to it. */
async function askServer(fix: boolean): Promise<readonly HealthCheck[]> {
  const [{ withServer }, { examineServer, serverNotExamined }] = await Promise.all([
    import('./connect.ts'),
    import('../doctor-temporal.ts'),
  ]);
  try {
    return await withServer((server) => examineServer(server, { fix }));
  } catch (error) {
    if (fix) throw error;
    return serverNotExamined(error);
  }
}
