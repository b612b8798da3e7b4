/**
 * Stops a job, from any worker of the machine: the request is recorded, the supervisor told, and whatever does not end in time killed.
 *
 * Resolves when nothing of the job lives. Does not cover deciding that it must stop.
 */
import type { JobRef, StopReason } from '../activities/backend.ts';
import { isJobOver } from '../decisions/job-over.ts';
import type { JobChanges } from './changes.ts';
import { isAbsent } from '../store/absence.ts';
import { jobFiles } from './job-files.ts';
import { lookAt } from './job-status.ts';
import { endProcesses } from './process-group.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';

export interface StopOptions {
  readonly reason: StopReason;
  readonly graceSeconds: number;
}

/** What a supervisor may need for its own bookkeeping beyond the grace, in seconds. */
const marginSeconds = 3;

export async function stopJob(
  job: JobRef,
  options: StopOptions,
  context: { readonly changes: JobChanges; readonly now: () => Date },
): Promise<void> {
  const { changes, now } = context;
  const files = jobFiles(job.directory);
  const before = await files.readClaim();
  if (before !== null && before.token !== job.uid) return; // the directory is another job's now
  if ((await files.readExit()) === null) {
    try {
      await files.recordStop({ ...options, requestedAt: now().toISOString() });
    } catch (error) {
      if (isAbsent(error)) return; // the directory is gone, and with it the job
      throw error;
    }
  }
  const claim = await files.readClaim();
  if (claim !== null) {
    await poke(claim.supervisor);
    const end = performance.now() + options.graceSeconds * 1000;
    const deadline = AbortSignal.timeout((options.graceSeconds + marginSeconds) * 1000);
    await ended(job, { changes, now, deadline });
    // What is left now is what its supervisor could not, or did not live to, end.
    const graceLeft = Math.max(0, end - performance.now()) / 1000;
    await endProcesses({ leader: (await files.readStarted())?.trainer ?? null, token: claim.token }, graceLeft);
    await ended(job, { changes, now, deadline: AbortSignal.timeout(marginSeconds * 1000) });
    // It leads a group of its own. Its end must be seen, or the job would still count as supervised.
    if ((await files.readExit()) === null) await endProcesses({ leader: claim.supervisor, token: claim.token }, 0);
  }
  await lookAt(job, now);
}

/** Waits until the job has ended, its supervisor is dead, or the deadline. */
async function ended(
  job: JobRef,
  { changes, now, deadline }: { changes: JobChanges; now: () => Date; deadline: AbortSignal },
): Promise<void> {
  const files = jobFiles(job.directory);
  const waiter = changes.waiter(job.name);
  try {
    for (;;) {
      const { status, lifeline } = await lookAt(job, now);
      const claim = await files.readClaim();
      if (isJobOver(status) || deadline.aborted) return;
      if (claim === null || !(await isAlive(claim.supervisor))) return;
      await waiter.next(lifeline, deadline);
    }
  } finally {
    waiter.close();
  }
}

/** Tells the supervisor to look at the request. */
async function poke(supervisor: ProcessIdentity): Promise<void> {
  if (!(await isAlive(supervisor))) return;
  try {
    process.kill(supervisor.pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
