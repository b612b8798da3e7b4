/**
 * What is known of a job now, from its records and from whether its processes live.
 *
 * When both the supervisor and the trainer are dead and nobody recorded the end, this records that the end was not seen: a verdict
 * that stays. Processes that the trainer left behind are ended first, since the next attempt must find the machine free.
 */
import { hostname } from 'node:os';
import type { JobRef, JobStatus } from '../activities/backend.ts';
import { type Claim, type Exit, jobFiles, type JobFiles, type Started } from './job-files.ts';
import { lastLinesOf } from './log-tail.ts';
import { endProcesses } from './process-group.ts';
import { bootNow, isAlive, type ProcessIdentity } from './process-identity.ts';

export interface Look {
  readonly status: JobStatus;
  /** The process whose death changes the state; null when there is none. */
  readonly lifeline: ProcessIdentity | null;
}

/** The job as it is now. `now` is only used to date an end that nobody saw. */
export async function lookAt(job: JobRef, now: () => Date): Promise<Look> {
  const files = jobFiles(job.directory);
  const claim = await files.readClaim();
  if (claim?.token !== job.uid) return { status: { state: 'vanished' }, lifeline: null };
  const exit = await files.readExit();
  if (exit !== null) return ended(files, exit);
  if (await isAlive(claim.supervisor)) return { status: await supervised(files, claim), lifeline: claim.supervisor };
  // Read again: the supervisor may have recorded something between the first look and its death.
  const [started, late] = [await files.readStarted(), await files.readExit()];
  if (late !== null) return ended(files, late);
  if (started !== null && (await isAlive(started.trainer)))
    return { status: await orphaned(files, started), lifeline: started.trainer };
  await endProcesses({ leader: started?.trainer ?? null, token: claim.token }, 0);
  const restarted = claim.supervisor.boot !== (await bootNow());
  const reason = restarted ? 'machine-restarted' : started === null ? 'never-started' : 'no-exit-record';
  await files.recordExit({ token: claim.token, exitCode: null, signal: null, endedAt: now().toISOString(), reason });
  const recorded = await files.readExit();
  return recorded === null ? { status: { state: 'vanished' }, lifeline: null } : ended(files, recorded);
}

/** Whether anything of the job lives that needs its slot. */
export async function jobLives(directory: string, token: string): Promise<boolean> {
  const files = jobFiles(directory);
  const claim = await files.readClaim();
  if (claim?.token !== token) return false;
  if (await isAlive(claim.supervisor)) return true;
  const started = await files.readStarted();
  return started !== null && (await isAlive(started.trainer));
}

async function supervised(files: JobFiles, claim: Claim): Promise<JobStatus> {
  const stop = await files.readStop();
  if (stop !== null) return { state: 'stopping', reason: stop.reason, since: stop.requestedAt };
  const started = await files.readStarted();
  if (started !== null) return { state: 'running', reason: null, since: started.startedAt };
  const queued = await files.readQueued();
  if (queued !== null) return { state: 'queued', reason: queued.reason, since: queued.since };
  return { state: 'starting', reason: null, since: claim.claimedAt };
}

async function orphaned(files: JobFiles, started: Started): Promise<JobStatus> {
  const stop = await files.readStop();
  if (stop !== null) return { state: 'stopping', reason: stop.reason, since: stop.requestedAt };
  return {
    state: 'running',
    reason: 'its supervisor is dead: nobody will see its exit code',
    since: started.startedAt,
  };
}

async function ended(files: JobFiles, exit: Exit): Promise<Look> {
  const stop = await files.readStop();
  const startedAt = (await files.readStarted())?.startedAt ?? null;
  const rank = {
    rank: 0,
    node: hostname(),
    exitCode: exit.exitCode,
    signal: exit.signal,
    endedAt: exit.reason === 'no-exit-record' || exit.reason === 'machine-restarted' ? null : exit.endedAt,
    lastLines: await lastLinesOf(files.log),
    reason: exit.reason,
  };
  return {
    status: { state: 'ended', startedAt, ranks: [rank], endedAt: exit.endedAt, stopRequested: stop?.reason ?? null },
    lifeline: null,
  };
}
