/**
 * JSON files of checkpoints. Python writes bare NaN and Infinity, which JSON does not know: they are read as non-finite numbers.
 */
import { isForeignThing, readModelFile } from '../own-file.ts';

export type JsonReading = { readonly value: unknown } | { readonly why: string };

/** A trainer's history of a long run, the index of a large model. */
const mostBytes = 256 * 1024 * 1024;

/** Reads a JSON file; says why it cannot instead of throwing when it is absent or damaged. */
export async function readJsonFile(path: string): Promise<JsonReading> {
  let text: string;
  try {
    text = (await readModelFile(path, mostBytes)).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { why: 'is missing' };
    if (isForeignThing(error)) return { why: 'is no regular file, or far too long' };
    throw error;
  }
  if (text.trim() === '') return { why: 'is empty' };
  try {
    return { value: parseLenientJson(text) };
  } catch {
    return { why: 'is not JSON (cut short?)' };
  }
}

/** Parses JSON in which numbers may be bare `NaN`, `Infinity` or `-Infinity`. NaN becomes Infinity: not finite either way. */
export function parseLenientJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(
      text.replaceAll(/"(?:[^"\\]|\\.)*"|\bNaN\b|\bInfinity\b/g, (part) => (part.startsWith('"') ? part : '1e999')),
    );
  }
}

/** The value when it is an object, else null. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
