/**
 * JSON files of other programs as they lie on this machine: whole documents, and a document a line. What is torn is named with its line.
 *
 * Python writes numbers that are not finite as NaN and Infinity, which JSON lacks: they are read as null.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { TemperError } from '../../decisions/errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface JsonLine {
  readonly value: JsonObject;
  /** `file:line`. */
  readonly where: string;
}

export const acceptedFiles =
  'results_<date>.json of lm-eval, with samples_<task>_<date>.jsonl beside it for outcomes per problem; results_<date>.json of lighteval, with what --save-details wrote, details_<task>_<date>.parquet; metrics.json, output.jsonl and output-rs<seed>.jsonl of NeMo-Skills';

/** A document that is larger is no summary of results. */
const mostBytes = 256 * 2 ** 20;

export function refused(where: string, why: string): TemperError {
  return new TemperError('invalid-input', `${where}: ${why}`);
}

/** Throws `not-found` where there is none, `invalid-input` where it is no file. */
export async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw new TemperError('not-found', `${path}: there is no such file`, { cause: error });
  });
  if (!found.isFile()) throw refused(path, 'is no file: name a file of results in it');
}

/** Null where it is not one document but one a line. Throws with `file:line` where it is neither. */
export async function readDocument(
  path: string,
): Promise<{ readonly value: JsonObject; readonly digest: string } | null> {
  await requireFile(path);
  if (path.endsWith('.jsonl')) return null;
  if ((await stat(path)).size > mostBytes)
    throw refused(path, 'is larger than 256 MiB, which no summary of results is');
  const bytes = await readFile(path);
  const text = bytes.toString('utf8');
  if (text.trim() === '') throw refused(path, 'is empty: is it still being written?');
  const parsed = parse(text);
  if (parsed instanceof SyntaxError) {
    const first = parse(text.split('\n', 1)[0] ?? '');
    if (!(first instanceof SyntaxError) && isObject(first)) return null;
    throw refused(`${path}${lineOf(parsed, text)}`, torn(parsed, text));
  }
  if (!isObject(parsed)) throw refused(path, 'is JSON, but no object');
  return { value: parsed, digest: createHash('sha256').update(bytes).digest('hex') };
}

/** Calls `take` with each line; the digest of the whole file. Throws with `file:line` for what is no object. */
export async function readLines(path: string, take: (line: JsonLine) => void): Promise<string> {
  const hash = createHash('sha256');
  const stream = createReadStream(path);
  stream.on('data', (bytes) => hash.update(bytes));
  let number = 0;
  for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() === '') continue;
    const where = `${path}:${String(number)}`;
    take({ value: objectOf(line, where), where });
  }
  return hash.digest('hex');
}

/** Throws with `file:line` where it is no object, or there is none. */
export async function firstLine(path: string): Promise<JsonObject> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() !== '') return objectOf(line, `${path}:${String(number)}`);
  }
  throw refused(path, 'is empty: is it still being written?');
}

/** Whether there is a file of this name. */
export async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectOf(line: string, where: string): JsonObject {
  const value = parse(line);
  if (value instanceof SyntaxError) throw refused(where, torn(value, line));
  if (!isObject(value)) throw refused(where, 'is JSON, but no object');
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const finite = text.replace(
      /("(?:[^"\\]|\\.)*")|-?\b(?:NaN|Infinity)\b/g,
      (_, quoted?: string) => quoted ?? 'null',
    );
    return finite === text ? error : parse(finite);
  }
}

/** What begins as an object was cut off; anything else was never one. */
function torn({ message }: SyntaxError, text: string): string {
  const said = message.replace(/\s+/g, ' ');
  return beginsAsObject(text)
    ? `is no whole JSON (${said}): is it still being written, or was it cut off?`
    : `is no JSON (${said}). Accepted are ${acceptedFiles}`;
}

const beginsAsObject = (text: string): boolean => text.trimStart().startsWith('{');

/** `:17`, where the error or the end says so. */
function lineOf({ message }: SyntaxError, text: string): string {
  const line = /\(line (\d+)/.exec(message)?.[1];
  if (line !== undefined) return `:${line}`;
  return beginsAsObject(text) ? `:${String(text.trimEnd().split('\n').length)}` : '';
}
