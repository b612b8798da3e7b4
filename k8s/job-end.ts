/**
 * How a job ended, kept beside what it wrote: `job-end.json` in the attempt's directory.
 *
 * Pods go when their Job is suspended or deleted, and Jobs go by time to live or by a person's hand: a verdict that was seen once stays.
 * Written once, by rename: a link that a pod left in its place is replaced, not followed. Does not cover what was the cause.
 */
import { lchown } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRef, JobStatus } from '../activities/backend.ts';
import { isAbsent } from '../store/absence.ts';
import { readOwnTextIfThere } from '../store/own-file.ts';
import { writeByRename } from '../store/write-by-rename.ts';

export type JobEnd = Extract<JobStatus, { state: 'ended' }>;

/** The last lines of every rank of a large job. */
const mostBytes = 256 * 1024 * 1024;

/** Null when none was recorded for this very Job, or when a power cut left a record that cannot be read: the cluster is asked again. */
export async function readJobEnd(job: JobRef): Promise<JobEnd | null> {
  const record = await recordIn(job.directory);
  return record?.uid === job.uid ? record.end : null;
}

/** The job that has ended in this directory, under the name that it has there; null where none is recorded. */
export async function endedJobIn({ name, directory }: Omit<JobRef, 'uid'>): Promise<JobRef | null> {
  const record = await recordIn(directory);
  return record === null ? null : { name, uid: record.uid, directory };
}

async function recordIn(directory: string): Promise<{ readonly uid: string; readonly end: JobEnd } | null> {
  // What is no file of ours is no record: the cluster is asked.
  const text = await readOwnTextIfThere(fileIn(directory), mostBytes);
  if (text === null) return null;
  try {
    return JSON.parse(text) as { uid: string; end: JobEnd };
  } catch {
    return null;
  }
}

export async function writeJobEnd(job: JobRef, end: JobEnd): Promise<void> {
  await writeByRename(fileIn(job.directory), `${JSON.stringify({ uid: job.uid, end }, null, 2)}\n`);
}

/** Lets pods write into a directory that a worker made as root; any other worker runs as the user that pods run as. Links are not followed. */
export async function handOver(directory: string, user: number): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await Promise.all([directory, join(directory, 'checkpoints')].map((folder) => lchown(folder, user, user)));
  // Only a foreign trainer has one of its own.
  await lchown(join(directory, 'output'), user, user).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
}

const fileIn = (directory: string): string => join(directory, 'job-end.json');
