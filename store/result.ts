/**
 * Reads `result.json`, the marker that a trainer writes last (docs/reference/trainer-contract.md).
 *
 * Says what stands there, or null. Does not cover whether it proves anything (decisions/classify.ts).
 */
import { z } from 'zod';
import type { TrainerResult } from '../decisions/failure.ts';
import { readOwnTextIfThere } from './own-file.ts';

const metric = z.number().nullable();

const result = z.object({
  contract: z.literal(1),
  status: z.enum(['completed', 'stopped', 'failed']),
  reason: z.enum(['usage', 'data', 'config']).nullable().default(null),
  message: z.string().nullable().default(null),
  damaged: z.object({ path: z.string(), why: z.string() }).nullable().default(null),
  job: z.string(),
  attempt: z.int().positive(),
  jobToken: z.string(),
  startStep: z.int().min(0),
  finalStep: z.int().min(0),
  startedFrom: z.object({ path: z.string(), digest: z.string() }).nullable(),
  weightsBefore: z.string().nullable(),
  weightsAfter: z.string().nullable(),
  artifacts: z.array(z.object({ path: z.string(), format: z.string(), step: z.int().min(0), digest: z.string() })),
  metrics: z.record(z.string(), metric).default({}),
  finite: z.boolean(),
  seconds: z.record(z.string(), z.number()).default({}),
});

/** Null when the file is absent, no file of its own (a link), cut short or not what the contract says. Fields that it does not know are left out. */
export async function readResult(path: string): Promise<TrainerResult | null> {
  const text = await readOwnTextIfThere(path);
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null; // unreadable is the same as absent: it proves nothing
  }
  const read = result.safeParse(value);
  if (!read.success) return null;
  const { contract: _, ...rest } = read.data;
  return rest;
}
