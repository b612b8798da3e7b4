/**
 * All of Temper in one process tree: an embedded Temporal server with its Web UI, a worker, and the jobs of its backend.
 *
 * Covers opening in order and closing in the reverse one. Does not cover what runs on it.
 */
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { createActivities } from '../activities/index.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { openPlace, type OpenPlace } from './place.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import type { Settings } from './settings.ts';
import { installRuntime, startTemperWorker } from './temper-worker.ts';

export interface EmbeddedTemperOptions {
  readonly settings: Settings;
  readonly profile: string;
  readonly defaultRecipe: string | null;
  readonly scanSeconds: number;
}

export interface EmbeddedTemper {
  readonly client: Client;
  readonly place: OpenPlace;
  readonly uiUrl: string;
  /** Rejects when the server or the worker ends without having been asked to. */
  readonly died: Promise<never>;
  /** Leaves no process: the worker goes first, then the jobs (they save and stop), then the server. */
  close(options: { readonly graceSeconds: number }): Promise<void>;
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

async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

async function open(options: EmbeddedTemperOptions, closers: (() => Promise<void>)[]): Promise<EmbeddedTemper> {
  const { settings } = options;
  const logs = join(settings.storeDirectory, 'logs');
  mkdirSync(logs, { recursive: true });
  const workerLog = createWriteStream(join(logs, 'worker.log'), { flags: 'a' });
  installRuntime((line) => workerLog.write(`${line}\n`));

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

  const place = await openPlace({ ...options, connection });
  closers.push(() => place.close());

  const activities = createActivities(place.dependencies);
  const worker = await startTemperWorker({ ...settings, address: server.address, activities });
  const workerDied = worker.running.then(() => new Promise<never>(() => undefined));
  const died = Promise.race([server.died, workerDied]);
  died.catch(() => undefined);

  return {
    client: new Client({ connection, namespace: settings.namespace }),
    place,
    uiUrl: server.uiUrl,
    died,
    async close({ graceSeconds }) {
      await worker.stop();
      const jobs = await place.backend.list();
      await Promise.all(jobs.map((job) => place.backend.stop(job, { reason: 'shutdown', graceSeconds })));
      await closeAll(closers);
      workerLog.end();
    },
  };
}
