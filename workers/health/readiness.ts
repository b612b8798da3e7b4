/**
 * Whether a worker can do its work now: it polls, Temporal answers, and its backend is heard of.
 *
 * Does not cover the ledger or the store: while they are away activities are tried again, and no other worker could do better.
 */
import type { Connection } from '@temporalio/client';
import type { Backend } from '../../activities/backend.ts';
import type { ProblemLog } from './problem-log.ts';
import { sharedAnswer } from './shared-answer.ts';

export interface Readiness {
  readonly isReady: boolean;
  /** One for each thing that is looked at, with `ok` or what is wrong. */
  readonly lines: readonly string[];
}

export interface ReadinessOptions {
  readonly connection: Connection;
  readonly backend: Pick<Backend, 'unseenSeconds'>;
  /** Whether it takes work: not before it has begun, nor once it was asked to leave. */
  readonly polls: () => boolean;
  /** Told what Temporal, or the way to it, says: no answer has it. */
  readonly problems: ProblemLog;
  /** Seconds that Temporal has to answer. @default 3 */
  readonly answerSeconds?: number;
}

export function readinessOf(options: ReadinessOptions): () => Promise<Readiness> {
  return sharedAnswer(() => look(options));
}

async function look(options: ReadinessOptions): Promise<Readiness> {
  const { backend, polls } = options;
  const isThere = await temporalAnswers(options);
  const found = [
    { what: 'worker', problem: polls() ? null : 'it takes no work: it begins, or it leaves' },
    { what: 'temporal', problem: isThere ? null : "the server does not answer: see the worker's log" },
    { what: 'backend', problem: whyUnseen(backend.unseenSeconds?.() ?? 0) },
  ];
  return {
    isReady: found.every(({ problem }) => problem === null),
    lines: found.map(({ what, problem }) => `${what}: ${problem ?? 'ok'}`),
  };
}

async function temporalAnswers({ connection, problems, answerSeconds = 3 }: ReadinessOptions): Promise<boolean> {
  const what = 'Temporal does not answer';
  try {
    const ask = () => connection.workflowService.getSystemInfo({});
    await connection.withDeadline(Date.now() + answerSeconds * 1000, ask);
    problems.tell(what, null);
    return true;
  } catch (error) {
    problems.tell(what, error);
    return false;
  }
}

function whyUnseen(seconds: number): string | null {
  if (seconds === 0) return null;
  const since = Number.isFinite(seconds) ? `for ${seconds.toFixed(0)} s` : 'yet';
  return `nothing was heard of the jobs ${since}: see the worker's log, and \`temper doctor\``;
}
