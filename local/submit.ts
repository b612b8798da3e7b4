/**
 * Starts a supervisor for a job, or finds the one that has it. Two submits at once start two supervisors, of which one gets the claim
 * and the other goes away.
 */
import { spawn } from 'node:child_process';
import { open, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { JobRef, JobSpec } from '../activities/backend.ts';
import { TemperError } from '../decisions/errors.ts';
import { isAbsent } from '../store/absence.ts';
import { watchFolder } from './folder-watch.ts';
import { jobFiles } from './job-files.ts';
import { lastLinesOf } from './log-tail.ts';
import type { Order } from './supervise.ts';

const claimSeconds = 60;
const program = join(import.meta.dirname, `supervisor${extname(import.meta.filename)}`);

/** The job in the spec's directory; null when there is none yet. Throws `job-refused` when the directory is another job's. */
export async function findJob(spec: Pick<JobSpec, 'name' | 'directory'>): Promise<JobRef | null> {
  const claim = await jobFiles(spec.directory).readClaim();
  if (claim === null) return null;
  if (claim.name !== spec.name) {
    throw new TemperError(
      'job-refused',
      `${spec.directory} belongs to job "${claim.name}": "${spec.name}" cannot run there`,
    );
  }
  return { name: claim.name, uid: claim.token, directory: spec.directory };
}

/** Starts a supervisor and waits until somebody has the claim. `ended` is called when the supervisor is gone. */
export async function startSupervisor(order: Order, ended: () => void): Promise<JobRef> {
  await requireDirectory(order.directory);
  const files = jobFiles(order.directory);
  const log = await open(files.supervisorLog, 'a');
  const supervisor = { gone: false };
  const changes = claimChanges(order.directory);
  try {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
      cwd: order.directory,
      detached: true,
      stdio: ['pipe', log.fd, log.fd],
    });
    const over = () => {
      supervisor.gone = true;
      changes.wake();
      ended();
    };
    child.on('error', over);
    child.on('exit', over);
    child.stdin?.on('error', () => undefined); // it ended before it read its order: `exit` says so
    child.stdin?.end(JSON.stringify(order));
    child.unref();
    const end = performance.now() + claimSeconds * 1000;
    for (;;) {
      const last = supervisor.gone || performance.now() > end;
      const job = await findJob(order);
      if (job !== null) return job;
      if (last) throw await notStarted(order.name, files.supervisorLog);
      await changes.next();
    }
  } finally {
    changes.close();
    await log.close();
  }
}

async function requireDirectory(directory: string): Promise<void> {
  try {
    await stat(directory);
  } catch (cause) {
    if (!isAbsent(cause)) throw cause;
    throw new TemperError('not-found', `the job's directory ${directory} does not exist`, { cause });
  }
}

async function notStarted(name: string, log: string): Promise<TemperError> {
  const lines = await lastLinesOf(log);
  return new TemperError(
    'backend-unavailable',
    `the supervisor of job "${name}" did not start: ${lines.at(-1) ?? 'it said nothing'}`,
    {
      details: { lines },
    },
  );
}

function claimChanges(directory: string): { next(): Promise<void>; wake(): void; close(): void } {
  let resolveNext: () => void = () => undefined;
  let missed = false;
  const wake = () => {
    missed = true;
    resolveNext();
  };
  const watcher = watchFolder(directory, wake);
  return {
    wake,
    async next() {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        resolveNext = resolve;
        if (missed) resolve();
        timer = setTimeout(resolve, 250);
      });
      clearTimeout(timer);
      missed = false;
    },
    close() {
      watcher.close();
    },
  };
}
