/**
 * Recipes, profiles and schedules from YAML files or inline documents: parsed once, at the edge, into a frozen value.
 *
 * Covers reading, `set`, and errors that name the field, with its line where it stands in a file. Does not cover the fields themselves
 * (schema.ts) or what YAML may hold (yaml-text.ts).
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { z } from 'zod';
import { TemperError } from '../decisions/errors.ts';
import { nearestName } from './nearest-name.ts';
import { placementProblems } from './placement.ts';
import { placedProblemsOf, type PlacedProblem, type Problem } from './problems.ts';
import { recipeProblems } from './recipe-problems.ts';
import { scheduleSchema, sweepSchema, type Schedule, type Sweep } from './schema-schedule.ts';
import { profileSchema, recipeSchema, type Profile, type Recipe } from './schema.ts';
import { withFieldsSet } from './set-fields.ts';
import { readYaml, type Position, type YamlText } from './yaml-text.ts';

type Document = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, unknown>>;

export interface Resolved<T> {
  readonly value: T;
  /** The file it came from, or `inline`. */
  readonly source: string;
  /** As it was given, before `set` and defaults. */
  readonly document: Document;
  /** The same problem with where it stands. */
  readonly located: (problem: PlacedProblem) => LocatedProblem;
}

/** A problem and where it stands; nowhere for an inline document. */
export interface LocatedProblem extends Problem, Partial<Position> {
  /** The file, `set`, or `inline`. */
  readonly source: string;
}

/** A recipe by name (a file of `directory`) or as a whole document. Throws `invalid-input` or `not-found`. */
export async function loadRecipe(
  directory: string,
  named: string | Record<string, unknown>,
  set: Fields = {},
): Promise<Resolved<Recipe>> {
  return recipeOf(typeof named === 'string' ? await readNamed(directory, 'recipe', named) : inline(named), set);
}

/** A recipe from a file anywhere. Throws `invalid-input` or `not-found`. */
export async function loadRecipeFile(path: string, set: Fields = {}): Promise<Resolved<Recipe>> {
  return recipeOf(await readFileAt(path, path), set);
}

/** Every recipe that is there and valid: of a folder that cannot be read, none. */
export async function loadRecipes(directory: string): Promise<Recipe[]> {
  const files = await yamlFilesOf(directory).catch((error: unknown) => {
    if (error instanceof TemperError) return [];
    throw error;
  });
  const read = await Promise.allSettled(files.map((file) => loadRecipeFile(file)));
  return read.flatMap((one) => (one.status === 'fulfilled' ? [one.value.value] : []));
}

/** A profile by name: a file of `directory`, or the built-in `local`. Throws `invalid-input` or `not-found`. */
export async function loadProfile(directory: string, name: string): Promise<Resolved<Profile>> {
  return parsedBy(profileSchema, 'Profile', await readNamed(directory, 'profile', name));
}

/** A schedule by name: a file of `directory`. Throws `invalid-input` or `not-found`. */
async function loadSchedule(directory: string, name: string): Promise<Resolved<Schedule>> {
  return parsedBy(scheduleSchema, 'Schedule', await readNamed(directory, 'schedule', name));
}

/** A schedule from a file anywhere. Throws `invalid-input` or `not-found`. */
export async function loadScheduleFile(path: string): Promise<Resolved<Schedule>> {
  return parsedBy(scheduleSchema, 'Schedule', await readFileAt(path, path));
}

/** The sweep of a schedule by its name (a file of `directory`), or a whole one. Throws `invalid-input` or `not-found`. */
export async function loadSweep(directory: string, named: string | Document): Promise<Resolved<Sweep>> {
  if (typeof named !== 'string') return parsedBy(sweepSchema, 'Sweep', inline(named));
  const { value, ...given } = await loadSchedule(directory, named);
  return { ...given, value: { name: value.name, ...value.sweep } };
}

/** Recipes, profiles or schedules of a folder, by their paths. Throws `not-found`. */
export async function yamlFilesOf(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((file) => file.endsWith('.yaml')).map((file) => join(directory, file));
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    const message = `the folder ${directory} cannot be read (${code}): TEMPER_RECIPES, TEMPER_PROFILES and TEMPER_SCHEDULES name folders of recipes, profiles and schedules`;
    throw new TemperError('not-found', message, { cause });
  }
}

export type LoadedFile =
  | ({ readonly kind: 'recipe' } & Resolved<Recipe>)
  | ({ readonly kind: 'profile' } & Resolved<Profile>)
  | ({ readonly kind: 'schedule' } & Resolved<Schedule>);

/** A recipe, a profile, which is told by its field `backend`, or a schedule, by its field `sweep`. Throws `invalid-input` or `not-found`. */
export async function loadFile(path: string, set: Fields = {}): Promise<LoadedFile> {
  const given = await readFileAt(path, path);
  const has = (field: string) => Object.hasOwn(given.document, field) && !Object.hasOwn(given.document, 'phases');
  if (has('backend')) return { kind: 'profile', ...parsedBy(profileSchema, 'Profile', given) };
  if (has('sweep')) return { kind: 'schedule', ...parsedBy(scheduleSchema, 'Schedule', given) };
  return { kind: 'recipe', ...recipeOf(given, set) };
}

/** The recipe, when the profile has what its phases ask for. Throws `invalid-input` with everything that it has not. */
export function fitting(recipe: Resolved<Recipe>, profile: Profile): Resolved<Recipe> {
  const problems = inFileOrder(placementProblems(recipe.value, profile).map(recipe.located));
  if (problems.length === 0) return recipe;
  throw refusal(`Recipe ${recipe.source} does not fit profile "${profile.name}":`, problems);
}

/** A YAML text as a group of fields. Throws `invalid-input`. */
export function parseYaml(text: string, source: string): Record<string, unknown> {
  return readYaml(text, source).value;
}

interface Given {
  readonly document: Document;
  readonly source: string;
  /** Absent for an inline document. */
  readonly text?: YamlText;
}

const inline = (document: Document): Given => ({ document, source: 'inline' });

/** What commands mean where no profile is named: it is there whatever folder TEMPER_PROFILES names. */
const builtIn = { recipe: {}, profile: { local: { name: 'local', backend: 'local' } }, schedule: {} } as const;

async function readNamed(directory: string, what: keyof typeof builtIn, name: string): Promise<Given> {
  const files = (await yamlFilesOf(directory)).map((file) => basename(file, '.yaml'));
  const own: Readonly<Record<string, Document>> = builtIn[what];
  const names = [...new Set([...files, ...Object.keys(own)])];
  const document = own[name];
  if (!files.includes(name) && document !== undefined) return { document, source: 'built in' };
  if (!names.includes(name)) {
    const near = nearestName(name, names);
    throw new TemperError(
      'not-found',
      `no ${what} is named "${name}"${near === null ? '; the' : `; did you mean "${near}"? The`} worker has: ${names.sort().join(', ') || 'none'}`,
    );
  }
  return await readFileAt(join(directory, `${name}.yaml`), `${name}.yaml`);
}

async function readFileAt(path: string, source: string): Promise<Given> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new TemperError('not-found', `${path} cannot be read (${code})`, { cause });
  }
  let decoded: string;
  try {
    decoded = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new TemperError('invalid-input', `${source}: is no text in UTF-8`, { cause });
  }
  const text = readYaml(decoded, source);
  return { document: text.value, source, text };
}

function recipeOf(given: Given, set: Fields): Resolved<Recipe> {
  const { document, problems } = changedBy(given.document, set);
  const placed = recipeProblems(document).map((problem) => located(given, set, problem));
  refuse(`Recipe ${given.source}`, [...inFileOrder(placed), ...problems]);
  const { source } = given;
  return {
    value: deepFrozen(recipeSchema.parse(document)),
    source,
    document: given.document,
    located: (problem) => located(given, set, problem),
  };
}

/** By a schema that says all there is to say of a document. */
function parsedBy<Schema extends z.ZodType>(schema: Schema, title: string, given: Given): Resolved<z.output<Schema>> {
  const { data, error } = schema.safeParse(given.document);
  const placed = placedProblemsOf(schema, given.document, error?.issues ?? []);
  refuse(`${title} ${given.source}`, inFileOrder(placed.map((problem) => located(given, {}, problem))));
  return {
    value: deepFrozen(data ?? schema.parse(given.document)),
    source: given.source,
    document: given.document,
    located: (problem) => located(given, {}, problem),
  };
}

/** Each field of `set` by itself, so that every wrong one is named. */
function changedBy(document: Document, set: Fields): { document: Document; problems: LocatedProblem[] } {
  const problems: LocatedProblem[] = [];
  let changed = document;
  for (const [path, value] of Object.entries(set)) {
    try {
      changed = withFieldsSet(changed, { [path]: value });
    } catch (error) {
      if (!(error instanceof TemperError)) throw error;
      problems.push({ field: path, message: error.message.replace(/^set: /, ''), source: 'set' });
    }
  }
  return { document: changed, problems };
}

function located({ source, text }: Given, set: Fields, problem: PlacedProblem): LocatedProblem {
  const { field, message, path, of } = problem;
  if (Object.keys(set).some((changed) => field === changed || field.startsWith(`${changed}.`)))
    return { field, message, source: 'set' };
  return { field, message, source, ...text?.positionOf(path, of) };
}

/** What `set` brought comes after the file. */
function inFileOrder(problems: readonly LocatedProblem[]): LocatedProblem[] {
  const last = Number.POSITIVE_INFINITY;
  const order = ({ source, line, column }: LocatedProblem) =>
    source === 'set' ? [last, 0] : [line ?? last - 1, column ?? 0];
  return problems.toSorted((a, b) => {
    const [[lineA = 0, columnA = 0], [lineB = 0, columnB = 0]] = [order(a), order(b)];
    return lineA === lineB ? columnA - columnB : lineA - lineB;
  });
}

function refuse(title: string, problems: readonly LocatedProblem[]): void {
  if (problems.length > 0) throw refusal(`${title} is not valid:`, problems);
}

function refusal(title: string, problems: readonly LocatedProblem[]): TemperError {
  return new TemperError('invalid-input', [title, ...problems.map(lineOf)].join('\n'), { details: problems });
}

function lineOf({ source, line, column, field, message }: LocatedProblem): string {
  const name = field === '' ? 'the document' : field;
  if (line !== undefined) return `  ${source}:${String(line)}:${String(column)}: ${name}: ${message}`;
  if (source !== 'set') return `  ${name}: ${message}`;
  return message.startsWith('"') ? `  set: ${message}` : `  set: ${name}: ${message}`;
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const below of Object.values(value)) deepFrozen(below);
  }
  return value;
}
