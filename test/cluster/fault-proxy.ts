/**
 * Stands between one client and the real API server, and goes wrong as it is told: what a network, a load balancer or a busy server does.
 *
 * Plain HTTP at its own end, with the administrator's certificate at the other. Each request is written down. A rule answers for the
 * requests that it knows, or lets them pass. Does not cover what faults mean.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { readApiAccess } from './api-access.ts';

export interface SeenRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** As JSON; undefined where there is none. */
  readonly body: unknown;
  readonly isWatch: boolean;
  /** `performance.now()` of its coming. */
  readonly at: number;
}

export type Fault =
  /** The server never sees it, and the client never hears. */
  | { readonly kind: 'swallowed' }
  /** The server does it, and the client never hears. */
  | { readonly kind: 'reply-lost' }
  /** The server does it, and the connection breaks in the middle of the reply. */
  | { readonly kind: 'cut' }
  /** Answered so without asking the server; a watch is answered so at once and ends. */
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body: string;
    }
  /** The server does it, and something on the way says this. */
  | { readonly kind: 'disguised'; readonly status: number; readonly body: string }
  /** A watch that is open and says nothing, for as long as the connection lives. */
  | { readonly kind: 'silent' };

/** Null lets it pass. */
export type Rule = (request: SeenRequest) => Fault | null;

export interface FaultProxy {
  /** A kubeconfig whose only server is this proxy. */
  readonly kubeconfig: string;
  readonly seen: readonly SeenRequest[];
  /** In place of the rule before. */
  rule(rule: Rule): void;
  /** Breaks every connection that is open: what was swallowed or silent ends too. */
  cutAll(): void;
  close(): Promise<void>;
}

export async function startFaultProxy(kubeconfig: string): Promise<FaultProxy> {
  const { server, tls } = readApiAccess(kubeconfig);
  const agent = new Agent({ ...tls, keepAlive: true });
  const seen: SeenRequest[] = [];
  let rule: Rule = () => null;
  const proxy = createServer((incoming, reply) => {
    void answer(incoming, reply).catch(() => {
      reply.destroy();
    });
  });
  async function answer(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const asked = seenOf(incoming, body);
    seen.push(asked);
    const fault = rule(asked);
    if (fault?.kind === 'swallowed') return;
    if (fault?.kind === 'silent') {
      reply.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      return;
    }
    if (fault?.kind === 'answered') {
      reply.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers }).end(fault.body);
      return;
    }
    await forward({ incoming, reply, body, fault });
  }
  async function forward({ incoming, reply, body, fault }: Forwarded): Promise<void> {
    const { host: _host, ...headers } = incoming.headers;
    const onward = request(new URL(incoming.url ?? '/', server), { method: incoming.method ?? 'GET', headers, agent });
    reply.once('close', () => onward.destroy());
    onward.end(body);
    const [told] = (await once(onward, 'response')) as [IncomingMessage];
    if (fault === null) {
      reply.writeHead(told.statusCode ?? 502, told.headers);
      reply.flushHeaders();
      told.once('error', () => reply.destroy());
      told.pipe(reply);
      return;
    }
    const whole = await buffer(told);
    if (fault.kind === 'reply-lost') return;
    if (fault.kind === 'disguised') reply.writeHead(fault.status, { 'content-type': 'text/plain' }).end(fault.body);
    else {
      reply.writeHead(told.statusCode ?? 502, { 'content-length': String(whole.length) });
      reply.write(whole.subarray(0, whole.length >> 1), () => reply.destroy());
    }
  }
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'temper-proxy-'));
  const own = join(folder, 'kubeconfig');
  writeFileSync(own, stringify(kubeconfigOf(`http://127.0.0.1:${String(port)}`)));
  return {
    kubeconfig: own,
    seen,
    rule(next) {
      rule = next;
    },
    cutAll() {
      proxy.closeAllConnections();
    },
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
      agent.destroy();
      rmSync(folder, { recursive: true });
    },
  };
}

interface Forwarded {
  readonly incoming: IncomingMessage;
  readonly reply: ServerResponse;
  readonly body: Buffer;
  readonly fault: Extract<Fault, { kind: 'reply-lost' | 'cut' | 'disguised' }> | null;
}

function seenOf({ method = 'GET', url = '/' }: IncomingMessage, body: Buffer): SeenRequest {
  return {
    method,
    path: url,
    body: body.length === 0 ? undefined : JSON.parse(body.toString()),
    isWatch: new URL(url, 'http://proxy').searchParams.has('watch'),
    at: performance.now(),
  };
}

function kubeconfigOf(server: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'nobody', user: {} }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'nobody' } }],
    'current-context': 'proxy',
  };
}
