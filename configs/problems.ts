/**
 * What is wrong with a document, in words: every problem with its field and the nearest valid name.
 *
 * Covers the issues of a zod schema. Does not cover lines and columns of a file.
 */
import { z } from 'zod';
import { nearestName } from './nearest-name.ts';

/** One thing that is wrong. */
export interface Problem {
  /** For example `phases.sft.params.learningRate`. */
  readonly field: string;
  readonly message: string;
}

/** The same with its place in the document. */
export interface PlacedProblem extends Problem {
  readonly path: Path;
  /** Whether the field's name is wrong or its value. */
  readonly of: 'name' | 'value';
}

/** A problem that is not placed in its document yet: its path is below what is looked at. */
export type Misfit = Pick<PlacedProblem, 'path' | 'message' | 'of'>;

type Issue = z.core.$ZodIssue;
export type Path = readonly PropertyKey[];

/** Every problem of `value` that `issues` (of `schema`) name, in their order. */
export function problemsOf(schema: z.ZodType, value: unknown, issues: readonly Issue[]): Problem[] {
  return placedProblemsOf(schema, value, issues).map(({ field, message }) => ({ field, message }));
}

/** The same with their places. */
export function placedProblemsOf(schema: z.ZodType, value: unknown, issues: readonly Issue[]): PlacedProblem[] {
  const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape;
  return issues.flatMap((issue) => problemsOfIssue({ shape, value }, issue, []));
}

/** The problems as a person reads them, a line each, which begins with `mark`. */
export function problemList(problems: readonly Problem[], mark = ''): string {
  return problems
    .map(({ field, message }) => `  ${mark}${field === '' ? 'the document' : field}: ${message}`)
    .join('\n');
}

interface Place {
  readonly shape: Shape;
  readonly value: unknown;
}

function problemsOfIssue(document: Place, issue: Issue, above: Path): PlacedProblem[] {
  const path = [...above, ...issue.path];
  const value = valueAt(document.value, path);
  const wrong = (message: string): PlacedProblem[] => [
    { field: fieldName(document.value, path), message, path, of: 'value' },
  ];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        field: fieldName(document.value, [...path, key]),
        message: unknownName(key, namesAt(document, path)),
        path: [...path, key],
        of: 'name',
      }));
    case 'invalid_union': {
      const all = issue.errors.filter((branch) => branch.length > 0);
      // A group with a misspelt field is meant as a group, though a text would be one mistake less.
      const branches = all.filter((branch) => otherKind(branch) === null);
      if (branches.length === 0 && all.length > 1) {
        const words = all.flat().flatMap(wordsIn);
        if (typeof value === 'string' && nearestName(value, words) !== null) return wrong(unknownWord(value, words));
        return wrong(notOfType(value, [...new Set(all.map(otherKind))].join(' or ')));
      }
      const [closest] = (branches.length > 0 ? branches : all).toSorted(
        (a, b) => a.length - b.length || depth(b) - depth(a),
      );
      if (closest) return closest.flatMap((inner) => problemsOfIssue(document, inner, path));
      return wrong(unknownWord(value, wordsAt(document, path)));
    }
    case 'invalid_value':
      return wrong(unknownWord(value, issue.values.map(String)));
    case 'invalid_key':
      return issue.issues.flatMap(({ message }) => wrong(message).map((problem) => ({ ...problem, of: 'name' })));
    case 'invalid_type': {
      return wrong(notOfType(value, wordOfType(issue.expected)));
    }
    case 'too_small':
      return wrong(outOfRange(value, limit(issue.inclusive, 'at least', 'above'), issue.minimum));
    case 'too_big':
      return wrong(outOfRange(value, limit(issue.inclusive, 'at most', 'below'), issue.maximum));
    default:
      return wrong(issue.message);
  }
}

const wordOfType = (type: string): string => wordsOfTypes[type] ?? article(type);

function notOfType(value: unknown, wanted: string): string {
  return value === undefined ? `is missing (${wanted})` : `is ${described(value)}, and must be ${wanted}`;
}

/** Of a branch that a value cannot be meant as, since it is of another type or another word: what it would have to be. */
function otherKind(issues: readonly Issue[]): string | null {
  const other = issues.find(({ path }) => path.length === 0);
  if (other?.code === 'invalid_type') return wordOfType(other.expected);
  return other?.code === 'invalid_value'
    ? wordsIn(other)
        .map((word) => JSON.stringify(word))
        .join(', ')
    : null;
}

const wordsIn = (issue: Issue): string[] => (issue.code === 'invalid_value' ? issue.values.map(String) : []);

const depth = (issues: readonly Issue[]): number => Math.max(...issues.map((issue) => issue.path.length));

function unknownName(given: string, valid: readonly string[]): string {
  if (valid.includes(given)) return 'does not go with the other fields here';
  if (given === '<<') return 'is no field here: groups are not merged; name each field';
  const near = nearestName(given, valid);
  return `is no field here${near === null ? '; fields' : `; did you mean "${near}"? Fields`}: ${valid.join(', ')}`;
}

function unknownWord(given: unknown, valid: readonly string[]): string {
  if (given === undefined) return `is missing; one of: ${valid.join(', ')}`;
  const near = typeof given === 'string' ? nearestName(given, valid) : null;
  return `is ${described(given)}${near === null ? '; one' : `; did you mean "${near}"? One`} of: ${valid.join(', ')}`;
}

function described(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a group of fields';
  if (typeof value === 'number') return String(value);
  // An address may hold a secret, such as that of a webhook.
  if (typeof value === 'string' && value.includes('://')) return 'an address';
  return shortened(JSON.stringify(value));
}

/** What a person typed by mistake may be a whole file. */
const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 76)}…"` : text);

const limit = (inclusive: boolean | undefined, or: string, strictly: string) => (inclusive === false ? strictly : or);

/** Of a list or a text, its length is what is out of range. */
function outOfRange(value: unknown, words: string, bound: number | bigint): string {
  if (Array.isArray(value)) return `has ${String(value.length)} entries, and must have ${words} ${String(bound)}`;
  if (typeof value === 'string')
    return `has ${String(value.length)} characters, and must have ${words} ${String(bound)}`;
  return `is ${described(value)}, and must be ${words} ${String(bound)}`;
}

const wordsOfTypes: Readonly<Record<string, string>> = {
  int: 'a whole number',
  string: 'a text',
  array: 'a list',
  object: 'a group of fields',
  record: 'a group of fields',
};
const article = (word: string): string => `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;

/** A path with phases by their names: `phases.sft.params.steps`. */
export function fieldName(value: unknown, path: Path): string {
  return path
    .map((key, index) => {
      const named = valueAt(value, path.slice(0, index + 1));
      const isPhase = path[index - 1] === 'phases' && index === 1;
      if (isPhase && isGroup(named) && typeof named['name'] === 'string') return named['name'];
      return String(key);
    })
    .join('.');
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const key of path) at = isGroup(at) || Array.isArray(at) ? (at as Record<PropertyKey, unknown>)[key] : undefined;
  return at;
}

/** The fields of a value that may be anything; of what is no group, none. */
export function asGroup(value: unknown): Readonly<Record<string, unknown>> {
  return isGroup(value) ? { ...value } : {};
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The part of JSON Schema that z.toJSONSchema writes for our schemas. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly const?: unknown;
}

/** The fields that choose between shapes: of a phase, of a profile, of a benchmark. */
const choosers = ['kind', 'backend', 'outside'];

/** The shapes that the value at `path` may have; where a field chooses, only the chosen one. */
function shapesAt({ shape, value }: Place, path: Path): Shape[] {
  const choices = [...(shape.anyOf ?? []), ...(shape.oneOf ?? [])];
  if (choices.length > 0) {
    const chosen = choices.filter((choice) => choosers.some((chooser) => isChosen(choice, value, chooser)));
    return (chosen.length > 0 ? chosen : choices).flatMap((choice) => shapesAt({ shape: choice, value }, path));
  }
  const [key, ...rest] = path;
  if (key === undefined) return [shape];
  const below =
    shape.items ??
    shape.properties?.[String(key)] ??
    (typeof shape.additionalProperties === 'object' ? shape.additionalProperties : undefined);
  return below ? shapesAt({ shape: below, value: valueAt(value, [key]) }, rest) : [];
}

function isChosen({ properties }: Shape, value: unknown, chooser: string): boolean {
  const word = isGroup(value) ? value[chooser] : undefined;
  return word !== undefined && properties?.[chooser]?.const === word;
}

function namesAt(document: Place, path: Path): string[] {
  return [...new Set(shapesAt(document, path).flatMap((shape) => Object.keys(shape.properties ?? {})))];
}

/** The words that a discriminator such as `kind` may have. */
function wordsAt(document: Place, path: Path): string[] {
  const key = String(path.at(-1));
  const group = { ...document, value: withoutChooser(document.value, path) };
  const words = shapesAt(group, path.slice(0, -1)).map((shape) => shape.properties?.[key]?.const);
  return [...new Set(words)].filter((word) => word !== undefined).map(String);
}

function withoutChooser(value: unknown, path: Path): unknown {
  const parent = valueAt(value, path.slice(0, -1));
  return isGroup(parent) ? value : undefined;
}
