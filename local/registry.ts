/**
 * Which jobs of this machine are not ended: one small file by name under `<root>/jobs`, written anew at each change of state.
 *
 * One watch on that folder hears of every job's changes. Does not cover what the state is: that is in the job's own directory.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRef } from '../activities/backend.ts';
import { readObject, removeFile, replaceFile } from './durable-file.ts';

export interface Registry {
  readonly folder: string;
  open(): Promise<void>;
  /** Records the job, or tells that its state changed. */
  announce(job: JobRef): Promise<void>;
  withdraw(name: string): Promise<void>;
  find(name: string): Promise<JobRef | null>;
  entries(): Promise<readonly JobRef[]>;
  /** The job that a changed file of the folder belongs to; null when it is not a job's. */
  nameOf(file: string): string | null;
}

export function jobRegistry(root: string): Registry {
  const folder = join(root, 'jobs');
  const fileOf = (name: string) => `${encodeURIComponent(name)}.json`;
  const nameOf = (file: string) => (file.endsWith('.json') ? decoded(file.slice(0, -'.json'.length)) : null);
  const find = async (name: string) => (await readObject(join(folder, fileOf(name)))) as unknown as JobRef | null;
  return {
    folder,
    nameOf,
    find,
    async open() {
      await mkdir(folder, { recursive: true });
    },
    announce: ({ name, uid, directory }) => replaceFile(join(folder, fileOf(name)), { name, uid, directory }),
    withdraw: (name) => removeFile(join(folder, fileOf(name))),
    async entries() {
      const names = (await readdir(folder)).map(nameOf).filter((name) => name !== null);
      const jobs = await Promise.all(names.map(find));
      return jobs.filter((job) => job !== null);
    },
  };
}

/** Null for what no job's name is encoded as, such as `%`: somebody else put that file there. */
function decoded(name: string): string | null {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
