/**
 * What a cluster asks of a worker over HTTP, on one port: /healthz (the process answers), /readyz (it can do its work), /metrics.
 *
 * Covers the answers' form. Does not cover what makes a worker ready (readiness.ts) or what is measured (metrics.ts).
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TemperError } from '../../decisions/errors.ts';
import type { ProblemLog } from './problem-log.ts';
import type { Readiness } from './readiness.ts';

export interface HealthQuestions {
  readonly readiness: () => Promise<Readiness>;
  /** In Prometheus' text format. */
  readonly metrics: () => Promise<string>;
  /** Told why a question was not answered: who reaches the port is told no more than that. */
  readonly problems: ProblemLog;
}

export interface HealthServer {
  /** Where it listens: the one that was asked for, or a free one for 0. */
  readonly port: number;
  close(): void;
}

const plain = 'text/plain; charset=utf-8';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

/** Listens on every address of the machine. Throws `environment-unusable` where the port is not to be had. */
export async function startHealthServer(port: number, questions: HealthQuestions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    void answer(request, response, questions);
  });
  server.listen(port);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    const message = `port ${String(port)} cannot be listened on (${code}): name another with --health-port`;
    throw new TemperError('environment-unusable', message, { cause });
  }
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, questions: HealthQuestions): Promise<void> {
  const {
    status,
    text,
    type = plain,
  } = await answerTo(request, questions).catch((error: unknown) => {
    questions.problems.tell('a question was not answered', error);
    return { status: 500, text: "this cannot be told now: see the worker's log\n", type: plain };
  });
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(request.method === 'HEAD' ? '' : text);
}

async function answerTo({ url = '/', method }: IncomingMessage, questions: HealthQuestions): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'only GET and HEAD\n' };
  switch (new URL(url, 'http://worker').pathname) {
    case '/healthz':
      return { status: 200, text: 'ok\n' };
    case '/readyz': {
      const { isReady, lines } = await questions.readiness();
      return { status: isReady ? 200 : 503, text: lines.map((line) => `${line}\n`).join('') };
    }
    case '/metrics':
      return { status: 200, text: await questions.metrics(), type: 'text/plain; version=0.0.4; charset=utf-8' };
    default:
      return { status: 404, text: 'there are /healthz, /readyz and /metrics\n' };
  }
}
