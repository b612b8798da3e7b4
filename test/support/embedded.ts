/**
 * A real Temporal server for a test file, and sites on it: a store with its ledger, a task queue, and workers as processes.
 *
 * Everything lies in one temporary folder and listens on free ports. `close` ends every process by its id and says so when one was
 * left behind; with TEMPER_KEEP set the folder stays, to be looked at. Does not cover the demo program, which starts all of this by itself (demo-program.ts).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { jobFiles, type Started } from '../../local/job-files.ts';
import { repository } from '../../scripts/repository.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import { openSqliteLedger } from '../../store/ledger/sqlite.ts';
import { runDirectory } from '../../store/run-directory.ts';
import { createRunStore, type RunStore } from '../../store/run-store.ts';
import { startEmbeddedServer } from '../../workers/embedded-server.ts';
import { registerSearchAttributes } from '../../workers/search-attributes.ts';
import { readSettings } from '../../workers/settings.ts';
import { workflowNames, type PhaseReport, type PipelineResult, type PipelineStatus } from '../../workflows/contract.ts';
import { eventually } from './eventually.ts';
import { freePorts } from '../../scripts/free-ports.ts';
import { guardedFolder } from './guarded-folder.ts';
import { killIfThere, killProcessesOf, processesOf } from '../../scripts/processes-of-store.ts';

export interface Embedded {
  readonly client: Client;
  /** Host and port of the server. */
  readonly address: string;
  /** Where the Web UI of the server is. */
  readonly uiUrl: string;
  readonly folder: string;
  /** A store of its own with a task queue of its own; no worker yet. Its workers get this environment too. */
  site(name: string, environment?: NodeJS.ProcessEnv): Promise<Site>;
  close(): Promise<void>;
}

export interface Site {
  readonly store: string;
  readonly runs: RunStore;
  readonly ledger: Ledger;
  startWorker(how?: WorkerWish): Promise<WorkerProcess>;
  start(pipelineId: string, input: unknown): Promise<PipelineHandle>;
  /** Directory of a training attempt. */
  attempt(pipelineId: string, phase: string, number?: number): string;
  /** Directory of a job that evaluates. */
  evaluation(pipelineId: string, phase: string, number?: number): string;
}

export interface WorkerWish {
  /** Over the site's own. */
  readonly environment?: NodeJS.ProcessEnv;
  /** In test/support. @default worker-process.ts */
  readonly program?: string;
}

export type PipelineHandle = WorkflowHandleWithFirstExecutionRunId<(input: unknown) => Promise<PipelineResult>>;

export interface WorkerProcess {
  readonly pid: number;
  /** Asks it to leave; resolves to its exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

export async function startEmbedded(): Promise<Embedded> {
  const settings = readSettings(process.env);
  const guarded = await guardedFolder('temper-e2e-');
  const folder = guarded.path;
  const [port, uiPort] = await freePorts();
  const server = await startEmbeddedServer({
    temporalCli: settings.temporalCli,
    databaseFile: join(folder, 'temporal.sqlite'),
    logFile: join(folder, 'temporal.log'),
    port,
    uiPort,
  });
  const connection = await connect(server.address, settings.namespace).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  const client = new Client({ connection, namespace: settings.namespace });
  const closers: (() => Promise<void>)[] = [];
  return {
    client,
    address: server.address,
    uiUrl: server.uiUrl,
    folder,
    async site(name, more = {}) {
      const environment = {
        ...process.env,
        TEMPER_PORT: String(port),
        TEMPER_PYTHON: settings.python,
        TEMPORAL_CLI: settings.temporalCli,
        ...more,
      };
      const opened = await openSite({ client, folder, name, environment });
      closers.push(opened.close);
      return opened.site;
    },
    async close() {
      for (const close of closers.splice(0)) await close();
      await connection.close();
      await server.stop();
      await guarded.close();
    },
  };
}

async function connect(address: string, namespace: string): Promise<Connection> {
  const connection = await Connection.connect({ address });
  await registerSearchAttributes(connection, namespace);
  return connection;
}

interface SiteOptions {
  readonly client: Client;
  readonly folder: string;
  readonly name: string;
  readonly environment: NodeJS.ProcessEnv;
}

async function openSite(options: SiteOptions): Promise<{ readonly site: Site; readonly close: () => Promise<void> }> {
  const { client, folder, name } = options;
  const store = join(folder, name);
  await mkdir(store);
  const environment = { ...options.environment, TEMPER_STORE: store, TEMPER_TASK_QUEUE: name };
  const ledger = await openSqliteLedger(join(store, 'ledger.sqlite'));
  const workers: WorkerProcess[] = [];
  const site: Site = {
    store,
    runs: createRunStore(store),
    ledger,
    async startWorker({ environment: more = {}, program = 'worker-process.ts' } = {}) {
      const own = { env: { ...environment, ...more }, program };
      const worker = await startWorkerProcess(own, join(folder, `${name}-worker.log`));
      workers.push(worker);
      return worker;
    },
    start: (pipelineId, input) =>
      client.workflow.start(workflowNames.pipeline, { workflowId: pipelineId, taskQueue: name, args: [input] }),
    attempt: (pipeline, phase, number = 1) => runDirectory(store, { pipeline, phase, purpose: 'train', number }),
    evaluation: (pipeline, phase, number = 1) => runDirectory(store, { pipeline, phase, purpose: 'evaluate', number }),
  };
  return {
    site,
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()));
      // Jobs outlive their worker on purpose; a test that did not see its pipelines end leaves some.
      await eventually('no process of the store is left', 60, async () => {
        await killProcessesOf(store); // again: one may have begun another while it was killed
        return (await processesOf(store)).length === 0;
      });
      await ledger.close();
    },
  };
}

async function startWorkerProcess(
  { env, program }: { readonly env: NodeJS.ProcessEnv; readonly program: string },
  logFile: string,
): Promise<WorkerProcess> {
  const log = await open(logFile, 'a');
  const path = join(repository, 'test', 'support', program);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path], {
    env,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  await log.close();
  const first = await Promise.race([once(child, 'message').then(() => 'ready'), exited.then(() => 'ended')]);
  if (first === 'ended' || child.pid === undefined)
    throw new Error(`the worker did not start:\n${await readFile(logFile, 'utf8')}`);
  return {
    pid: child.pid,
    async stop() {
      if (isRunning(child)) child.kill('SIGTERM');
      return (await exited)[0];
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** The process that trains an attempt, as its supervisor has recorded it. */
export async function trainerOf(directory: string): Promise<Started> {
  return await eventually(`a trainer in ${directory}`, 600, () => jobFiles(directory).readStarted());
}

/** Sends a signal to the trainer and everything in its group; its supervisor lives on. */
export async function signalTrainer(directory: string, signal: NodeJS.Signals): Promise<Started> {
  const started = await trainerOf(directory);
  if (!killIfThere(-started.trainer.pid, signal)) throw new Error(`the trainer in ${directory} is gone`);
  return started;
}

/** Resolves when an attempt has trained beyond this step. */
export async function untilStep(site: Site, directory: string, step: number): Promise<void> {
  await eventually(`step ${String(step)} in ${directory}`, 600, async () => {
    const progress = await site.runs.lastProgress(directory);
    return progress !== null && progress.step >= step;
  });
}

/** A phase of the `status` query; null before the recipe is resolved. */
export async function phaseOf(handle: PipelineHandle, phase: string): Promise<PhaseReport | null> {
  const { phases } = await handle.query<PipelineStatus>('status');
  return phases.find((one) => one.phase === phase) ?? null;
}
