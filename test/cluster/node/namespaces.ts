/**
 * The namespaces that a cluster lives in: its own processes, mounts and network. So its fixed paths and ports are its own, the machine's
 * settings stay as they are, and everything ends with the first process.
 *
 * The host reaches the node and its pods over one link, and pods reach the host at the other end of it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import type { SlotPlaces } from '../machine/places.ts';
import { run } from '../machine/programs.ts';
import type { ProcessMark } from '../life/state.ts';
import { changeState, markOfProcess } from '../life/state.ts';

const startSeconds = 10;

/**
 * What the kubelet, containerd and the CNI library have at fixed paths: empty folders of the cluster's own. Missing ones are made on a
 * layer over the folder above them, so that nothing is made on the machine.
 */
const privateFolders = {
  '/run': ['containerd', 'netns'],
  '/var/lib': ['cni', 'kubelet'],
  '/var/log': ['containers'],
} as const;

/** Address of the `kubernetes` Service. The API server listens on it itself: no proxy of Services is needed for it. */
export const serviceAddress = '10.96.0.1';

/** Starts the first process, and makes the mounts and the network. Resolves to the mark of the first process. */
export async function makeNamespaces(places: SlotPlaces): Promise<ProcessMark> {
  const init = await startFirst(places);
  await run('nsenter', [...entering(init), 'sh', '-ec', setUpScript(places)]);
  await run('sh', ['-ec', linkScript(places, init)]);
  await run('nsenter', [...entering(init), 'sh', '-ec', uplinkScript(places)]);
  return init;
}

/** Arguments of `nsenter` that run what follows inside. */
export function entering(init: ProcessMark): readonly string[] {
  return ['--target', String(init.pid), '--mount', '--net', '--pid', '--'];
}

/** It only waits, and reaps what ends: a shell does both. */
async function startFirst(places: SlotPlaces): Promise<ProcessMark> {
  const { mark } = changeState(places.state, () => ({}));
  const namespaces = ['--mount', '--propagation', 'slave', '--net', '--pid', '--fork', '--mount-proc'];
  const wait = ['sh', '-c', 'while :; do sleep 86400; done', mark];
  const starter = spawn('unshare', [...namespaces, '--', ...wait], { cwd: '/', detached: true, stdio: 'ignore' });
  await once(starter, 'spawn');
  starter.unref();
  const init = await eventually('the first process of the cluster', startSeconds, () => {
    if (starter.exitCode !== null)
      throw new Error('unshare failed: this kernel, or this container, allows no namespaces');
    const child = childOf(starter.pid ?? 0);
    const isReady = child !== undefined && readFileSync(`/proc/${String(child)}/cmdline`, 'utf8').startsWith('sh\0');
    return isReady ? (markOfProcess(child) ?? null) : null;
  });
  changeState(places.state, () => ({ init }));
  return init;
}

/** The first child of a process, if it has one. */
export function childOf(pid: number): number | undefined {
  const path = `/proc/${String(pid)}/task/${String(pid)}/children`;
  const [child] = existsSync(path) ? readFileSync(path, 'utf8').split(' ') : [];
  return child ? Number(child) : undefined;
}

function setUpScript({ nodeAddress, folder }: SlotPlaces): string {
  const layers = join(folder, 'layers');
  return [
    'mount --make-rshared /',
    `mkdir ${layers}`,
    `mount -t tmpfs tmpfs ${layers}`,
    ...Object.entries(privateFolders).flatMap(([above, names]) => privateScript(above, names, layers)),
    'echo 1 >/proc/sys/net/ipv4/ip_forward',
    'ip link set lo up',
    'ip link add pods type bridge',
    `ip address add ${nodeAddress}/24 dev pods`,
    `ip address add ${serviceAddress}/32 dev pods`,
    'ip link set pods up',
  ].join('\n');
}

function privateScript(above: string, names: readonly string[], layers: string): readonly string[] {
  const layer = join(layers, above.replaceAll('/', '-'));
  const options = `lowerdir=${above},upperdir=${layer}/upper,workdir=${layer}/work`;
  return [
    `mkdir -p ${layer}/upper ${layer}/work`,
    `mount -t overlay -o ${options} overlay ${above}`,
    ...names.flatMap((name) => [`mkdir -p ${above}/${name}`, `mount -t tmpfs tmpfs ${above}/${name}`]),
  ];
}

function linkScript({ link, hostAddress, uplinkAddress, podNetwork }: SlotPlaces, init: ProcessMark): string {
  return [
    `ip link add ${link} type veth peer name uplink netns ${String(init.pid)}`,
    `ip address add ${hostAddress}/30 dev ${link}`,
    `ip link set ${link} up`,
    `ip route add ${podNetwork} via ${uplinkAddress} dev ${link} onlink`,
  ].join('\n');
}

function uplinkScript({ uplinkAddress }: SlotPlaces): string {
  return `ip address add ${uplinkAddress}/30 dev uplink; ip link set uplink up`;
}
