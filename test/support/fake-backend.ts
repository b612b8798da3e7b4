/**
 * A backend in memory: jobs are rows, and a test says what becomes of them. Keeps the port's promises: create or adopt, events
 * instead of polls, a stop that resolves when nothing runs.
 */
import type { Backend, JobRef, JobSpec, JobStatus, StopReason } from '../../activities/backend.ts';
import { nodeUnreachable } from '../../decisions/backend-reasons.ts';
import type { RankEnd } from '../../decisions/failure.ts';
import type { WaitKind } from '../../decisions/states.ts';
import { rankEnd } from './builders.ts';
import { isJobOver } from '../../decisions/job-over.ts';

export interface FakeBackend extends Backend {
  /** What it cannot give more of; a test may say so. */
  fixed: Backend['fixed'];
  /** A test may give it nodes to choose from. */
  cluster?: string;
  /** How often each job was asked for, by its name. */
  readonly submitted: readonly JobSpec[];
  readonly stopped: readonly { readonly job: string; readonly reason: StopReason; readonly graceSeconds: number }[];
  /** How many wait for the next change of a job. */
  readonly waiting: number;
  /** Resolves when somebody waits for a change. */
  awaited(): Promise<void>;
  /** The job's processes run. */
  run(job: JobRef): void;
  /** It has its place, and waits there. */
  starting(job: JobRef, reason: string, waitsFor?: WaitKind): void;
  /** The job is over; without ranks, one process that ended with 0. */
  end(job: JobRef, ...ranks: readonly Partial<RankEnd>[]): void;
  /** The node that it runs on does not answer any more. */
  loseNode(job: JobRef, node: string): void;
  /** Neither the job nor a record of its end is left. */
  lose(job: JobRef): void;
}

const since = '2026-11-29T10:00:00.000Z';

export function fakeBackend(now: () => Date = () => new Date(since)): FakeBackend {
  const jobs = new Map<string, { readonly ref: JobRef; status: JobStatus; startedAt: string | null }>();
  const waiters = new Set<() => void>();
  const spectators = new Set<() => void>();
  const submitted: JobSpec[] = [];
  const stopped: { job: string; reason: StopReason; graceSeconds: number }[] = [];

  const jobOf = ({ name }: JobRef) => {
    const job = jobs.get(name);
    if (job === undefined) throw new Error(`no job ${name}`);
    return job;
  };
  function change(ref: JobRef, status: JobStatus): void {
    jobOf(ref).status = status;
    for (const waiter of [...waiters]) waiter();
  }
  function endOf(ref: JobRef, ranks: readonly Partial<RankEnd>[], stopRequested: StopReason | null): JobStatus {
    const ends = (ranks.length === 0 ? [{}] : ranks).map((end, rank) => rankEnd({ rank, ...end }));
    const { startedAt } = jobOf(ref);
    return { state: 'ended', startedAt, ranks: ends, endedAt: now().toISOString(), stopRequested };
  }

  return {
    fixed: [],
    submitted,
    stopped,
    get waiting() {
      return waiters.size;
    },
    awaited: () => (waiters.size > 0 ? Promise.resolve() : new Promise((resolve) => spectators.add(resolve))),
    submit(spec) {
      submitted.push(spec);
      const known = jobs.get(spec.name)?.ref;
      const ref = known ?? { name: spec.name, uid: `uid-${spec.name}`, directory: spec.directory };
      if (known === undefined)
        jobs.set(spec.name, { ref, status: { state: 'queued', reason: null, since }, startedAt: null });
      return Promise.resolve(ref);
    },
    find: ({ name }) => Promise.resolve(jobs.get(name)?.ref ?? null),
    status: (job) => Promise.resolve(jobOf(job).status),
    async nextChange(job, seen, signal) {
      while (jobOf(job).status === seen && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const done = () => {
            waiters.delete(done);
            signal.removeEventListener('abort', done);
            resolve();
          };
          waiters.add(done);
          for (const tell of spectators) tell();
          spectators.clear();
          signal.addEventListener('abort', done);
        });
      }
      return jobOf(job).status;
    },
    stop(job, { reason, graceSeconds }) {
      stopped.push({ job: job.name, reason, graceSeconds });
      const { status } = jobOf(job);
      const node = 'lostNode' in status ? status.lostNode : undefined;
      const rank = node === undefined ? { exitCode: 75 } : { exitCode: null, reason: nodeUnreachable, node };
      if (!isJobOver(status)) change(job, endOf(job, [rank], reason));
      return Promise.resolve();
    },
    list: () => Promise.resolve([...jobs.values()].filter(({ status }) => !isJobOver(status)).map(({ ref }) => ref)),
    run(job) {
      jobOf(job).startedAt = now().toISOString();
      change(job, { state: 'running', reason: null, since });
    },
    starting(job, reason, waitsFor = 'starting') {
      change(job, { state: 'starting', reason, since, waitsFor, waitsOn: 'node-1' });
    },
    end(job, ...ranks) {
      change(job, endOf(job, ranks, null));
    },
    loseNode(job, node) {
      change(job, { state: 'running', reason: null, since, lostNode: node });
    },
    lose(job) {
      change(job, { state: 'vanished' });
    },
  };
}
