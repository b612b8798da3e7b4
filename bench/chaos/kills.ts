/**
 * Kills one thing, chosen by chance: a trainer, one in the middle of a write, a supervisor, both, the worker, the server, or all of it.
 *
 * SIGKILL always. Does not cover when (run-chaos.ts).
 */
import type { KeptTemper } from '../../workers/demo/kept-temper.ts';
import type { TornCheckpoint } from './count.ts';
import { type LiveJob, liveJobs } from '../../workers/demo/live-jobs.ts';
import type { Random } from './seeded-random.ts';
import { tearSomething } from './tear.ts';

export const targets = ['trainer', 'torn write', 'supervisor', 'job', 'worker', 'server', 'everything'] as const;
export type Target = (typeof targets)[number];

export interface Kill {
  readonly target: Target;
  /** In words, for the log. */
  readonly what: string;
  readonly torn: TornCheckpoint | null;
}

/** How often each is chosen. */
const weights: Readonly<Record<Target, number>> = {
  trainer: 7,
  'torn write': 6,
  supervisor: 4,
  job: 3,
  worker: 3,
  server: 2,
  everything: 1,
};

export function chooseTarget(random: Random): Target {
  return random.oneOf(targets.flatMap((target) => Array<Target>(weights[target]).fill(target))) ?? 'trainer';
}

/** Null when there is nothing of that kind now. */
export async function kill(
  target: Target,
  { temper, storeDirectory, random }: { temper: KeptTemper; storeDirectory: string; random: Random },
): Promise<Kill | null> {
  const done = (what: string, torn: TornCheckpoint | null = null): Kill => ({ target, what, torn });
  if (target === 'worker') return temper.killWorker() ? done('') : null;
  if (target === 'server') return temper.killServer() ? done('') : null;
  const jobs = await liveJobs(storeDirectory);
  const one = random.oneOf(jobs.filter((job) => isTarget(target, job)));
  if (target === 'everything') {
    temper.killWorker();
    temper.killServer();
    for (const job of jobs) endBoth(job);
    return done(`with ${String(jobs.length)} jobs`);
  }
  if (one === null) return null;
  const name = `${one.pipeline}/${one.phase} ${one.kind === 'evaluate' ? 'evaluation' : 'attempt'} ${String(one.attempt)}`;
  switch (target) {
    case 'trainer':
      return end(one.trainer?.pid) ? done(name) : null;
    case 'supervisor':
      return end(one.supervisor?.pid) ? done(name) : null;
    case 'job':
      return endBoth(one) ? done(name) : null;
    case 'torn write': {
      const pid = one.trainer?.pid;
      if (!end(pid, 'SIGSTOP')) return null;
      const tear = await tearSomething(one, random);
      end(pid);
      const { pipeline, phase, attempt } = one;
      const torn = tear === null || tear.step === null ? null : { pipeline, phase, attempt, step: tear.step };
      return done(`${name}: ${tear?.what ?? 'nothing to cut yet'}`, torn);
    }
  }
}

function isTarget(target: Target, { trainer, supervisor, kind }: LiveJob): boolean {
  if (target === 'supervisor') return supervisor !== null;
  if (target === 'torn write') return trainer !== null && kind !== 'evaluate';
  return trainer !== null;
}

function endBoth({ supervisor, trainer }: LiveJob): boolean {
  return [end(supervisor?.pid), end(trainer?.pid)].includes(true);
}

function end(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
