/**
 * How a foreign trainer's work is read: what the attempt's own request says of it.
 *
 * So whoever looks at a run directory knows how to read it, whatever has become of the recipe. Built-in trainers have none.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { checkpointFormats, knownLogs } from '../../configs/schema-command.ts';
import { logName } from '../../decisions/log-name.ts';
import { isForeignThing, readOwnText } from '../own-file.ts';
import { runFiles } from '../run-directory.ts';

/** The part of `request.json` that a foreign trainer's attempt has, and a built-in one's has not. */
const readingSchema = z.object({
  format: z.enum(checkpointFormats),
  /** Below `output`. */
  folder: z.string(),
  processes: z.int().positive(),
  progress: z.union([z.enum(knownLogs), z.object({ pattern: z.string(), started: z.string().optional() })]),
  /** Steps whose checkpoints stay whatever the trainer deletes. */
  dueSteps: z.array(z.int()),
  /** Whose log says how far it is. */
  logRank: z.int().min(0).default(0),
});

const requestSchema = z.object({
  reading: readingSchema,
  targetStep: z.int(),
  resume: z.object({ path: z.string(), step: z.int() }).nullable(),
  start: z.object({ path: z.string(), format: z.string() }).nullable(),
});

export interface ForeignReading extends z.output<typeof readingSchema> {
  readonly targetStep: number;
  readonly resume: { readonly path: string; readonly step: number } | null;
  readonly start: { readonly path: string; readonly format: string } | null;
  /** Where its checkpoints appear. Absolute. */
  readonly source: string;
}

/** Where a foreign trainer writes; Temper's own folder of checkpoints lies beside it. */
export function outputFolder(directory: string): string {
  return join(directory, 'output');
}

/** The log that says how far it is. */
export function logPathOf(directory: string, { logRank }: Pick<ForeignReading, 'logRank'>): string {
  return join(directory, logName(logRank));
}

/** Null for a built-in trainer, and before the request is written. */
export async function readForeignReading(directory: string): Promise<ForeignReading | null> {
  const reading = await whoTrains(directory);
  return typeof reading === 'string' ? null : reading;
}

/**
 * What the request says once it is written: then it stays so. One that is not as Temper wrote it any more says nothing of a foreign trainer:
 * then only a result of its own proves anything.
 */
export async function whoTrains(directory: string): Promise<ForeignReading | 'built-in' | 'not-known-yet'> {
  let json: unknown;
  try {
    json = JSON.parse(await readOwnText(runFiles(directory).request));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'not-known-yet';
    if (error instanceof SyntaxError || isForeignThing(error)) return 'built-in';
    throw error;
  }
  const { data } = requestSchema.safeParse(json);
  if (data === undefined) return 'built-in';
  const { reading, ...request } = data;
  return { ...reading, ...request, source: join(outputFolder(directory), reading.folder) };
}
