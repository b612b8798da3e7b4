/**
 * A YAML text as a group of fields, each with its line and column.
 *
 * What YAML allows and no recipe means is refused: two values of one key, tabs, tags, YAML 1.1, an alias that grows without end. Does not
 * cover what the fields are (schema.ts).
 */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { TemperError } from '../decisions/errors.ts';
import type { Path } from './problems.ts';

/** Both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface YamlText {
  readonly value: Record<string, unknown>;
  /** Where a field stands, or the nearest field around it that does: its name, or its value. */
  positionOf(path: Path, of: 'name' | 'value'): Position;
}

interface SyntaxProblem extends Position {
  readonly message: string;
}

const mostProblems = 20;
const mostCharacters = 1_000_000;
const mostAliases = 100;

/** Throws `invalid-input` with every problem, each with its line: `details` are they as data. */
export function readYaml(text: string, source: string): YamlText {
  if (text.length > mostCharacters) throw refusal(source, [unplaced('is longer than a million characters')]);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    uniqueKeys: true,
    stringKeys: true,
    resolveKnownTags: false,
    prettyErrors: false,
    lineCounter: lines,
  });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const problems = syntaxProblems(document, at);
  if (problems.length > 0) throw refusal(source, problems);
  const value = plainValue(document, source);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal(source, [unplaced('is not a group of fields')]);
  return {
    value: value as Record<string, unknown>,
    positionOf: (path, of) => at(offsetOf(document, path, of)),
  };
}

function syntaxProblems(document: Document.Parsed, at: (offset: number) => Position): SyntaxProblem[] {
  const found = [...document.errors, ...document.warnings];
  const tooDeep = found.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (tooDeep) return [{ ...at(tooDeep.pos[0]), message: 'is nested too deeply' }];
  const { version, explicit } = document.directives.yaml;
  const old =
    explicit === true && version !== '1.2' ? [{ ...at(0), message: `is YAML ${version}, and must be 1.2` }] : [];
  const all = [...old, ...inOwnWords(withoutWhatATabBrings(found), at), ...aliasProblems(document, at)];
  return all.sort((a, b) => a.line - b.line || a.column - b.column).slice(0, mostProblems);
}

/** A tab makes the parser lose the structure: what it says of the lines below is no fault of theirs. */
function withoutWhatATabBrings(found: readonly YAMLError[]): readonly YAMLError[] {
  if (!found.some(({ code }) => code === 'TAB_AS_INDENT')) return found;
  return found.filter(({ code }) => code === 'TAB_AS_INDENT' || code === 'DUPLICATE_KEY');
}

function inOwnWords(found: readonly YAMLError[], at: (offset: number) => Position): SyntaxProblem[] {
  return found.map(({ code, message, pos }) => ({ ...at(pos[0]), message: ownWords[code] ?? firstLine(message) }));
}

const ownWords: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'a field of this name stands above in the same group',
  TAB_AS_INDENT: 'a tab begins this line, and YAML is indented by spaces alone',
  MULTIPLE_DOCS: 'a second document begins here, and a file holds one',
  NON_STRING_KEY: 'the name of a field must be a text',
  TAG_RESOLVE_FAILED: 'a tag stands here (!…), and none means anything to Temper',
};

function aliasProblems(document: Document.Parsed, at: (offset: number) => Position): SyntaxProblem[] {
  const problems: SyntaxProblem[] = [];
  visit(document, {
    Alias(_key, alias, above) {
      const message = wrongAlias(document, alias, above);
      if (message !== null) problems.push({ ...at(alias.range?.[0] ?? 0), message });
    },
  });
  return problems;
}

function wrongAlias(document: Document.Parsed, alias: Alias, above: readonly unknown[]): string | null {
  const named = alias.resolve(document);
  if (named === undefined) return `*${alias.source} names nothing above: &${alias.source} must stand before it`;
  return above.includes(named) ? `*${alias.source} stands inside what it names` : null;
}

/** With its aliases followed. */
function plainValue(document: Document.Parsed, source: string): unknown {
  try {
    return unshared(document.toJS({ maxAliasCount: mostAliases }));
  } catch (cause) {
    const message = (cause as Error).message.startsWith('Excessive alias count')
      ? 'its aliases grow without end'
      : firstLine((cause as Error).message);
    throw refusal(source, [unplaced(message)], cause);
  }
}

/** Two aliases of one group become two groups: a change of one is no change of the other. */
function unshared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unshared);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, below]: [string, unknown]) => [key, unshared(below)]));
}

/** Of the deepest node on the way that stands in the text. */
function offsetOf(document: Document.Parsed, path: Path, of: 'name' | 'value'): number {
  let node: unknown = document.contents;
  let offset = startOf(document.contents) ?? 0;
  for (const [index, key] of path.entries()) {
    const last = index === path.length - 1;
    const found = childOf(document, node, String(key));
    if (found === null) return offset;
    const { name, value } = found;
    const isGroup = isMap(value) || isSeq(value);
    const preferred = name !== null && (isGroup || (last && of === 'name')) ? name : (value ?? name);
    offset = startOf(preferred) ?? startOf(name) ?? offset;
    node = value;
  }
  return offset;
}

function childOf(document: Document.Parsed, node: unknown, key: string): { name: unknown; value: unknown } | null {
  const group = isAlias(node) ? node.resolve(document) : node;
  if (isSeq(group)) {
    const value = group.items[Number(key)];
    return value === undefined ? null : { name: null, value };
  }
  if (!isMap(group)) return null;
  const pair = group.items.find((one) => String(one.key) === key);
  return pair === undefined ? null : { name: pair.key, value: pair.value };
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

const unplaced = (message: string): Omit<SyntaxProblem, keyof Position> => ({ message });

function refusal(source: string, problems: readonly (Partial<Position> & { message: string })[], cause?: unknown) {
  const lines = problems.map(({ line, column, message }) =>
    line === undefined ? `${source}: ${message}` : `${source}:${String(line)}:${String(column)}: ${message}`,
  );
  const details = problems.map((problem) => ({ field: '', source, ...problem }));
  return new TemperError('invalid-input', lines.join('\n'), { details, cause });
}

const firstLine = (message: string): string => message.split('\n')[0] ?? message;
