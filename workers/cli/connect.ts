/**
 * The way to a Temporal server: its address and keys from the environment or temporal.toml, and whether a worker is there.
 *
 * The client is loaded here and only here, when a command needs it. Does not cover what is asked of it.
 */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { Client, Connection } from '@temporalio/client';
import { TemperError } from '../../decisions/errors.ts';
import { pageOfRun, readPlaces, type Places } from '../settings.ts';

export interface Connected {
  readonly client: Client;
  readonly connection: Connection;
  readonly places: Places;
  readonly address: string;
  readonly namespace: string;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;
/** An answer that takes longer will not come. */
export const answerSeconds = 10;

export async function serverOf(environment: Environment) {
  const { loadClientConfigProfile, toClientOptions } = await import('@temporalio/envconfig');
  const places = readPlaces(environment);
  const overrideEnvVars = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  try {
    const profile = loadClientConfigProfile({ overrideEnvVars, ...profileOf(environment) });
    const { address: _address, ...connection } = toClientOptions(profile).connectionOptions;
    return {
      places,
      address: profile.address ?? `127.0.0.1:${String(places.port)}`,
      namespace: profile.namespace ?? places.namespace,
      connection,
    };
  } catch (cause) {
    const message = `the settings of the Temporal client cannot be used: ${(cause as Error).message}`;
    throw new TemperError('invalid-input', message, { cause });
  }
}

function profileOf({ TEMPORAL_PROFILE: profile }: Environment): { profile?: string } {
  return profile === undefined ? {} : { profile };
}

/** Throws `environment-unusable` when no server answers. */
export async function connect(environment: Environment = process.env): Promise<Connected> {
  const { Client, Connection } = await import('@temporalio/client');
  const { places, address, namespace, connection: options } = await serverOf(environment);
  await mustListen(address);
  try {
    const connection = await Connection.connect({ ...options, address, connectTimeout: '5 seconds' });
    return {
      client: new Client({ connection, namespace }),
      connection,
      places,
      address,
      namespace,
      close: () => connection.close(),
    };
  } catch (cause) {
    throw noServer(`${address} ${options.tls ? 'with' : 'without'} TLS`, cause);
  }
}

/** The client tries for seconds; on this machine it is known at once that nobody listens. */
async function mustListen(address: string): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return;
  const probe = createConnection({ host: hostname.replace(/[[\]]/g, ''), port: Number(port || 7233) });
  try {
    await once(probe, 'connect');
  } catch (cause) {
    throw noServer(address, cause);
  } finally {
    probe.destroy();
  }
}

function noServer(address: string, cause: unknown): TemperError {
  const message = `no Temporal server answers at ${address}: start one with \`temper up\`, or name one with TEMPORAL_ADDRESS`;
  return new TemperError('environment-unusable', message, { cause });
}

/** Runs `act` with a connection, and closes it whatever comes. */
export async function withServer<T>(act: (connected: Connected) => Promise<T>): Promise<T> {
  const connected = await connect();
  try {
    return await act(connected);
  } catch (error) {
    throw await refusalOf(connected, error);
  } finally {
    await connected.close();
  }
}

/** What the server itself refuses (a namespace, a key), in one line; any other error as it is. */
async function refusalOf({ address, namespace }: Connected, error: unknown): Promise<unknown> {
  // What was waited for too long is cancelled, and that is its cause: the server has refused nothing.
  if (error instanceof TemperError) return error;
  const { isGrpcServiceError, NamespaceNotFoundError } = await import('@temporalio/client');
  if (error instanceof NamespaceNotFoundError || (isGrpcServiceError(error) && (error.code as number) === notFound))
    return new TemperError(
      'not-found',
      `${address} has no namespace "${namespace}": name one with TEMPORAL_NAMESPACE`,
      {
        cause: error,
      },
    );
  const refused = isGrpcServiceError(error) ? error : error instanceof Error ? error.cause : null;
  if (!isGrpcServiceError(refused)) return error;
  return new TemperError('environment-unusable', `the Temporal server at ${address} refuses: ${refused.details}`, {
    cause: error,
  });
}

/** gRPC's number. */
const notFound = 5;

/** Throws `environment-unusable` when nobody polls the task queue: an update or a query would wait for ever. */
export async function requireWorker(connected: Connected): Promise<void> {
  const { places, address } = connected;
  if (await isPolled(connected, places.taskQueue)) return;
  throw new TemperError(
    'environment-unusable',
    `no worker polls the task queue "${places.taskQueue}" of ${address}: start one with \`temper up\` or \`temper worker\``,
  );
}

/** By a worker, now or within the last minutes. */
export async function isPolled({ connection, namespace }: Connected, taskQueue: string): Promise<boolean> {
  const { pollers } = await connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue } });
  return pollers.length > 0;
}

/** What is asked for, and for how long. */
interface Asked {
  readonly what: string;
  readonly seconds: number;
  /** What a person is told when no answer comes. */
  readonly tooLate: string;
}

/** What a worker answers; `environment-unusable` when it does not, `not-found` when there is no such pipeline. */
export async function answered<T>(
  { client, places }: Connected,
  asked: string | Asked,
  ask: () => Promise<T>,
): Promise<T> {
  const { what, seconds, tooLate } =
    typeof asked === 'string' ? { what: asked, seconds: answerSeconds, tooLate: 'is it still running?' } : asked;
  const { isGrpcDeadlineError, WorkflowNotFoundError, WorkflowUpdateRPCTimeoutOrCancelledError } =
    await import('@temporalio/client');
  try {
    return await client.withDeadline(Date.now() + seconds * 1000, ask);
  } catch (cause) {
    if (cause instanceof WorkflowNotFoundError)
      throw new TemperError('not-found', `there is no ${what} on this server; \`temper status\` lists what there is`, {
        cause,
      });
    if (!isGrpcDeadlineError(cause) && !(cause instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) throw cause;
    const message = `no worker on the task queue "${places.taskQueue}" answered within ${String(seconds)} s: ${tooLate}`;
    throw new TemperError('environment-unusable', message, { cause });
  }
}

export function pageOf({ places, namespace }: Connected, workflowId: string, runId?: string): string {
  return pageOfRun(places, namespace, [workflowId, ...(runId === undefined ? [] : [runId])]);
}
