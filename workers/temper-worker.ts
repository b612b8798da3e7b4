/**
 * A Temporal worker with Temper's workflows and activities, and the settings that make a killed one cost little.
 *
 * Covers connection and limits. Does not cover what the activities need (place.ts) or where the workflows' code comes from
 * (workflow-bundle.ts).
 */
import {
  bundleWorkflowCode,
  DefaultLogger,
  GracefulShutdownPeriodExpiredError,
  NativeConnection,
  type NativeConnectionOptions,
  Runtime,
  type RuntimeOptions,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import type { Activities } from '../activities/index.ts';
import { interceptorsOf, workflowBundle, type BundlePlaces, type WorkflowBundle } from './workflow-bundle.ts';

export interface TemperWorkerOptions extends BundlePlaces {
  readonly address: string;
  /** TLS, API key and headers, where the server asks for them. */
  readonly connection?: Omit<NativeConnectionOptions, 'address'>;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly activities: Activities;
  /** Upper bound of the heartbeat pace, in seconds: also how soon a cancellation is noticed. */
  readonly heartbeatSeconds: number;
  /** Opts into Temporal's worker versioning. @default every worker gets every task */
  readonly version?: DeploymentVersion | undefined;
}

export interface DeploymentVersion {
  readonly deploymentName: string;
  readonly buildId: string;
}

export interface TemperWorker {
  /** Rejects when the worker fails; resolves after `stop`. */
  readonly running: Promise<void>;
  /** Whether it takes work. */
  polls(): boolean;
  /** Leaves fast: the jobs run on, and the next worker goes on watching them. */
  stop(): Promise<void>;
}

/**
 * Sends the SDK's own log lines to `write`, and serves its metrics on a port of this machine alone, where one is named. Once per process,
 * before the first worker.
 */
export function installRuntime(write: (line: string) => void, metricsPort?: number): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    write(`${new Date().toISOString()} ${level} ${message} ${meta ? JSON.stringify(meta, errorsToo) : ''}`);
  });
  Runtime.install({ logger, shutdownSignals: [], ...(metricsPort === undefined ? {} : metricsOn(metricsPort)) });
}

/** Named as Prometheus has it: `…_total`, `…_seconds`. */
function metricsOn(port: number): RuntimeOptions {
  const prometheus = {
    bindAddress: `127.0.0.1:${String(port)}`,
    countersTotalSuffix: true,
    unitSuffix: true,
    useSecondsForDurations: true,
  };
  return { telemetryOptions: { metrics: { prometheus } } };
}

/** How long activities may take to leave. */
const forceSeconds = 10;

export async function startTemperWorker(options: TemperWorkerOptions): Promise<TemperWorker> {
  const connection = await NativeConnection.connect({ ...options.connection, address: options.address });
  const worker = await create(options, connection).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const running = worker.run().finally(() => connection.close());
  running.catch(() => undefined);
  return {
    running,
    polls: () => worker.getState() === 'RUNNING',
    async stop() {
      if (worker.getState() !== 'RUNNING') return; // it has ended by itself, and `running` told why
      worker.shutdown();
      await running.catch((error: unknown) => {
        // An activity that waits for a job to save outlives us: its next attempt goes on waiting.
        if (!(error instanceof GracefulShutdownPeriodExpiredError)) throw error;
      });
    },
  };
}

/** Built ahead, or now. */
export function currentWorkflows(places: BundlePlaces): Promise<WorkflowBundle> {
  return workflowBundle(places, async (workflowsPath) => {
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      workflowInterceptorModules: interceptorsOf(workflowsPath),
      logger: Runtime.instance().logger,
    });
    return code;
  });
}

async function create(options: TemperWorkerOptions, connection: NativeConnection): Promise<Worker> {
  return await Worker.create({
    connection,
    namespace: options.namespace,
    taskQueue: options.taskQueue,
    workflowBundle: await currentWorkflows(options),
    activities: { ...options.activities },
    // After a kill -9, a waiting run is taken over when this has passed.
    stickyQueueScheduleToStartTimeout: '2 seconds',
    // A cached run costs about 1 MB, and a waiting one needs no cache.
    maxCachedWorkflows: 50,
    // Each watched job holds a slot for as long as it runs.
    maxConcurrentActivityTaskExecutions: 2000,
    maxHeartbeatThrottleInterval: options.heartbeatSeconds * 1000,
    shutdownGraceTime: 0,
    shutdownForceTime: forceSeconds * 1000,
    ...(options.version === undefined ? {} : versionedAs(options.version)),
  });
}

/** Pipelines move on to the current version: they run for weeks, and what would break them does not pass the kept histories. */
function versionedAs(version: DeploymentVersion): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  return {
    workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' },
  };
}

function errorsToo(_key: string, value: unknown): unknown {
  return value instanceof Error
    ? { name: value.name, message: value.message, stack: value.stack }
    : typeof value === 'bigint'
      ? String(value)
      : value;
}
