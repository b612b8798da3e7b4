/**
 * Whether a worker can do its work now: it polls, Temporal answers, and its backend is heard of.
 *
 * Does not cover the ledger or the store: while they are away activities are tried again, and no other worker could do better.
 */
import type { Connection } from '@temporalio/client';
import type { Backend } from '../../activities/backend.ts';

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
  /** Seconds that Temporal has to answer. @default 3 */
  readonly answerSeconds?: number;
}

/** Who asks while an answer is on its way gets the same one. */
export function readinessOf(options: ReadinessOptions): () => Promise<Readiness> {
  let underWay: Promise<Readiness> | null = null;
  return () => (underWay ??= look(options).finally(() => (underWay = null)));
}

async function look({ connection, backend, polls, answerSeconds = 3 }: ReadinessOptions): Promise<Readiness> {
  const temporal = await whyNoTemporal(connection, answerSeconds);
  const found = [
    { what: 'worker', problem: polls() ? null : 'it takes no work: it begins, or it leaves' },
    { what: 'temporal', problem: temporal },
    { what: 'backend', problem: whyUnseen(backend.unseenSeconds?.() ?? 0) },
  ];
  return {
    isReady: found.every(({ problem }) => problem === null),
    lines: found.map(({ what, problem }) => `${what}: ${problem ?? 'ok'}`),
  };
}

async function whyNoTemporal(connection: Connection, answerSeconds: number): Promise<string | null> {
  try {
    const ask = () => connection.workflowService.getSystemInfo({});
    await connection.withDeadline(Date.now() + answerSeconds * 1000, ask);
    return null;
  } catch (error) {
    return `the server does not answer (${error instanceof Error ? error.message : String(error)})`;
  }
}

function whyUnseen(seconds: number): string | null {
  if (seconds === 0) return null;
  const since = Number.isFinite(seconds) ? `for ${seconds.toFixed(0)} s` : 'yet';
  return `nothing was heard of the jobs ${since}: see the worker's log, and \`temper doctor\``;
}
