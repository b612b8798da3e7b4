/** How many problems a benchmark has, where the recipe or its file says so. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Benchmark } from '../configs/schema.ts';

/** Null where only the trainer knows. Throws where the file cannot be read: it could when the pipeline was started. */
export async function problemsOfBenchmark({ data }: Pick<Benchmark, 'data'>): Promise<number | null> {
  // Of its problems to train on the tiny data gives so many at most.
  if ('tiny' in data && data.tiny !== 'held-out') return null;
  if (data.rows !== undefined) return data.rows;
  if (!('jsonl' in data)) return null;
  let count = 0;
  for await (const line of createInterface({ input: createReadStream(data.jsonl) })) {
    if (line.trim() !== '') count += 1;
  }
  return count;
}
