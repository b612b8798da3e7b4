/**
 * Kills something in the middle of each phase in turn: its trainer, the worker, the server, or all of it at once. SIGKILL always.
 *
 * The middle: half of the steps are done and a whole checkpoint is there; a phase without steps, as soon as its trainer runs. Each phase
 * is met once, in its first attempt. Does not cover starting again what was killed (kept-temper.ts; a trainer is Temper's own matter).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createRunStore } from '../../store/run-store.ts';
import type { KeptTemper } from './kept-temper.ts';
import { type LiveJob, liveJobs } from './live-jobs.ts';

export const killable = ['trainer', 'worker', 'server', 'everything'] as const;
export type Killable = (typeof killable)[number];

export interface PhaseKill {
  readonly phase: string;
  readonly step: number;
}

export interface EachPhase {
  readonly what: Killable;
  readonly temper: KeptTemper;
  readonly storeDirectory: string;
  /** Ends the killing. */
  readonly signal: AbortSignal;
  readonly killed: (kill: PhaseKill) => void;
}

const lookMilliseconds = 100;

/** Resolves to what was killed, once the signal comes. */
export async function killEachPhase(options: EachPhase): Promise<readonly PhaseKill[]> {
  const { storeDirectory, signal } = options;
  const kills: PhaseKill[] = [];
  while (!signal.aborted) {
    for (const job of await liveJobs(storeDirectory)) {
      if (job.kind === 'evaluate' || job.attempt > 1 || kills.some(({ phase }) => phase === job.phase)) continue;
      const step = await middleOf(job, storeDirectory);
      if (step === null || !killIn(job, options)) continue;
      kills.push({ phase: job.phase, step });
      options.killed({ phase: job.phase, step });
    }
    await pause(lookMilliseconds);
  }
  return kills;
}

/** The step that it is at, when that is its middle. */
async function middleOf({ directory, trainer }: LiveJob, storeDirectory: string): Promise<number | null> {
  if (trainer === null) return null;
  const runs = createRunStore(storeDirectory);
  const progress = await runs.lastProgress(directory);
  if (progress === null) return null;
  const { step, of } = progress;
  if (of === 0) return step;
  if (step < of / 2 || step >= of) return null;
  const saved = (await runs.checkpoints(directory)).some((one) => one.level === 'complete' && one.step > 0);
  return saved ? step : null;
}

function killIn({ trainer, supervisor }: LiveJob, { what, temper }: EachPhase): boolean {
  switch (what) {
    case 'trainer':
      return endGroup(trainer?.pid);
    case 'worker':
      return temper.killWorker();
    case 'server':
      return temper.killServer();
    case 'everything':
      return [temper.killServer(), temper.killWorker(), endGroup(supervisor?.pid), endGroup(trainer?.pid)].includes(
        true,
      );
  }
}

/** Supervisor and trainer lead groups of their own. */
function endGroup(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
