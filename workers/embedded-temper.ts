/**
 * All of Temper in one process tree: an embedded Temporal server with its Web UI, a worker, and the jobs of its backend.
 *
 * Covers opening in order and closing in the reverse one. Does not cover what runs on it.
 */
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Backend } from '../activities/backend.ts';
import { createActivities } from '../activities/index.ts';
import { checkStore } from '../store/store-check.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { openHealth } from './health/health.ts';
import { openPlace, type OpenPlace } from './place.ts';
import { reaperOf } from './reaper.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import type { Settings } from './settings.ts';
import { installRuntime, startTemperWorker } from './temper-worker.ts';

export interface EmbeddedTemperOptions {
  readonly settings: Settings;
  readonly profile: string;
  readonly defaultRecipe: string | null;
  /** Where /healthz, /readyz and /metrics are served; 0 for a free port. @default nowhere */
  readonly healthPort?: number | undefined;
  readonly scanSeconds: number;
  readonly environment: NodeJS.ProcessEnv;
}

/** How the jobs are stopped at the end. */
export interface Leaving {
  /** Seconds between SIGTERM and SIGKILL. @default the profile's */
  readonly graceSeconds: number;
  /** Ends the grace. */
  readonly hurry: AbortSignal;
}

export interface EmbeddedTemper {
  readonly client: Client;
  readonly place: OpenPlace;
  readonly uiUrl: string;
  /** Where its health is served; null where it is not. */
  readonly healthPort: number | null;
  /** Rejects when the server or the worker ends without having been asked to. */
  readonly died: Promise<never>;
  /** Leaves no process: the worker goes first, then the jobs (they save and stop), then the server. */
  close(options?: Partial<Leaving>): Promise<void>;
}

/** Opens everything, or nothing: what was opened before a failure is closed again. */
export async function openEmbeddedTemper(options: EmbeddedTemperOptions): Promise<EmbeddedTemper> {
  const closers: (() => Promise<void>)[] = [];
  try {
    return await open(options, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** Closes the newest first, and everything, whatever fails; the first failure is told at the end. */
async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (failure) {
      failures.push(failure);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function open(options: EmbeddedTemperOptions, closers: (() => Promise<void>)[]): Promise<EmbeddedTemper> {
  const { settings } = options;
  await checkStore(settings.storeDirectory);
  const logs = join(settings.storeDirectory, 'logs');
  mkdirSync(logs, { recursive: true });
  const workerLog = createWriteStream(join(logs, 'worker.log'), { flags: 'a' });
  const log = (line: string) => workerLog.write(`${line}\n`);

  const server = await startEmbeddedServer({
    temporalCli: settings.temporalCli,
    databaseFile: join(settings.storeDirectory, 'temporal.sqlite'),
    logFile: join(logs, 'temporal.log'),
    port: settings.port,
    uiPort: settings.uiPort,
  });
  closers.push(() => server.stop());

  const connection = await Connection.connect({ address: server.address });
  closers.push(() => connection.close());
  await registerSearchAttributes(connection, settings.namespace);
  const health = await openHealth({ port: options.healthPort, connection, log });
  closers.push(() => {
    health.close();
    return Promise.resolve();
  });
  installRuntime(log, health.sdkPort);

  const place = await openPlace({ ...options, connection });
  closers.push(() => place.close());

  const client = new Client({ connection, namespace: settings.namespace });
  const reaper = reaperOf(place, client, log);
  closers.push(() => {
    reaper.close();
    return Promise.resolve();
  });
  const activities = createActivities({ ...place.dependencies, reaper });
  const leaving = { graceSeconds: place.place.profile.graceSeconds, hurry: new AbortController().signal };
  // Jobs of a cluster are not this machine's: they go on, and whoever works there next watches them again.
  if (place.place.profile.backend === 'local') closers.push(() => stopJobs(place.place.backend, leaving));
  const worker = await startTemperWorker({ ...settings, address: server.address, activities });
  closers.push(() => worker.stop());
  health.about(place, worker);
  const workerDied = worker.running.then(() => new Promise<never>(() => undefined));
  const died = Promise.race([server.died, workerDied]);
  died.catch(() => undefined);

  return {
    client,
    place,
    uiUrl: server.uiUrl,
    healthPort: health.port,
    died,
    async close(options) {
      Object.assign(leaving, options);
      await closeAll(closers);
      workerLog.end();
    },
  };
}

/** Every job of the backend saves and stops; those that the hurry finds still running are killed. */
async function stopJobs(backend: Backend, { graceSeconds, hurry }: Leaving): Promise<void> {
  const jobs = await backend.list();
  const stopAll = (seconds: number) =>
    Promise.all(jobs.map((job) => backend.stop(job, { reason: 'shutdown', graceSeconds: seconds })));
  const hurried = new Promise<void>((resolve, reject) => {
    const kill = () => {
      stopAll(0).then(() => {
        resolve();
      }, reject);
    };
    if (hurry.aborted) kill();
    hurry.addEventListener('abort', kill);
  });
  await Promise.race([stopAll(graceSeconds), hurried]);
}
