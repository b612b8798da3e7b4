/** How many problems a benchmark has, where the recipe or its file says so. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { EvaluatedBenchmark } from '../configs/schema.ts';
import { TemperError } from '../decisions/errors.ts';

/** Null where only the trainer knows. Throws `not-found` where the file cannot be read: it could when the pipeline was started. */
export async function problemsOfBenchmark({
  name,
  data,
}: Pick<EvaluatedBenchmark, 'data'> & { readonly name: string }): Promise<number | null> {
  // Of its problems to train on the tiny data gives so many at most.
  if ('tiny' in data && data.tiny !== 'held-out') return null;
  if (data.rows !== undefined) return data.rows;
  if (!('jsonl' in data)) return null;
  let count = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(data.jsonl) })) {
      if (line.trim() !== '') count += 1;
    }
  } catch (cause) {
    const why = `the problems were there when the pipeline was started, and cannot be read now: ${data.jsonl}; put them back`;
    throw new TemperError('not-found', `benchmarks.${name}.data.jsonl: ${why}`, { cause });
  }
  return count;
}
