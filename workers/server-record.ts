/**
 * Remembers beside a store's database which server serves it and which process started that server.
 *
 * Covers a server that its process left behind (kill -9): it is ended before another begins. Does not cover servers on other machines.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { TemperError } from '../decisions/errors.ts';
import { identityOf, isAlive, type ProcessIdentity } from '../local/process-identity.ts';

const identity = z.object({ pid: z.int().positive(), startTime: z.string(), boot: z.string() });
const record = z.object({ server: identity, owner: identity });

const graceSeconds = 10;
const lookSeconds = 0.05;

/** Ends a server without an owner. Throws `environment-unusable` when its owner lives: one store has one server. */
export async function endServerLeftBehind(file: string): Promise<void> {
  const found = read(file);
  if (!found || !(await isAlive(found.server))) return;
  if (await isAlive(found.owner)) {
    const { pid } = found.owner;
    throw new TemperError(
      'environment-unusable',
      `another Temper (process ${String(pid)}) runs on this store: stop it, or choose another store with TEMPER_STORE=<folder>`,
    );
  }
  await end(found.server);
}

async function end(server: ProcessIdentity): Promise<void> {
  process.kill(server.pid, 'SIGTERM');
  for (let waited = 0; await isAlive(server); waited += lookSeconds) {
    if (waited >= graceSeconds) process.kill(server.pid, 'SIGKILL');
    await pause(lookSeconds * 1000);
  }
}

/** Remembers the server until `forgetServer`. */
export async function rememberServer(file: string, serverPid: number): Promise<void> {
  const [server, owner] = await Promise.all([identityOf(serverPid), identityOf(process.pid)]);
  if (server && owner) writeFileSync(file, JSON.stringify({ server, owner }));
}

export function forgetServer(file: string): void {
  rmSync(file, { force: true });
}

/** Null when there is none, or it was cut short by a crash. */
function read(file: string): z.output<typeof record> | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return record.parse(JSON.parse(text));
  } catch {
    return null; // as good as none: the port check says whether a server is in the way
  }
}
