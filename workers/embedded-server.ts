/**
 * A Temporal server with its Web UI as a child of this process: the official CLI's development server on a database file.
 *
 * Covers start, health, and stop. Does not cover anything that a shared server needs (TLS, several nodes).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { Connection } from '@temporalio/client';
import { TemperError } from '../decisions/errors.ts';
import { mustBeProgram } from './program-check.ts';
import { endServerLeftBehind, forgetServer, rememberServer } from './server-record.ts';

export interface EmbeddedServerOptions {
  readonly temporalCli: string;
  readonly databaseFile: string;
  readonly logFile: string;
  readonly port: number;
  readonly uiPort: number;
}

export interface EmbeddedServer {
  readonly pid: number | undefined;
  readonly address: string;
  readonly uiUrl: string;
  /** Rejects when the server ends without having been asked to. */
  readonly died: Promise<never>;
  stop(): Promise<void>;
}

const host = '127.0.0.1';
const startSeconds = 60;
const mostStarts = 3;

/**
 * Starts the server and resolves when it answers. Throws `environment-unusable` with the fix.
 *
 * One that ends while it starts is started anew: it takes ports of its own besides ours, which another program may have taken meanwhile.
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (!(error instanceof ServerEnded) || starts === mostStarts) throw error;
    }
  }
}

class ServerEnded extends TemperError {
  constructor(reason: string) {
    super('environment-unusable', reason);
  }
}

async function startOnce(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const record = `${options.databaseFile}.server.json`;
  mustBeProgram(options.temporalCli, 'TEMPORAL_CLI');
  await endServerLeftBehind(record);
  await mustBeFree(options.port, 'TEMPER_PORT');
  await mustBeFree(options.uiPort, 'TEMPER_UI_PORT');
  mkdirSync(dirname(options.databaseFile), { recursive: true });
  const log = openSync(options.logFile, 'a');
  // Its own process group: Ctrl-C in the terminal must not stop the server before its worker has said good-bye.
  const child = spawn(options.temporalCli, argumentsOf(options), { detached: true, stdio: ['ignore', log, log] });
  const died = endOf(child, options.logFile).then((reason) => Promise.reject(reason));
  const isOver = new AbortController();
  died.catch(() => {
    isOver.abort();
  });
  if (child.pid !== undefined) await rememberServer(record, child.pid);
  const address = `${host}:${String(options.port)}`;
  await Promise.race([died, untilItAnswers(address, isOver.signal)]).catch(async (error: unknown) => {
    await stopChild(child, record);
    throw error;
  });
  const uiUrl = `http://${host}:${String(options.uiPort)}`;
  return { pid: child.pid, address, uiUrl, died, stop: () => stopChild(child, record) };
}

function argumentsOf(options: EmbeddedServerOptions): string[] {
  const { databaseFile, port, uiPort } = options;
  const where = ['--ip', host, '--port', String(port), '--ui-port', String(uiPort), '--db-filename', databaseFile];
  return ['server', 'start-dev', ...where, '--log-level', 'warn'];
}

async function mustBeFree(port: number, variable: string): Promise<void> {
  const probe = createServer();
  probe.listen(port, host);
  try {
    await once(probe, 'listening');
  } catch (cause) {
    throw new TemperError(
      'environment-unusable',
      `port ${String(port)} is in use: stop what uses it, or choose another with ${variable}=<port>`,
      { cause },
    );
  }
  probe.close();
  await once(probe, 'close');
}

async function endOf(child: ChildProcess, logFile: string): Promise<ServerEnded> {
  const reason = await Promise.race([
    once(child, 'error').then(([error]) => (error as Error).message),
    once(child, 'exit').then(([code, signal]) => `it ended with ${String(signal ?? code)}`),
  ]);
  return new ServerEnded(`the Temporal server does not run: ${reason}; its log is ${logFile}`);
}

async function untilItAnswers(address: string, isOver: AbortSignal): Promise<void> {
  const deadline = Date.now() + startSeconds * 1000;
  while (!isOver.aborted) {
    const connection = Connection.lazy({ address, connectTimeout: '1 second' });
    try {
      await connection.ensureConnected();
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      return;
    } catch (cause) {
      if (Date.now() > deadline)
        throw new TemperError('environment-unusable', `the Temporal server does not answer at ${address}`, { cause });
      await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      await connection.close();
    }
  }
}

async function stopChild(child: ChildProcess, record: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(kill);
  forgetServer(record);
}
