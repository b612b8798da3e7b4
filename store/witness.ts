/**
 * Reads what trainers told the witness (`TEMPER_WITNESS`): one file for all trainers of a machine, outside of their run directories.
 *
 * Whole lines only: a trainer that is killed in the middle of one has said nothing. Does not cover what follows from it.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const event = z.object({
  event: z.enum(['start', 'step', 'checkpoint', 'stop']),
  /** ISO 8601. */
  time: z.string(),
  /** Start: the step it goes on from. Step and checkpoint: that step. Stop: the last one. */
  step: z.int().min(0),
  /** Of a stop: what the result says. */
  status: z.enum(['completed', 'stopped', 'failed']).nullable(),
  pid: z.int().positive(),
  pipeline: z.string(),
  phase: z.string(),
  kind: z.string(),
  attempt: z.int().positive(),
  job: z.string(),
  token: z.string(),
});

export type WitnessEvent = z.output<typeof event>;

/** In the order in which they were told; empty when nobody has told anything. Throws on a line that no trainer writes. */
export async function readWitness(path: string): Promise<readonly WitnessEvent[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => event.parse(JSON.parse(line)));
}
