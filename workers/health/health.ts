/**
 * The health of one worker, served from before it opens anything until it has left: what a cluster's probes and Prometheus ask.
 *
 * Does not cover what they are told (readiness.ts, metrics.ts).
 */
import type { Connection } from '@temporalio/client';
import type { OpenPlace } from '../place.ts';
import type { TemperWorker } from '../temper-worker.ts';
import { startHealthServer } from './health-server.ts';
import { freeLocalPort, metricsOf } from './metrics.ts';
import { problemLog } from './problem-log.ts';
import { type Readiness, readinessOf } from './readiness.ts';

export interface Health {
  /** Null where it is not served. */
  readonly port: number | null;
  /** Where the SDK is to serve its own metrics. */
  readonly sdkPort: number | undefined;
  /** From now on it is about this worker; before, it is not ready. */
  about(place: OpenPlace, worker: Pick<TemperWorker, 'polls'>): void;
  close(): void;
}

const beginning: Readiness = { isReady: false, lines: ['worker: it begins'] };

export interface HealthOptions {
  /** 0 for a free one. @default it is not served */
  readonly port: number | undefined;
  readonly connection: Connection;
  readonly log: (line: string) => void;
}

/** Throws `environment-unusable` where the port is not to be had. */
export async function openHealth({ port, connection, log }: HealthOptions): Promise<Health> {
  if (port === undefined) return { port: null, sdkPort: undefined, about: () => undefined, close: () => undefined };
  const problems = problemLog(log);
  let readiness = () => Promise.resolve(beginning);
  let metrics = () => Promise.resolve('');
  const server = await startHealthServer(port, {
    readiness: () => readiness(),
    metrics: () => metrics(),
    problems,
  });
  // Only now: else it may be the one that was asked for.
  const sdkPort = await freeLocalPort();
  return {
    port: server.port,
    sdkPort,
    about({ place, dependencies: { ledger } }, worker) {
      const { backend, profile } = place;
      readiness = readinessOf({ connection, backend, polls: () => worker.polls(), problems });
      metrics = metricsOf({ ledger, backend, readiness, profile: profile.name, sdkPort, problems });
      // A backend begins to watch when it is first asked for its jobs: now, so that a cluster which tells nothing is known before the first.
      backend.list().catch((error: unknown) => {
        problems.tell('the jobs cannot be listed', error);
      });
    },
    close() {
      server.close();
    },
  };
}
