/** A chat's webhook as a real HTTP server on a port of its own, which does what a test says. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** `never` answers; `hang-up` closes the connection when it has heard all. */
export type ChatAnswer = 'never' | 'hang-up' | { readonly status: number; readonly headers?: Record<string, string> };

export interface Heard {
  readonly path: string | undefined;
  readonly key: string | string[] | undefined;
  readonly body: unknown;
  readonly authorization?: string;
}

export interface ChatServer {
  /** Everything it has heard, also what it did not answer well. */
  readonly received: readonly Heard[];
  address(path: string): string;
  /** How it answers from now on; 200 at first. */
  answers(how: ChatAnswer): void;
  /** Resolves when it has heard so many. */
  heard(count: number): Promise<void>;
  close(): Promise<void>;
}

/** `port` 0 takes a free one. */
export async function chatServer(port = 0): Promise<ChatServer> {
  const received: Heard[] = [];
  const listeners = new Set<() => void>();
  let how: ChatAnswer = { status: 200 };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request)) as unknown;
    const { authorization } = request.headers;
    const of = authorization === undefined ? {} : { authorization };
    received.push({ path: request.url, key: request.headers['idempotency-key'], body, ...of });
    for (const listener of [...listeners]) listener();
    if (how === 'hang-up') request.socket.destroy();
    else if (how !== 'never') response.writeHead(how.status, how.headers ?? {}).end('ok');
  }
  const server = createServer((request, response) => void answer(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('a TCP server has a port');
  return {
    received,
    address: (path) => `http://127.0.0.1:${String(bound.port)}/${path}`,
    answers(next) {
      how = next;
    },
    heard: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
