/**
 * Requests to one API server: authentication by the kubeconfig, one pool of connections, patience with what passes.
 *
 * The only file that loads `@kubernetes/client-node`: for kubeconfig and credentials. Its own requests open a TLS connection each, have no
 * timeout, no retries, and drop fields that they do not know; so requests and objects are plain here. Does not cover watching
 * (reflector.ts).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Cluster, KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { TemperError } from '../decisions/errors.ts';
import { KubeError } from './kube-error.ts';
import { pause } from './pause.ts';

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** From the server's root, with its query: `/apis/batch/v1/namespaces/x/jobs`. */
  readonly path: string;
  readonly body?: unknown;
  /** The object without its contents, so that a Secret shows that it is there and nothing else. */
  readonly metadataOnly?: true;
  readonly signal?: AbortSignal;
  /** Once it aborts the request is not repeated; one that is under way is waited for. */
  readonly noMoreTries?: AbortSignal | undefined;
}

export interface KubeClient {
  /** Where the API server is. */
  readonly server: string;
  /** Names the cluster however it is reached: by its own certificate authority, or by its address where it has none of its own. */
  readonly cluster: string;
  /** The answer as JSON. Repeated while the trouble passes: each request must be one that may be sent twice. Throws `KubeError`. */
  send<T>(order: KubeRequest): Promise<T>;
  /** The answer as it comes; asked once. Throws `KubeError`. */
  stream(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

const requestSeconds = 30;
const mostTries = 6;
const firstPauseSeconds = 0.25;
const longestPauseSeconds = 20;
const connections = 16;

/** Reads the kubeconfig (`KUBECONFIG`, `~/.kube/config`, or that of the pod). Throws `environment-unusable` where none names a server. */
export function createKubeClient(context?: string): KubeClient {
  const config = loadConfig(context);
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new TemperError('environment-unusable', 'no kubeconfig names a cluster: set KUBECONFIG');
  // Watches have a pool of their own, so that no request waits behind a stream.
  const pools = { requests: new Pool(config, connections), streams: new Pool(config, null) };
  const ask = async ({ method, path, body, metadataOnly, signal }: KubeRequest, pool: Pool) => {
    try {
      const { headers } = await credentials(config);
      const answer = await request(new URL(path, cluster.server), {
        method,
        dispatcher: await pool.opened(),
        headers: { ...headers, ...accept(metadataOnly), 'user-agent': 'temper', ...contentType(method, body) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      if (answer.statusCode < 300) return answer.body;
      throw refused(answer.statusCode, answer.headers, await answer.body.text());
    } catch (cause) {
      if (cause instanceof KubeError) throw cause;
      signal?.throwIfAborted();
      throw new KubeError(`${cluster.server} does not answer (${(cause as Error).message})`, { cause });
    }
  };
  const patiently = async (order: KubeRequest): Promise<unknown> => {
    const stops = [order.signal, order.noMoreTries].filter((signal) => signal !== undefined);
    for (let tries = 1; ; tries += 1) {
      const timeout = AbortSignal.timeout(requestSeconds * 1000);
      const signal = order.signal ? AbortSignal.any([order.signal, timeout]) : timeout;
      try {
        return await (await ask({ ...order, signal }, pools.requests)).json();
      } catch (error) {
        order.signal?.throwIfAborted();
        const trouble = error instanceof KubeError ? error : new KubeError(`${cluster.server} does not answer in time`);
        if (!trouble.isPassing || tries >= mostTries || order.noMoreTries?.aborted) throw trouble;
        const seconds = Math.max(trouble.retryAfterSeconds ?? 0, firstPauseSeconds * 2 ** (tries - 1));
        await pause(millisecondsOf(seconds), AbortSignal.any(stops));
        if (order.noMoreTries?.aborted) throw trouble;
      }
    }
  };
  return {
    server: cluster.server,
    cluster: nameOfCluster(cluster),
    send: async <T>(order: KubeRequest) => (await patiently(order)) as T,
    stream: async (path, signal) => await ask({ method: 'GET', path, signal }, pools.streams),
    async close() {
      await Promise.all([pools.requests.close(), pools.streams.close()]);
    },
  };
}

function nameOfCluster({ server, caData, caFile }: Cluster): string {
  // The kubeconfig of a person has it as text, that of a pod as a file.
  const authority =
    caData === undefined ? caFile && readFileSync(caFile, 'utf8') : Buffer.from(caData, 'base64').toString();
  return authority === undefined ? server : createHash('sha256').update(authority.trim()).digest('hex').slice(0, 32);
}

function loadConfig(context: string | undefined): KubeConfig {
  const config = new KubeConfig();
  try {
    config.loadFromDefault();
  } catch (cause) {
    throw new TemperError('environment-unusable', `the kubeconfig cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
  if (context === undefined) return config;
  if (config.getContextObject(context) === null) {
    const names = config.getContexts().map(({ name }) => name);
    throw new TemperError(
      'environment-unusable',
      `the kubeconfig has no context "${context}"; it has: ${names.join(', ') || 'none'}`,
    );
  }
  config.setCurrentContext(context);
  return config;
}

interface Credentials {
  headers?: Record<string, string>;
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  rejectUnauthorized?: boolean;
  servername?: string;
}

/** Asked before each request: tokens are renewed in between. */
async function credentials(config: KubeConfig): Promise<Credentials> {
  const found: Credentials = {};
  await config.applyToHTTPSOptions(found as Parameters<KubeConfig['applyToHTTPSOptions']>[0]);
  return found;
}

/** Connections, opened when they are first needed; credentials that could not be had are asked for again. */
class Pool {
  readonly #config: KubeConfig;
  readonly #connections: number | null;
  #dispatcher: Promise<Dispatcher> | null = null;

  /** `connections`: at most; null for as many as there are requests at once. */
  constructor(config: KubeConfig, connections: number | null) {
    this.#config = config;
    this.#connections = connections;
  }

  async opened(): Promise<Dispatcher> {
    this.#dispatcher ??= dispatcherFor(this.#config, this.#connections);
    try {
      return await this.#dispatcher;
    } catch (error) {
      this.#dispatcher = null;
      throw error;
    }
  }

  async close(): Promise<void> {
    const dispatcher = await this.#dispatcher?.catch(() => null);
    await dispatcher?.destroy();
  }
}

async function dispatcherFor(config: KubeConfig, connections: number | null): Promise<Dispatcher> {
  const { ca, cert, key, rejectUnauthorized, servername } = await credentials(config);
  const tls = Object.fromEntries(
    Object.entries({ ca, cert, key, rejectUnauthorized, servername }).filter(([, value]) => value !== undefined),
  );
  const connect = { ...tls, keepAlive: true, keepAliveInitialDelay: 30_000 };
  const proxy = config.getCurrentCluster()?.proxyUrl;
  // HTTP/1.1: with one shared connection every request would wait for the slowest stream.
  const options = { connect, connections, allowH2: false, bodyTimeout: 0 };
  return proxy === undefined ? new Agent(options) : new ProxyAgent({ ...options, uri: proxy, requestTls: tls });
}

function accept(metadataOnly = false): Record<string, string> {
  return { accept: metadataOnly ? 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' : 'application/json' };
}

function contentType(method: KubeRequest['method'], body: unknown): Record<string, string> {
  if (body === undefined) return {};
  return { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
}

function refused(status: number, headers: Record<string, unknown>, text: string): KubeError {
  const retryAfter = Number(headers['retry-after']);
  const said = statusOf(text);
  return new KubeError(said.message ?? `HTTP ${String(status)}: ${text.slice(0, 300)}`, {
    status,
    reason: said.reason ?? null,
    retryAfterSeconds: Number.isFinite(retryAfter) ? Math.min(retryAfter, longestPauseSeconds) : null,
  });
}

/** A proxy before the server answers with something else. */
function statusOf(text: string): { readonly reason?: string; readonly message?: string } {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === 'object' && said !== null ? said : {};
  } catch {
    return {};
  }
}

/** Somewhat longer, so that workers that were refused together do not come back together; never sooner than the server asked for. */
const millisecondsOf = (seconds: number): number =>
  Math.min(seconds, longestPauseSeconds) * 1000 * (1 + Math.random() / 2);
