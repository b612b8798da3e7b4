/**
 * What a cluster could leave on a machine: processes, mounts, network interfaces, control groups, folders, settings. What belongs to the
 * other clusters of the machine is left out, so that these may change meanwhile.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { listSlots } from './life/slots.ts';
import type { Found } from './life/slots.ts';
import type { ProcessMark } from './life/state.ts';

export interface MachineSnapshot {
  /** Command lines of what only a cluster runs. */
  readonly processes: readonly string[];
  readonly mounts: readonly string[];
  readonly interfaces: readonly string[];
  readonly controlGroups: readonly string[];
  /** Folders and files at the fixed paths of Kubernetes, containerd and CNI, and of our own clusters. */
  readonly paths: readonly string[];
  /** Settings of the kernel with their values. */
  readonly settings: readonly string[];
}

const fixedPaths = [
  '/run/containerd',
  '/run/netns',
  '/var/lib/cni',
  '/var/lib/kubelet',
  '/var/log/containers',
  '/var/log/pods',
];
const ofCluster =
  /(^|\/)(kube-[a-z-]+|kubelet|etcd|coredns|containerd[a-z0-9-]*|runc|nsenter|unshare)(\0|$)|temper-cluster-/;

/** The machine as it is, without the clusters that `self` does not own. */
export function snapshotOfMachine(self: ProcessMark): MachineSnapshot {
  const others = listSlots().filter(({ standing }) => standing.kind === 'by-hand' || isOfAnother(standing, self));
  return {
    processes: processesBeside(others),
    mounts: readFileSync('/proc/self/mounts', 'utf8').trim().split('\n').sort(),
    interfaces: without(
      readdirSync('/sys/class/net'),
      others.map(({ places }) => places.link),
    ),
    controlGroups: controlGroupsBeside(others),
    paths: [...fixedPaths, ...slotPaths(others)].filter((path) => existsSync(path)),
    settings: [`ip_forward ${readFileSync('/proc/sys/net/ipv4/ip_forward', 'utf8').trim()}`],
  };
}

/** What is there now and was not before, by its kind; kinds to which nothing was added are left out. */
export function addedTo(before: MachineSnapshot, now: MachineSnapshot): Partial<MachineSnapshot> {
  const kinds = Object.keys(now) as (keyof MachineSnapshot)[];
  const added = kinds.map((kind) => [kind, without(now[kind], before[kind])] as const);
  return Object.fromEntries(added.filter(([, things]) => things.length > 0));
}

function isOfAnother(standing: Found['standing'], self: ProcessMark): boolean {
  return standing.kind === 'owned' && standing.owner.pid !== self.pid;
}

/** Without those that have ended and wait for their parent to notice. */
function processesBeside(others: readonly Found[]): readonly string[] {
  const states = others.flatMap(({ standing }) => (standing.kind === 'free' ? [] : [standing.state]));
  const firsts = states.flatMap(({ init }) => (init === null ? [] : [String(init.pid)]));
  const theirNamespaces = firsts.map(namespaceOf);
  const theirWords = [...firsts, ...states.map(({ mark }) => mark)];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid, command: readIfThere(`/proc/${pid}/cmdline`) }))
    .filter(({ command }) => ofCluster.test(command))
    .filter(({ command }) => !command.split('\0').some((word) => theirWords.includes(word)))
    .filter(({ pid }) => !theirNamespaces.includes(namespaceOf(pid)))
    .map(({ command }) => command.replaceAll('\0', ' '))
    .sort();
}

/** Undefined for a process that is gone. */
function namespaceOf(pid: string): string | undefined {
  return ifThere(() => readlinkSync(`/proc/${pid}/ns/pid`));
}

function controlGroupsBeside(others: readonly Found[]): readonly string[] {
  const theirs = others.flatMap(({ places }) => {
    const tasks = join(places.containerd, 'state', 'io.containerd.runtime.v2.task', 'k8s.io');
    return ifThere(() => readdirSync(tasks)) ?? [];
  });
  const groups = foldersUnder('/sys/fs/cgroup').filter((path) => /\/k8s\.io\/./.test(path));
  return groups.filter((path) => !theirs.some((container) => path.includes(container))).sort();
}

function slotPaths(others: readonly Found[]): readonly string[] {
  const ours = listSlots().filter(({ places }) => !others.some((other) => other.places.slot === places.slot));
  return ours.flatMap(({ places }) => [places.state, places.folder]);
}

function without(all: readonly string[], some: readonly string[]): readonly string[] {
  return all.filter((one) => !some.includes(one)).sort();
}

function foldersUnder(folder: string): readonly string[] {
  const entries = ifThere(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => [join(folder, entry.name), ...foldersUnder(join(folder, entry.name))]);
}

function readIfThere(path: string): string {
  return ifThere(() => readFileSync(path, 'utf8')) ?? '';
}

/** Undefined for what is gone meanwhile. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
