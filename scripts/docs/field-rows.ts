/**
 * The fields of a JSON Schema as rows of a table: path, type, default, range, description.
 *
 * Covers what z.toJSONSchema writes for the schemas of configs/. Does not cover the page around the rows (reference-pages.ts).
 */

/** The part of JSON Schema that our schemas come out as, with nothing shared between places. */
export interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number)[];
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
}

interface Field {
  readonly path: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
}

/** The table of all fields of a group, those below them included; `skipped` are paths that stand elsewhere. */
export function fieldTable(group: Shape, above = '', skipped: readonly string[] = []): string {
  const rows = [...new Set(fieldsOf(group, above).filter(isShown).map(row))];
  return ['| field | type | default | what it means |', '| --- | --- | --- | --- |', ...rows].join('\n');

  function isShown({ path }: Field): boolean {
    return !skipped.some((skip) => path === skip || path.startsWith(`${skip}.`) || path.startsWith(`${skip}[]`));
  }
}

function fieldsOf(group: Shape, above: string): Field[] {
  return choicesOf(group).flatMap(({ properties = {}, required = [], additionalProperties, items }) => [
    ...Object.entries(properties).flatMap(([key, shape]) =>
      withThoseBelow({ path: `${above}${key}`, shape, isRequired: required.includes(key) }),
    ),
    ...(typeof additionalProperties === 'object' ? fieldsOf(additionalProperties, `${above}<name>.`) : []),
    ...(items === undefined ? [] : fieldsOf(items, `${above.replace(/\.$/, '')}[].`)),
  ]);
}

const withThoseBelow = (field: Field): Field[] => [field, ...fieldsOf(field.shape, `${field.path}.`)];

/** Where a field is one of several groups, each of them. */
function choicesOf({ anyOf, oneOf, ...shape }: Shape): readonly Shape[] {
  return anyOf ?? oneOf ?? [shape];
}

function row({ path, shape, isRequired }: Field): string {
  const cells = [
    code(path),
    [typeOf(shape), rangeOf(shape)].filter((words) => words !== '').join(', '),
    isRequired ? 'required' : defaultOf(shape),
    shape.description ?? '',
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function typeOf(shape: Shape): string {
  const { const: word, enum: words, type, items, additionalProperties } = shape;
  if (word !== undefined) return code(String(word));
  if (words !== undefined) return words.map((each) => code(String(each))).join(', ');
  const choices = choicesOf(shape);
  if (choices.length > 1) return typeOfChoices(choices);
  if (type === 'array' && items !== undefined)
    return items.enum ? `list of ${typeOf(items)}` : `list of ${plural(items)}`;
  if (typeof additionalProperties === 'object') return 'groups by name';
  return wordsOfTypes[type ?? ''] ?? '';
}

/** Groups are told apart by what they require. */
function typeOfChoices(choices: readonly Shape[]): string {
  const groups = choices.filter(({ properties }) => properties !== undefined);
  if (groups.length < choices.length) {
    const others = choices.filter((choice) => !groups.includes(choice)).map(typeOf);
    return [...others, ...(groups.length > 0 ? [typeOfChoices(groups)] : [])].join(' or ');
  }
  const named = groups.map(({ required = [], properties = {} }) =>
    code(required[0] ?? Object.keys(properties)[0] ?? ''),
  );
  return `group with ${named.join(' or ')}`;
}

const wordsOfTypes: Readonly<Record<string, string>> = {
  integer: 'whole number',
  number: 'number',
  string: 'text',
  boolean: '`true`, `false`',
  object: 'group',
};

const plural = (items: Shape): string => (items.type === 'string' ? 'names' : 'groups');

/** What JSON Schema says of every integer says nothing. */
const noLimit = Number.MAX_SAFE_INTEGER;

function rangeOf({ minimum, exclusiveMinimum, maximum, minItems, maxLength }: Shape): string {
  return [
    ...(minItems === undefined ? [] : [`at least ${String(minItems)}`]),
    ...(minimum === undefined || minimum === -noLimit ? [] : [`≥ ${String(minimum)}`]),
    ...(exclusiveMinimum === undefined ? [] : [`> ${String(exclusiveMinimum)}`]),
    ...(maximum === undefined || maximum === noLimit ? [] : [`≤ ${String(maximum)}`]),
    ...(maxLength === undefined ? [] : [`at most ${String(maxLength)} characters`]),
  ].join(', ');
}

function defaultOf({ default: value }: Shape): string {
  const isEmptyGroup = JSON.stringify(value) === '{}';
  return value === undefined || isEmptyGroup ? '' : code(yamlOf(value));
}

/** On one line, as it would stand in a recipe. */
function yamlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(yamlOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{${Object.entries(value)
    .map(([key, below]) => `${key}: ${yamlOf(below)}`)
    .join(', ')}}`;
}

const code = (text: string): string => `\`${text}\``;
