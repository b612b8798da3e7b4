/**
 * A worker of its own for a server that is there already, with the place that its activities need.
 *
 * Covers opening and leaving fast: jobs run on. Does not cover an embedded server (embedded-temper.ts).
 */
import { Client, type Connection } from '@temporalio/client';
import { createActivities } from '../activities/index.ts';
import { openPlace } from './place.ts';
import { reaperOf } from './reaper.ts';
import type { Settings } from './settings.ts';
import { installRuntime, startTemperWorker, type TemperWorkerOptions } from './temper-worker.ts';

export interface ServeOptions {
  readonly settings: Settings;
  readonly connection: Connection;
  readonly address: string;
  /** TLS and keys of the worker's own connection. */
  readonly native: NonNullable<TemperWorkerOptions['connection']>;
  readonly profile: string;
  readonly defaultRecipe: string | null;
  readonly log: (line: string) => void;
}

export interface Serving {
  /** Resolves when the worker has left after `stop`; rejects when it fails before. */
  until(stop: AbortSignal): Promise<void>;
}

/** Pause between two walks over the live run directories. Seconds. */
const scanSeconds = 5;

export async function serve(options: ServeOptions): Promise<Serving> {
  const { settings, connection, address, native, profile, defaultRecipe } = options;
  installRuntime(options.log);
  const place = await openPlace({ settings, connection, profile, defaultRecipe, scanSeconds });
  const client = new Client({ connection, namespace: settings.namespace });
  const reaper = reaperOf(place, client, options.log);
  const activities = createActivities({ ...place.dependencies, reaper });
  const leave = async () => {
    reaper.close();
    await place.close();
  };
  const starting = startTemperWorker({ ...settings, address, connection: native, activities });
  const worker = await starting.catch(async (error: unknown) => {
    await leave();
    throw error;
  });
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
