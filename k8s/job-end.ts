/**
 * How a job ended, kept beside what it wrote: `job-end.json` in the attempt's directory.
 *
 * Pods go when their Job is suspended or deleted, and Jobs go by time to live or by a person's hand: a verdict that was seen once stays.
 * Written once, by rename. Does not cover what was the cause.
 */
import { lchown, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRef, JobStatus } from '../activities/backend.ts';

export type JobEnd = Extract<JobStatus, { state: 'ended' }>;

/** Null when none was recorded for this very Job, or when a power cut left a record that cannot be read: the cluster is asked again. */
export async function readJobEnd(job: JobRef): Promise<JobEnd | null> {
  let text: string;
  try {
    text = await readFile(fileOf(job), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const record = recordIn(text);
  return record?.uid === job.uid ? record.end : null;
}

function recordIn(text: string): { readonly uid: string; readonly end: JobEnd } | null {
  try {
    return JSON.parse(text) as { uid: string; end: JobEnd };
  } catch {
    return null;
  }
}

export async function writeJobEnd(job: JobRef, end: JobEnd): Promise<void> {
  const file = fileOf(job);
  const draft = `${file}.${job.uid}.tmp`;
  await writeFile(draft, `${JSON.stringify({ uid: job.uid, end }, null, 2)}\n`);
  await rename(draft, file);
}

/** Lets pods write into a directory that a worker made as root; any other worker runs as the user that pods run as. Links are not followed. */
export async function handOver(directory: string, user: number): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await Promise.all([directory, join(directory, 'checkpoints')].map((folder) => lchown(folder, user, user)));
  // Only a foreign trainer has one of its own.
  await lchown(join(directory, 'output'), user, user).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}

const fileOf = ({ directory }: JobRef): string => join(directory, 'job-end.json');
