/**
 * A Temporal server and workers as processes that are started again whenever they die, as a service manager does it.
 *
 * For demos and benches that kill them. Covers starting, killing, and leaving nothing behind. Does not cover what runs on them, or
 * one process for both (embedded-temper.ts).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createLocalBackend } from '../../local/backend.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../embedded-server.ts';
import { registerSearchAttributes } from '../search-attributes.ts';
import type { Settings } from '../settings.ts';

export interface KeptOptions {
  readonly settings: Settings;
  /** The worker's program with its arguments; it is started with this environment. */
  readonly worker: readonly [string, ...string[]];
  readonly environment: NodeJS.ProcessEnv;
  /** How many of it. @default 1 */
  readonly workers?: number;
  /** Seconds that jobs get to save when all ends. */
  readonly graceSeconds: number;
}

export interface KeptTemper {
  readonly client: Client;
  readonly uiUrl: string;
  /** Sends SIGKILL to the process that is there now; false when it is just being started anew. */
  killServer(): boolean;
  /** Of several, another one each time. */
  killWorker(): boolean;
  /** Leaves no process: the worker, then the jobs, then the server. */
  close(): Promise<void>;
}

/** Before something that died is started again. */
const pauseMilliseconds = 200;

export async function openKeptTemper(options: KeptOptions): Promise<KeptTemper> {
  const { settings } = options;
  mkdirSync(join(settings.storeDirectory, 'logs'), { recursive: true });
  const closing = new AbortController();
  const server = await keepServer(settings, closing.signal);
  const connection = await connect(server, settings.namespace).catch(async (error: unknown) => {
    closing.abort();
    await server.stop();
    throw error;
  });
  const workers = Array.from({ length: options.workers ?? 1 }, () => keepWorker(options, closing.signal));
  let kills = 0;
  return {
    client: new Client({ connection, namespace: settings.namespace }),
    uiUrl: server.uiUrl,
    killServer: () => server.kill(),
    killWorker: () => workers[kills++ % workers.length]?.kill() ?? false,
    async close() {
      closing.abort();
      await Promise.all(workers.map((worker) => worker.stop()));
      await stopJobs(options);
      await connection.close();
      await server.stop();
    },
  };
}

async function connect({ address }: KeptServer, namespace: string): Promise<Connection> {
  const connection = await Connection.connect({ address });
  await registerSearchAttributes(connection, namespace);
  return connection;
}

interface KeptServer extends Pick<EmbeddedServer, 'address' | 'uiUrl'> {
  kill(): boolean;
  stop(): Promise<void>;
}

async function keepServer(settings: Settings, closing: AbortSignal): Promise<KeptServer> {
  const { storeDirectory, temporalCli, port, uiPort } = settings;
  const start = () =>
    startEmbeddedServer({
      temporalCli,
      databaseFile: join(storeDirectory, 'temporal.sqlite'),
      logFile: join(storeDirectory, 'logs', 'temporal.log'),
      port,
      uiPort,
    });
  const first = await start();
  const isClosing = () => closing.aborted;
  const kept: { running: EmbeddedServer | null } = { running: first };
  const keeping = (async () => {
    while (!isClosing()) {
      await (kept.running?.died.catch(() => undefined) ?? pause(pauseMilliseconds));
      kept.running = null;
      // A start that fails is tried again: its reason stands in the server's log.
      if (!isClosing()) kept.running = await start().catch(() => null);
    }
  })();
  return {
    address: first.address,
    uiUrl: first.uiUrl,
    kill: () => killed(kept.running?.pid),
    async stop() {
      await kept.running?.stop();
      await keeping;
      await kept.running?.stop(); // one that was just being started
    },
  };
}

function keepWorker(
  { settings, worker: [program, ...args], environment }: KeptOptions,
  closing: AbortSignal,
): { kill(): boolean; stop(): Promise<void> } {
  const isClosing = () => closing.aborted;
  const kept: { running: ChildProcess | null } = { running: null };
  const keeping = (async () => {
    while (!isClosing()) {
      const log = openSync(join(settings.storeDirectory, 'logs', 'worker.log'), 'a');
      const child = spawn(program, args, { env: environment, detached: true, stdio: ['ignore', log, log] });
      closeSync(log);
      kept.running = child;
      await once(child, 'exit');
      kept.running = null;
      if (!isClosing()) await pause(pauseMilliseconds);
    }
  })();
  return {
    kill: () => killed(kept.running?.pid),
    async stop() {
      kept.running?.kill('SIGTERM');
      await keeping;
    },
  };
}

function killed(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

async function stopJobs({ settings, graceSeconds }: KeptOptions): Promise<void> {
  const command = () => ({ file: 'false', args: [] });
  const backend = createLocalBackend({ root: join(settings.storeDirectory, 'local'), command });
  try {
    const jobs = await backend.list();
    await Promise.all(jobs.map((job) => backend.stop(job, { reason: 'shutdown', graceSeconds })));
  } finally {
    backend.close();
  }
}
