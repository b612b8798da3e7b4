/**
 * What a worker measures, in Prometheus' text format: the Temporal SDK's own metrics, and Temper's.
 *
 * The SDK serves its metrics itself, on a port of this machine alone; here they are handed on, so that one port has everything. Covers
 * gauges that are read when they are asked for. Does not cover what a pipeline costs (its page, the ledger).
 */
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Backend } from '../../activities/backend.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { ProblemLog } from './problem-log.ts';
import type { Readiness } from './readiness.ts';
import { sharedAnswer } from './shared-answer.ts';

export interface MetricsOptions {
  readonly ledger: Pick<Ledger, 'liveAttempts'>;
  readonly backend: Pick<Backend, 'unseenSeconds'>;
  readonly readiness: () => Promise<Readiness>;
  readonly profile: string;
  /** Of the SDK's own metrics. */
  readonly sdkPort: number;
  /** Told why a part is left out. */
  readonly problems: ProblemLog;
  /** Seconds that each part has: Prometheus waits for ten. @default 5 */
  readonly answerSeconds?: number;
}

interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly values: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

interface Part {
  /** Named in the place of what is left out. */
  readonly name: string;
  readonly ask: () => Promise<string>;
}

/** What cannot be asked now is left out, and named in a comment. */
export function metricsOf(options: MetricsOptions): () => Promise<string> {
  const parts = partsOf(options);
  return sharedAnswer(async () => (await Promise.all(parts.map((part) => textOf(part, options)))).join(''));
}

async function textOf({ name, ask }: Part, { problems, answerSeconds = 5 }: MetricsOptions): Promise<string> {
  const what = `${name} cannot be told`;
  try {
    const text = await within(answerSeconds, ask());
    problems.tell(what, null);
    return text;
  } catch (error) {
    problems.tell(what, error);
    return `# ${what} now: see the worker's log\n`;
  }
}

async function within<T>(seconds: number, answer: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = pause(seconds * 1000, undefined, { signal: over.signal }).then(() => {
    throw new Error(`no answer within ${String(seconds)} s`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    over.abort();
  }
}

function partsOf({ ledger, backend, readiness, profile, sdkPort }: MetricsOptions): readonly Part[] {
  // A database that hangs is asked once, however often Prometheus comes.
  const liveAttempts = sharedAnswer(() => ledger.liveAttempts());
  return [
    {
      name: 'temper_live_attempts',
      ask: async () => gaugeText(liveGauge(await liveAttempts())),
    },
    {
      name: 'temper_unseen_seconds',
      ask: () => Promise.resolve(gaugeText(unseenGauge(profile, backend.unseenSeconds?.() ?? 0))),
    },
    {
      name: 'temper_ready',
      ask: async () => gaugeText(readyGauge(profile, await readiness())),
    },
    { name: 'temporal_…', ask: sharedAnswer(() => sdkText(sdkPort)) },
  ];
}

function liveGauge(attempts: Awaited<ReturnType<Ledger['liveAttempts']>>): Gauge {
  const counts = new Map<string, number>();
  for (const { purpose, state } of attempts) {
    const key = JSON.stringify({ purpose, state });
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return {
    name: 'temper_live_attempts',
    help: 'Attempts in the ledger that are not over: the same from every worker of a ledger.',
    values: [...counts].map(([labels, count]) => [JSON.parse(labels) as Record<string, string>, count]),
  };
}

function unseenGauge(profile: string, seconds: number): Gauge {
  return {
    name: 'temper_unseen_seconds',
    help: 'For how long this worker has heard nothing of the jobs, where that is longer than it should be; else 0.',
    values: [[{ profile }, seconds]],
  };
}

function readyGauge(profile: string, { isReady }: Readiness): Gauge {
  return {
    name: 'temper_ready',
    help: 'Whether /readyz says that this worker can do its work: 1 or 0.',
    values: [[{ profile }, isReady ? 1 : 0]],
  };
}

function gaugeText({ name, help, values }: Gauge): string {
  const lines = values.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
    return `${name}{${pairs.join(',')}} ${value === Infinity ? '+Inf' : String(value)}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

async function sdkText(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${String(port)}/metrics`, { signal: AbortSignal.timeout(5000) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the SDK answers ${String(answer.status)}: ${text}`);
  return text;
}

/** A port of this machine that nobody listens on now: the SDK cannot say which one it took. */
export async function freeLocalPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
