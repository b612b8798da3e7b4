/**
 * Ports that nobody listens on now, for what is started after they are chosen.
 *
 * Not among those that the system gives to whoever asks for any (Linux from 32768 on, macOS from 49152): the next connection, or a server's
 * own second port, may be given such a one before ours listens. Nor among those of Kubernetes' node ports (from 30000).
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const first = 20_000;
const beyondLast = 30_000;

export async function freePorts(): Promise<[number, number]> {
  const [[one, onOne], [other, onOther]] = [await listening(), await listening()];
  await Promise.all([onOne, onOther].map(closed));
  return [one, other];
}

export async function freePort(): Promise<number> {
  const [port, server] = await listening();
  await closed(server);
  return port;
}

async function listening(): Promise<[number, Server]> {
  for (;;) {
    const port = randomInt(first, beyondLast);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return [port, server];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
