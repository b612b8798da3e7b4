/**
 * Recipes and profiles from YAML files or inline documents: parsed once, at the edge, into a frozen value.
 *
 * Covers reading, `set`, and errors that name the field. Does not cover the fields themselves (schema.ts).
 */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import type { z } from 'zod';
import { TemperError } from '../decisions/errors.ts';
import { nearestName } from './nearest-name.ts';
import { problemList, problemsOf } from './problems.ts';
import { profileSchema, recipeSchema, type Profile, type Recipe } from './schema.ts';
import { withFieldsSet } from './set-fields.ts';

export interface Resolved<T> {
  readonly value: T;
  /** The file it came from, or `inline`. */
  readonly source: string;
}

/** A recipe by name (a file of `directory`) or as a whole document. Throws `invalid-input` or `not-found`. */
export async function loadRecipe(
  directory: string,
  named: string | Record<string, unknown>,
  set: Readonly<Record<string, unknown>> = {},
): Promise<Resolved<Recipe>> {
  const { document, source } =
    typeof named === 'string' ? await readNamed(directory, 'recipe', named) : { document: named, source: 'inline' };
  return { value: parse(recipeSchema, withFieldsSet(document, set), `Recipe ${source}`), source };
}

/** A profile by name (a file of `directory`). Throws `invalid-input` or `not-found`. */
export async function loadProfile(directory: string, name: string): Promise<Resolved<Profile>> {
  const { document, source } = await readNamed(directory, 'profile', name);
  return { value: parse(profileSchema, document, `Profile ${source}`), source };
}

async function readNamed(
  directory: string,
  what: string,
  name: string,
): Promise<{ document: Record<string, unknown>; source: string }> {
  const names = (await readdir(directory))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length));
  if (!names.includes(name)) {
    const near = nearestName(name, names);
    throw new TemperError(
      'not-found',
      `no ${what} is named "${name}"${near === null ? '; the' : `; did you mean "${near}"? The`} worker has: ${names.sort().join(', ') || 'none'}`,
    );
  }
  const source = `${name}.yaml`;
  return { document: parseYaml(await readFile(join(directory, source), 'utf8'), source), source };
}

/** A YAML text as a group of fields. What YAML allows and no recipe means (two values of one key, tabs, a tag, an alias that grows without end) is refused. */
export function parseYaml(text: string, source: string): Record<string, unknown> {
  const document = parseDocument(text, { uniqueKeys: true, prettyErrors: true, logLevel: 'error' });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new TemperError('invalid-input', `${source}: ${firstLine(problem.message)}`);
  const value = plainValue(document, source);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TemperError('invalid-input', `${source}: is not a group of fields`);
  return value as Record<string, unknown>;
}

/** With its aliases followed. */
function plainValue(document: Document, source: string): unknown {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new TemperError('invalid-input', `${source}: ${firstLine((cause as Error).message)}`, { cause });
  }
  try {
    JSON.stringify(value);
  } catch (cause) {
    throw new TemperError('invalid-input', `${source}: an alias stands inside what it names`, { cause });
  }
  return value;
}

const firstLine = (message: string): string => message.split('\n')[0]?.replace(/:$/, '') ?? message;

function parse<S extends z.ZodType>(schema: S, document: unknown, title: string): z.output<S> {
  const result = schema.safeParse(document);
  if (result.success) return deepFrozen(result.data);
  const problems = problemsOf(schema, document, result.error.issues);
  throw new TemperError('invalid-input', `${title} is not valid:\n${problemList(problems)}`, { details: problems });
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const below of Object.values(value)) deepFrozen(below);
  }
  return value;
}
