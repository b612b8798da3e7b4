/**
 * Takes a cluster down, whatever is left of it: ends the first process of its namespaces, which ends all others and with them every mount,
 * network interface and network namespace; then removes its control groups, its folder and its state. Nothing gets a grace period.
 *
 * Each step is harmless when it was done before. Only what the state names is touched.
 */
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from '../../../scripts/setup/processes.mjs';
import { run } from '../machine/programs.ts';
import type { SlotPlaces } from '../machine/places.ts';
import { entering } from '../node/namespaces.ts';
import type { ClusterState, ProcessMark } from './state.ts';
import { markOfProcess, readState, removeState } from './state.ts';

const lookEveryMilliseconds = 50;
const mostSeconds = 30;
const controlGroups = '/sys/fs/cgroup';

/** Resolves when nothing of the cluster is left. */
export async function takeDown(places: SlotPlaces): Promise<void> {
  const state = readState(places.state);
  if (state === undefined) return;
  const pods = containersOf(places);
  await endProcesses(state);
  await removeLink(places.link);
  await gone('its control groups', () => removeControlGroups(pods));
  rmSync(places.folder, { recursive: true, force: true });
  removeState(places.state);
}

/**
 * The kernel ends every process of a PID namespace before its first one is gone, and waits until whoever started them has taken note: who
 * was stopped outside (Ctrl-Z, SIGSTOP) would never.
 */
async function endProcesses(state: ClusterState): Promise<void> {
  await gone('its processes', () => {
    const inside = state.init === null ? [] : [state.init, ...processesEntering(state.init)];
    const left = [...inside, ...processesWith(state.mark)].filter(isAlive);
    for (const { pid } of left) kill(pid);
    return left.length === 0;
  });
}

/** Processes whose command line has the mark: the first one, and what started it. */
export function processesWith(mark: string): readonly ProcessMark[] {
  return processesWhere((words) => words.includes(mark));
}

/** What started a daemon inside, and waits for it outside. */
function processesEntering(init: ProcessMark): readonly ProcessMark[] {
  const begin = ['nsenter', ...entering(init)].join('\0');
  return processesWhere((words) => words.join('\0').startsWith(begin));
}

function processesWhere(is: (commandLine: readonly string[]) => boolean): readonly ProcessMark[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => is(commandLineOf(pid)))
    .flatMap((pid) => markOfProcess(Number(pid)) ?? []);
}

function commandLineOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ESRCH')) return []; // it ended meanwhile
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!isCode(error, 'ESRCH')) throw error;
  }
}

/** The other end went with its namespace, and takes this end along: a little later, by itself. */
async function removeLink(link: string): Promise<void> {
  await gone(`network interface ${link}`, async () => {
    if (!existsSync(join('/sys/class/net', link))) return true;
    await run('ip', ['link', 'delete', link]).catch(() => undefined); // gone meanwhile, or looked at again
    return false;
  });
}

/** Ids of the containers that were made: their control groups have these names. */
function containersOf(places: SlotPlaces): readonly string[] {
  const tasks = join(places.containerd, 'state', 'io.containerd.runtime.v2.task', 'k8s.io');
  return existsSync(tasks) ? readdirSync(tasks) : [];
}

/** False while a group still has processes, which are on their way out. */
function removeControlGroups(containers: readonly string[]): boolean {
  const roots = [controlGroups, ...foldersIn(controlGroups)].map((root) => join(root, 'k8s.io')).filter(existsSync);
  const removed = roots.flatMap((root) => containers.map((container) => removeTree(join(root, container))));
  for (const root of roots) removeEmpty(root);
  return removed.every(Boolean);
}

/** Control groups are removed folder by folder, the innermost first. */
function removeTree(folder: string): boolean {
  if (!existsSync(folder)) return true;
  const within = foldersIn(folder).map(removeTree);
  return within.every(Boolean) && removeEmpty(folder);
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}

/** False when the folder is still in use. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return true;
    if (isCode(error, 'ENOTEMPTY', 'EBUSY', 'EEXIST')) return false;
    throw error;
  }
}

async function gone(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + mostSeconds * 1000;
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`${what} would not go within ${String(mostSeconds)} s`);
    await pause(lookEveryMilliseconds);
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '');
}
