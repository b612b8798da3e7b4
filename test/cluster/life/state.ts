/**
 * What is written down of a cluster, so that whoever comes later can take it down: also when the process that brought it up was killed.
 *
 * Written before what it speaks of is done, by rename. Processes are a number and a start time: a number alone may be somebody else's.
 */
import { rmSync } from 'node:fs';
import { startTimeOf } from '../../../scripts/setup/processes.mjs';
import { readJson, writeJson } from '../../../scripts/setup/record.mjs';

export interface ProcessMark {
  readonly pid: number;
  /** When it was started, as an opaque word. */
  readonly started: string;
}

export interface Daemon {
  readonly command: readonly string[];
  /** Null when it is stopped. */
  readonly process: ProcessMark | null;
}

export interface ClusterState {
  /** A word of this cluster alone: the command line of its first process has it. */
  readonly mark: string;
  readonly slot: number;
  /** The checkout it was brought up from. */
  readonly repository: string;
  /** Who takes it down. Null for one that was brought up by hand. */
  readonly owner: ProcessMark | null;
  readonly phase: 'starting' | 'up';
  /** The first process of its namespaces; when it ends, every other ends. */
  readonly init: ProcessMark | null;
  readonly daemons: Readonly<Record<string, Daemon>>;
  /** PATH and libraries of its processes. */
  readonly environment: Readonly<Record<string, string>>;
  readonly kubectl: string;
}

/** The state in `path`; undefined when there is none. */
export function readState(path: string): ClusterState | undefined {
  return readJson(path) as ClusterState | undefined;
}

export function writeState(path: string, state: ClusterState): void {
  writeJson(path, state);
}

/** Writes `change` over what is there. Throws when the cluster was taken down meanwhile. */
export function changeState(path: string, change: (state: ClusterState) => Partial<ClusterState>): ClusterState {
  const state = readState(path);
  if (state === undefined) throw new Error(`the cluster of ${path} was taken down meanwhile`);
  const changed = { ...state, ...change(state) };
  writeState(path, changed);
  return changed;
}

export function removeState(path: string): void {
  rmSync(path, { force: true });
}

/** The mark of a living process; undefined when there is none. */
export function markOfProcess(pid: number): ProcessMark | undefined {
  const started = startTimeOf(pid);
  return started === undefined ? undefined : { pid, started };
}
