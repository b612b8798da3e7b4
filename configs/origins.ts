/**
 * Where each value of a resolved recipe came from: the recipe, `set`, or a default.
 *
 * Covers every leaf, in the order of the schema. Does not cover why (schema.ts has the defaults).
 */
import { fieldName, type Path } from './problems.ts';

export interface Origin {
  /** For example `phases.sft.params.learningRate`. */
  readonly field: string;
  /** A text, a number, a boolean, or a list of them. */
  readonly value: unknown;
  readonly from: 'recipe' | 'set' | 'default';
}

type Fields = Readonly<Record<string, unknown>>;

/** `given` is the document before `set` and defaults. */
export function originsOf(resolved: Fields, given: Fields, set: Fields): Origin[] {
  return leavesBelow(resolved, []).map(({ path, value }) => {
    const field = fieldName(resolved, path);
    return { field, value, from: originOf({ path, names: field.split('.') }, given, set) };
  });
}

/** What `set` names replaces all of it: what it leaves out is a default then. */
function originOf(leaf: { readonly path: Path; readonly names: readonly string[] }, given: Fields, set: Fields) {
  for (const [field, value] of Object.entries(set).reverse()) {
    const keys = field.split('.');
    if (keys.every((key, index) => key === leaf.names[index] || key === String(leaf.path[index])))
      return has(value, leaf.path.slice(keys.length)) ? 'set' : 'default';
  }
  return has(given, leaf.path) ? 'recipe' : 'default';
}

function leavesBelow(value: unknown, path: Path): { path: Path; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return [{ path, value }];
  return Object.entries(value)
    .filter(([, below]) => below !== undefined)
    .flatMap(([key, below]: [string, unknown]) => leavesBelow(below, [...path, key]));
}

function has(given: unknown, path: Path): boolean {
  let at = given;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return true;
}
