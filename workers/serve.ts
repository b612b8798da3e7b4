/**
 * A worker of its own for a server that is there already, with the place that its activities need.
 *
 * Covers opening and leaving fast: jobs run on. Does not cover an embedded server (embedded-temper.ts).
 */
import { Client, type Connection } from '@temporalio/client';
import { createActivities } from '../activities/index.ts';
import { openHealth } from './health/health.ts';
import { openPlace } from './place.ts';
import { reaperOf } from './reaper.ts';
import type { Places } from './settings.ts';
import {
  type DeploymentVersion,
  installRuntime,
  startTemperWorker,
  type TemperWorker,
  type TemperWorkerOptions,
} from './temper-worker.ts';

export interface ServeOptions {
  readonly settings: Places;
  readonly connection: Connection;
  readonly address: string;
  /** TLS and keys of the worker's own connection. */
  readonly native: NonNullable<TemperWorkerOptions['connection']>;
  readonly profile: string;
  readonly defaultRecipe: string | null;
  /** Where /healthz, /readyz and /metrics are served; 0 for a free port. @default nowhere */
  readonly healthPort?: number | undefined;
  readonly version?: DeploymentVersion | undefined;
  readonly log: (line: string) => void;
  readonly environment: NodeJS.ProcessEnv;
}

export interface Serving {
  /** Where its health is served; null where it is not. */
  readonly healthPort: number | null;
  /** Resolves when the worker has left after `stop`; rejects when it fails before. */
  until(stop: AbortSignal): Promise<void>;
}

/** Pause between two walks over the live run directories. Seconds. */
const scanSeconds = 5;

export async function serve(options: ServeOptions): Promise<Serving> {
  const { settings, connection, address, native, version } = options;
  const closers: (() => void | Promise<void>)[] = [];
  const leave = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const health = await openHealth({ port: options.healthPort, connection, log: options.log });
    closers.push(() => {
      health.close();
    });
    installRuntime(options.log, health.sdkPort);
    const place = await openPlace({ ...options, scanSeconds });
    closers.push(() => place.close());
    const client = new Client({ connection, namespace: settings.namespace });
    const reaper = reaperOf(place, client, options.log);
    closers.push(() => {
      reaper.close();
    });
    const activities = createActivities({ ...place.dependencies, reaper });
    const worker = await startTemperWorker({ ...settings, address, connection: native, activities, version });
    health.about(place, worker);
    return { healthPort: health.port, ...servingOf(worker, leave) };
  } catch (error) {
    await leave();
    throw error;
  }
}

function servingOf(worker: TemperWorker, leave: () => Promise<void>): Pick<Serving, 'until'> {
  return {
    async until(stop) {
      const asked = new Promise<void>((resolve) => {
        if (stop.aborted) resolve();
        stop.addEventListener('abort', () => {
          resolve();
        });
      });
      try {
        await Promise.race([asked, worker.running]);
        await worker.stop();
      } finally {
        await leave();
      }
    },
  };
}
