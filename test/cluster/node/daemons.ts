/** The processes of a cluster: started inside its namespaces, each with its log, and written down so that they can be ended and started anew. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../../scripts/setup/processes.mjs';
import { eventually } from '../../support/eventually.ts';
import type { SlotPlaces } from '../machine/places.ts';
import type { Daemon, ProcessMark } from '../life/state.ts';
import { changeState, markOfProcess, readState } from '../life/state.ts';
import { isApiReady } from './api.ts';
import { childOf, entering } from './namespaces.ts';

const startSeconds = 10;
const endSeconds = 10;
const serveSeconds = 180;
const mostStarts = 3;

/** Adds a daemon to the cluster and starts it. */
export async function addDaemon(places: SlotPlaces, name: string, command: readonly string[]): Promise<void> {
  changeState(places.state, ({ daemons }) => ({ daemons: { ...daemons, [name]: { command, process: null } } }));
  await launch(places, name);
}

/**
 * Starts a daemon that does not run, with the command that it was added with. Of the API server, resolves when it serves: it ends by itself
 * when its first writes fail, and is started anew then, as a kubelet does.
 */
export async function startDaemon(places: SlotPlaces, name: string): Promise<void> {
  await launch(places, name);
  if (name !== 'kube-apiserver') return;
  let starts = 1;
  await eventually('the API server serves again', serveSeconds, async () => {
    if (brokenDaemons(places).includes(name)) {
      const why = `the API server ended while it started:\n${logTail(places, name)}`;
      if (starts === mostStarts) throw new Error(why);
      process.stderr.write(`${why}\n`);
      starts += 1;
      await launch(places, name);
    }
    return await isApiReady(places);
  });
}

async function launch(places: SlotPlaces, name: string): Promise<void> {
  const { daemon, init, environment } = lookUp(places, name);
  if (daemon.process !== null && isAlive(daemon.process)) return;
  const log = openSync(join(places.logs, `${name}.log`), 'a');
  const entered = spawn('nsenter', [...entering(init), ...daemon.command], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...environment },
  });
  closeSync(log);
  await once(entered, 'spawn');
  entered.unref();
  // nsenter stays outside and waits; its child is the daemon.
  const started = await eventually(`${name} runs`, startSeconds, () => {
    if (entered.exitCode !== null) throw new Error(`${name} ended at once:\n${logTail(places, name)}`);
    return markOfProcess(childOf(entered.pid ?? 0) ?? 0) ?? null;
  });
  note(places, name, started);
}

/** Ends a daemon at once (SIGKILL), as a crash would. Resolves when it is gone. */
export async function killDaemon(places: SlotPlaces, name: string): Promise<void> {
  const { process: mark } = lookUp(places, name).daemon;
  if (mark !== null && isAlive(mark)) {
    process.kill(mark.pid, 'SIGKILL');
    await eventually(`${name} ends`, endSeconds, () => !isAlive(mark));
  }
  note(places, name, null);
}

/** Makes a daemon hang, as one whose machine nobody reaches, or lets it go on. */
export function hangDaemon(places: SlotPlaces, name: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const { process: mark } = lookUp(places, name).daemon;
  if (mark !== null && isAlive(mark)) process.kill(mark.pid, signal);
}

/** Names of the daemons that should run and do not. */
export function brokenDaemons(places: SlotPlaces): readonly string[] {
  const daemons = Object.entries(readState(places.state)?.daemons ?? {});
  return daemons.flatMap(([name, daemon]) => (daemon.process !== null && !isAlive(daemon.process) ? [name] : []));
}

/** The last lines that a daemon wrote. */
export function logTail(places: SlotPlaces, name: string): string {
  return readFileSync(join(places.logs, `${name}.log`), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(-5)
    .join('\n');
}

function note(places: SlotPlaces, name: string, mark: ProcessMark | null): void {
  changeState(places.state, ({ daemons }) => {
    const daemon = daemons[name];
    return daemon === undefined ? {} : { daemons: { ...daemons, [name]: { ...daemon, process: mark } } };
  });
}

interface LookedUp {
  readonly daemon: Daemon;
  readonly init: ProcessMark;
  readonly environment: Readonly<Record<string, string>>;
}

function lookUp(places: SlotPlaces, name: string): LookedUp {
  const state = readState(places.state);
  const daemon = state?.daemons[name];
  if (state === undefined || state.init === null || daemon === undefined) throw new Error(`there is no daemon ${name}`);
  return { daemon, init: state.init, environment: state.environment };
}
