/** `temper validate`: everything that is wrong in recipes, profiles and schedules, without a server. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Argument, Command, Option } from 'commander';
import type { Documented } from '../../configs/json-schema.ts';
import type { LoadedFile, LocatedProblem } from '../../configs/load.ts';
import type { Phase, Profile } from '../../configs/schema.ts';
import { TemperError } from '../../decisions/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { fileOption, jsonOption, setOption, type Set } from './options.ts';
import { say, sayJson } from './output.ts';

interface Options {
  /** As `plan` and `start` name a recipe; the same as an argument. */
  readonly file?: readonly string[];
  readonly json?: true;
  readonly profile?: string;
  readonly schema?: Documented | true;
  readonly set: Set;
}

interface Checked {
  readonly file: string;
  readonly valid: boolean;
  /** What a person reads: one line, or one for each problem. */
  readonly text: string;
  readonly problems: readonly Partial<LocatedProblem>[];
  /** Sentences. */
  readonly warnings: readonly string[];
}

export function validate(): Command {
  return new Command('validate')
    .description(
      'Names everything that is wrong in recipes, profiles and schedules at once, with file, line and column and the nearest valid name. Without files, checks those that this machine has.',
    )
    .addArgument(
      new Argument(
        '[file...]',
        'recipes, profiles and schedules, by file or by the name that this machine has them under; a profile is told by its field `backend`, a schedule by its field `sweep`',
      ),
    )
    .addOption(fileOption().argParser((path, before: readonly string[] | undefined) => [...(before ?? []), path]))
    .addOption(setOption())
    .addOption(new Option('--profile <name>', 'check too that this profile has what the recipes ask for'))
    .addOption(
      new Option('--schema [what]', 'print the fields as JSON Schema, for editors').choices([
        'recipe',
        'profile',
        'schedule',
      ]),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ temper validate tiny h100
  $ temper validate mine.yaml --set seed=2
  $ temper validate mine.yaml --profile h100
  $ temper validate --schema > recipe.schema.json    # in a recipe: # yaml-language-server: $schema=recipe.schema.json

Ends with 0 when everything is valid, with 2 when something is not.`,
    )
    .action(async (files: readonly string[], options: Options) => {
      if (options.schema === undefined) await checkAll([...files, ...(options.file ?? [])], options);
      else await printSchema(options.schema === true ? 'recipe' : options.schema);
    });
}

async function printSchema(what: Documented): Promise<void> {
  const { jsonSchemaText } = await import('../../configs/json-schema.ts');
  process.stdout.write(jsonSchemaText(what));
}

async function checkAll(files: readonly string[], { json, set, profile: named }: Options): Promise<void> {
  const { valuesOf } = await import('./given-recipe.ts');
  const values = valuesOf(set);
  const profile = named === undefined ? null : await profileOfThisMachine(named);
  const checked: Checked[] = [];
  const meant = (await Promise.all(files.map(filesMeant))).flat();
  for (const file of files.length > 0 ? meant : await filesOfThisMachine())
    checked.push(await check(file, values, profile));
  if (json) sayJson(checked.map(({ text: _lines, ...data }) => data));
  else for (const { text } of checked) say(text);
  if (checked.some(({ valid }) => !valid)) process.exitCode = exitCodes.badInput;
}

/** The file; else every recipe, profile and schedule of this machine with that name: one name may be several. Throws `not-found`. */
async function filesMeant(given: string): Promise<string[]> {
  if (/[./]/.test(given) || existsSync(given)) return [given];
  const files = await filesOfThisMachine();
  const named = files.filter((file) => basename(file, '.yaml') === given);
  if (named.length > 0) return named;
  const { nearestName } = await import('../../configs/nearest-name.ts');
  const near = nearestName(given, [...new Set(files.map((file) => basename(file, '.yaml')))]);
  const hint = near === null ? '' : `; did you mean "${near}"?`;
  throw new TemperError('not-found', `no file, recipe, profile or schedule is named "${given}"${hint}`);
}

async function filesOfThisMachine(): Promise<string[]> {
  const [{ yamlFilesOf }, { readPlaces }] = await Promise.all([
    import('../../configs/load.ts'),
    import('../settings.ts'),
  ]);
  const { recipesDirectory, profilesDirectory, schedulesDirectory } = readPlaces(process.env);
  return (await Promise.all([recipesDirectory, profilesDirectory, schedulesDirectory].map(yamlFilesOf))).flat();
}

async function profileOfThisMachine(name: string): Promise<Profile> {
  const [{ loadProfile }, { readPlaces }] = await Promise.all([
    import('../../configs/load.ts'),
    import('../settings.ts'),
  ]);
  return (await loadProfile(readPlaces(process.env).profilesDirectory, name)).value;
}

async function check(file: string, set: Record<string, unknown>, profile: Profile | null): Promise<Checked> {
  const [{ fitting, loadFile }, { refuseClockTrouble }] = await Promise.all([
    import('../../configs/load.ts'),
    import('./given-schedule.ts'),
  ]);
  let given: LoadedFile;
  try {
    given = await loadFile(file, set);
    if (given.kind === 'recipe' && profile !== null) fitting(given, profile);
    if (given.kind === 'schedule') refuseClockTrouble(given.value, file);
  } catch (error) {
    if (!(error instanceof TemperError)) throw error;
    const problems = (error.details as LocatedProblem[] | undefined) ?? [{ message: error.message }];
    return { file, valid: false, text: error.message, problems, warnings: [] };
  }
  const { kind, value } = given;
  const warnings = await warningsOf(given, profile);
  const lines = [
    `${file}: valid (${kind} ${value.name})`,
    ...(kind === 'recipe' ? startsOf(value.phases) : []).map((sentence) => `  ${sentence}`),
    ...warnings.map((sentence) => `  warning: ${sentence}`),
  ];
  return { file, valid: true, text: lines.join('\n'), problems: [], warnings };
}

/** What lies in no file of this machine is looked for by a worker. */
function startsOf(phases: readonly Phase[]): string[] {
  return phases.flatMap(({ name, from }) =>
    typeof from === 'object'
      ? [`${name} starts from ${from.checkpoint}: \`temper plan\` says whether that is promoted and sealed`]
      : [],
  );
}

/** What is allowed and doubtful: of a recipe and on its profile, or of a profile or a schedule by itself. */
async function warningsOf(given: LoadedFile, profile: Profile | null): Promise<string[]> {
  const [{ profileWarnings }, { recipeWarnings }, { loadRecipes }, { readPlaces }] = await Promise.all([
    import('../../configs/placement-warnings.ts'),
    import('../../configs/recipe-warnings.ts'),
    import('../../configs/load.ts'),
    import('../settings.ts'),
  ]);
  if (given.kind === 'schedule') {
    const { scheduleWarnings } = await import('./schedule-warnings.ts');
    return await scheduleWarnings(given.value, readPlaces(process.env));
  }
  if (given.kind === 'recipe') return recipeWarnings(given.value, profile);
  return profileWarnings(given.value, await loadRecipes(readPlaces(process.env).recipesDirectory));
}
