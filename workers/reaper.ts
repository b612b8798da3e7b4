/**
 * Stops jobs of this worker's store whose workflow is closed for long: a run that was terminated by hand stops nothing itself.
 *
 * One a worker, over whatever backend: one list of jobs, and one question to Temporal for all of them, at each look. Where the server
 * cannot be reached nothing is stopped. Does not cover jobs whose owner nobody knows: they are left alone.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Backend, JobRef } from '../activities/backend.ts';
import type { JobReaper, JudgedJob } from '../activities/dependencies.ts';
import { type OwnerState, judgeOwner, type StopOutcome } from '../decisions/reap.ts';
import { ownerRunOf } from '../decisions/reservation-key.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { RunStore } from '../store/run-store.ts';
import type { OpenPlace } from './place.ts';
import { ownerStates } from './workflow-owners.ts';

export interface ReaperOptions {
  readonly backend: Pick<Backend, 'list' | 'stop'>;
  readonly store: Pick<RunStore, 'ownerOf'>;
  readonly ledger: Pick<Ledger, 'liveAttempts' | 'changeAttempt'>;
  /** By run id. Rejects when Temporal cannot be asked. */
  readonly ownerStates: (runIds: readonly string[]) => Promise<ReadonlyMap<string, OwnerState>>;
  /** Seconds that a job gets to save. */
  readonly graceSeconds: number;
  readonly now: () => Date;
  readonly say: (line: string) => void;
  /** Pause between two looks. @default 60 */
  readonly everySeconds?: number;
  /** How long one who told it to stop waits for what comes of it. @default 5 */
  readonly patienceSeconds?: number;
}

export interface Reaper extends JobReaper {
  /** Looks now; resolves to what was stopped. */
  look(): Promise<readonly JobRef[]>;
  close(): void;
}

export function startReaper(options: ReaperOptions): Reaper {
  const { everySeconds = 60, patienceSeconds = 5 } = options;
  let closed = false;
  /** A look that is under way when its worker leaves has nobody to tell. */
  const say = (line: string) => {
    if (!closed) options.say(line);
  };
  /** Owners never change: each directory is read once. */
  const owners = new Map<string, string | null>();
  const judged = () => judgeJobs(options, owners);
  const end = endOnce({ ...options, say });
  const look = async () => {
    const outcomes = (await judged()).map(async ({ job, decision }) =>
      decision.kind === 'stop' && (await end(job, decision.closedAt)).kind === 'stopped' ? [job] : [],
    );
    return (await Promise.all(outcomes)).flat();
  };
  let timer: NodeJS.Timeout | undefined;
  const tell = (error: unknown) => {
    say(`the reaper could not look, and stopped nothing: ${textOf(error)}`);
  };
  const later = () => {
    if (closed) return;
    timer = setTimeout(() => void look().catch(tell).finally(later), everySeconds * 1000);
    timer.unref();
  };
  later();
  return {
    look,
    async judge({ stop }) {
      const jobs = await judged();
      if (!stop) return jobs;
      const late = pause(patienceSeconds * 1000, { kind: 'stopping' } as const, { ref: false });
      const asked = jobs.map(async ({ job, decision }): Promise<JudgedJob> => {
        if (decision.kind === 'leave') return { job, decision };
        return { job, decision, outcome: await Promise.race([end(job, decision.closedAt), late]) };
      });
      return await Promise.all(asked);
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** The reaper of a worker in this place. */
export function reaperOf(open: OpenPlace, client: Client, say: (line: string) => void): Reaper {
  const { place, dependencies } = open;
  return startReaper({
    backend: place.backend,
    store: place.store,
    ledger: dependencies.ledger,
    ownerStates: (runIds) => ownerStates(client, runIds),
    graceSeconds: place.profile.graceSeconds,
    now: () => dependencies.now(),
    say,
  });
}

async function judgeJobs(
  { backend, store, now, ownerStates }: ReaperOptions,
  owners: Map<string, string | null>,
): Promise<readonly JudgedJob[]> {
  const jobs = await backend.list();
  for (const { directory } of jobs) {
    if (!owners.has(directory)) owners.set(directory, ownerRunOf((await store.ownerOf(directory)) ?? ''));
  }
  for (const directory of owners.keys()) if (!jobs.some((job) => job.directory === directory)) owners.delete(directory);
  const runIds = [...new Set([...owners.values()].filter((owner) => owner !== null))];
  const states = runIds.length === 0 ? new Map<string, OwnerState>() : await ownerStates(runIds);
  return jobs.map((job) => {
    const owner = states.get(owners.get(job.directory) ?? '') ?? { kind: 'unknown' };
    return { job, decision: judgeOwner(owner, now().toISOString()) };
  });
}

/** Who comes while a job is being stopped gets the outcome of that stop: a question that is asked anew, and the next look, begin no other. */
function endOnce(options: ReaperOptions): (job: JobRef, closedAt: string) => Promise<StopOutcome> {
  const underWay = new Map<string, Promise<StopOutcome>>();
  return (job, closedAt) => {
    const before = underWay.get(job.uid);
    if (before !== undefined) return before;
    const outcome = endOf(options, job, closedAt).finally(() => underWay.delete(job.uid));
    underWay.set(job.uid, outcome);
    return outcome;
  };
}

/** Never rejects: one that cannot be stopped keeps no other from its end. */
async function endOf(options: ReaperOptions, job: JobRef, closedAt: string): Promise<StopOutcome> {
  const { backend, graceSeconds, say } = options;
  try {
    await backend.stop(job, { reason: 'cancel', graceSeconds });
    await recordEnd(options, job);
  } catch (error) {
    const because = textOf(error);
    say(`job ${job.name} runs for nobody, and could not be stopped: ${because}`);
    return { kind: 'refused', because };
  }
  say(`job ${job.name} ran for nobody, its workflow run having closed at ${closedAt}: it was stopped`);
  return { kind: 'stopped' };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function recordEnd({ ledger, now }: ReaperOptions, job: JobRef): Promise<void> {
  const attempt = (await ledger.liveAttempts()).find(({ jobUid }) => jobUid === job.uid);
  if (attempt !== undefined) await ledger.changeAttempt(attempt, { state: 'cancelled', at: now().toISOString() });
}
