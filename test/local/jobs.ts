/**
 * Real jobs for the tests of the local backend: folders, backends that share them, trivial trainers, and the end of everything that
 * was started.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobRef, JobSpec, JobStatus } from '../../activities/backend.ts';
import { createLocalBackend, type LocalBackend, type LocalBackendOptions } from '../../local/backend.ts';
import { jobFiles } from '../../local/job-files.ts';
import { endProcesses } from '../../local/process-group.ts';
import { isAlive } from '../../local/process-identity.ts';

export interface Workplace {
  readonly root: string;
  /** A backend as a worker of its own would have it. Every job runs the shell script in its label `phase`. */
  backend(options?: Partial<LocalBackendOptions>): LocalBackend;
  /** A job in a fresh directory. */
  job(script: string, more?: Partial<JobSpec>): Promise<JobSpec>;
  /** Ends everything, by id. */
  close(): Promise<void>;
}

export async function workplace(): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), 'temper-local-'));
  const root = join(folder, 'root');
  const backends: LocalBackend[] = [];
  const directories: string[] = [];
  return {
    root,
    backend(options = {}) {
      const backend = createLocalBackend({
        root,
        slots: 8,
        sweepSeconds: 0.2,
        command: ({ labels }) => ({ file: 'sh', args: ['-c', labels.phase] }),
        ...options,
      });
      backends.push(backend);
      return backend;
    },
    async job(script, more = {}) {
      const name = `t-test-a${String(directories.length + 1)}`;
      const directory = join(folder, 'jobs', name);
      directories.push(directory);
      await mkdir(directory, { recursive: true });
      const labels = { pipeline: 'demo', phase: script, kind: 'sft', attempt: 1, workflowId: 'demo' };
      const plain = { slots: 1, memoryFactor: 1, sharedMemoryFactor: 1, avoidNodes: [] };
      return { name, directory, requestPath: join(directory, 'request.json'), ...plain, labels, ...more };
    },
    async close() {
      for (const directory of directories) await endAll(directory);
      for (const backend of backends) backend.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function endAll(directory: string): Promise<void> {
  const files = jobFiles(directory);
  const [claim, started] = [await files.readClaim(), await files.readStarted()];
  if (claim === null) return;
  if (await isAlive(claim.supervisor)) process.kill(claim.supervisor.pid, 'SIGKILL');
  await endProcesses({ leader: started?.trainer ?? null, token: claim.token }, 0);
}

/** The job's status once `wanted` says so, heard from the backend. */
export async function statusWhen(
  backend: LocalBackend,
  job: JobRef,
  wanted: (status: JobStatus) => boolean,
): Promise<JobStatus> {
  const signal = AbortSignal.timeout(60_000);
  let status = await backend.status(job);
  while (!wanted(status)) {
    if (signal.aborted || status.state === 'ended') throw new Error(`still ${JSON.stringify(status)}`);
    status = await backend.nextChange(job, status, signal);
  }
  return status;
}

export const isEnded = (status: JobStatus) => status.state === 'ended';
export const isRunning = (status: JobStatus) => status.state === 'running';
export const isQueued = (status: JobStatus) => status.state === 'queued';

/** How the only rank of the job ended. */
export async function endOf(backend: LocalBackend, job: JobRef) {
  const status = await statusWhen(backend, job, isEnded);
  if (status.state !== 'ended') throw new Error(status.state);
  const [rank] = status.ranks;
  if (rank === undefined) throw new Error('no rank');
  return { ...rank, stopRequested: status.stopRequested };
}

/** The file's text once it ends with a line. */
export async function textOf(path: string): Promise<string> {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return text.trim();
    await pause(10);
  }
  throw new Error(`${path} was never written`);
}

/** Pids that a trainer wrote into a file of its directory. */
export async function pidsIn(path: string): Promise<number[]> {
  return (await textOf(path)).split(/\s+/).map(Number);
}
