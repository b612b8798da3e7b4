/**
 * Leaves in an attempt directory what a power cut would: a checkpoint's file cut short, half a result, half a line of progress.
 *
 * For an attempt whose trainer is stopped and is killed next. Chooses by chance.
 */
import { appendFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LiveJob } from '../../workers/demo/live-jobs.ts';
import type { Random } from './seeded-random.ts';

export interface Tear {
  /** In words, for the log. */
  readonly what: string;
  /** The step of the checkpoint that was cut; null for another file. */
  readonly step: number | null;
}

/** Cuts something; null when there is nothing yet. */
export async function tearSomething(job: LiveJob, random: Random): Promise<Tear | null> {
  const ways = [tearCheckpoint, tearCheckpoint, tearResult, tearProgress];
  const first = random.below(ways.length);
  for (let tried = 0; tried < ways.length; tried += 1) {
    const tear = await ways[(first + tried) % ways.length]?.(job.directory, random);
    if (tear) return tear;
  }
  return null;
}

async function tearCheckpoint(directory: string, random: Random): Promise<Tear | null> {
  const folder = join(directory, 'checkpoints');
  const names = await readdir(folder).catch((): string[] => []);
  const steps = names.flatMap((name) => /^checkpoint-(\d+)$/.exec(name)?.slice(1).map(Number) ?? []);
  if (steps.length === 0) return null;
  const step = Math.max(...steps);
  const name = `checkpoint-${String(step)}`;
  const files = (await readdir(join(folder, name))).map((file) => join(name, file));
  if (names.includes(`${name}.seal.json`)) files.push(`${name}.seal.json`);
  const file = random.oneOf(files);
  if (file === null) return null;
  const { size } = await stat(join(folder, file));
  const left = random.below(size);
  await truncate(join(folder, file), left);
  return { what: `${file} cut to ${String(left)} of ${String(size)} bytes`, step };
}

async function tearResult(directory: string, random: Random): Promise<Tear | null> {
  const path = join(directory, 'result.json');
  const whole = await readFile(path, 'utf8').catch(() =>
    JSON.stringify({ contract: 1, status: 'completed', job: directory }),
  );
  await writeFile(path, whole.slice(0, 1 + random.below(whole.length - 1)));
  return { what: 'half a result', step: null };
}

async function tearProgress(directory: string): Promise<Tear | null> {
  await appendFile(join(directory, 'progress.jsonl'), '{"time": "2026-11-29T10:00:00.000Z", "step": 1');
  return { what: 'half a line of progress', step: null };
}
