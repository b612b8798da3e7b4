/**
 * What a worker measures, in Prometheus' text format: the Temporal SDK's own metrics, and Temper's.
 *
 * The SDK serves its metrics itself, on a port of this machine alone; here they are handed on, so that one port has everything. Covers
 * gauges that are read when they are asked for. Does not cover what a pipeline costs (its page, the ledger).
 */
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Backend } from '../../activities/backend.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { Readiness } from './readiness.ts';

export interface MetricsOptions {
  readonly ledger: Pick<Ledger, 'liveAttempts'>;
  readonly backend: Pick<Backend, 'unseenSeconds'>;
  readonly readiness: () => Promise<Readiness>;
  readonly profile: string;
  /** Of the SDK's own metrics. */
  readonly sdkPort: number;
}

interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly values: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

/** Rejects where the ledger or the SDK cannot be asked. */
export async function metricsText(options: MetricsOptions): Promise<string> {
  const [gauges, sdk] = await Promise.all([gaugesOf(options), sdkText(options.sdkPort)]);
  return gauges.map(gaugeText).join('') + sdk;
}

async function gaugesOf({ ledger, backend, readiness, profile }: MetricsOptions): Promise<readonly Gauge[]> {
  const [attempts, { isReady }] = await Promise.all([ledger.liveAttempts(), readiness()]);
  const counts = new Map<string, number>();
  for (const { purpose, state } of attempts) {
    const key = JSON.stringify({ purpose, state });
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [
    {
      name: 'temper_live_attempts',
      help: 'Attempts in the ledger that are not over: the same from every worker of a ledger.',
      values: [...counts].map(([labels, count]) => [JSON.parse(labels) as Record<string, string>, count]),
    },
    {
      name: 'temper_unseen_seconds',
      help: 'For how long this worker has heard nothing of the jobs, where that is longer than it should be; else 0.',
      values: [[{ profile }, backend.unseenSeconds?.() ?? 0]],
    },
    {
      name: 'temper_ready',
      help: 'Whether /readyz says that this worker can do its work: 1 or 0.',
      values: [[{ profile }, isReady ? 1 : 0]],
    },
  ];
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
  return await answer.text();
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
