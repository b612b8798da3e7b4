/** The jobs of a store that live now, with the processes that can be killed; read from the local backend's own records. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jobFiles } from '../../local/job-files.ts';
import { isAlive, type ProcessIdentity } from '../../local/process-identity.ts';
import { jobRegistry } from '../../local/registry.ts';

export interface LiveJob {
  readonly directory: string;
  readonly pipeline: string;
  readonly phase: string;
  readonly attempt: number;
  readonly kind: string;
  /** Null when it is dead. */
  readonly supervisor: ProcessIdentity | null;
  /** Null before it was started, and when it is dead. */
  readonly trainer: ProcessIdentity | null;
}

export async function liveJobs(storeDirectory: string): Promise<readonly LiveJob[]> {
  const jobs = await jobRegistry(join(storeDirectory, 'local'))
    .entries()
    .catch(() => []); // no worker has opened it yet
  const found = await Promise.all(jobs.map(({ directory }) => jobIn(directory)));
  return found.filter(({ supervisor, trainer }) => supervisor !== null || trainer !== null);
}

async function jobIn(directory: string): Promise<LiveJob> {
  const files = jobFiles(directory);
  const [claim, started, text] = await Promise.all([
    files.readClaim(),
    files.readStarted(),
    readFile(join(directory, 'request.json'), 'utf8'),
  ]);
  const { pipeline, phase, attempt, kind } = JSON.parse(text) as Pick<
    LiveJob,
    'pipeline' | 'phase' | 'attempt' | 'kind'
  >;
  const living = async (one: ProcessIdentity | undefined) => (one && (await isAlive(one)) ? one : null);
  const [supervisor, trainer] = await Promise.all([living(claim?.supervisor), living(started?.trainer)]);
  return { directory, pipeline, phase, attempt, kind, supervisor, trainer };
}
