/** The command of each component, by its name. Pure. The order in which they start is bring-up.ts's. */
import { join } from 'node:path';
import type { SlotPlaces } from '../machine/places.ts';
import { serviceAddress } from './namespaces.ts';

export const nodeName = 'node-1';

/** What the node's label says that its GPUs are. */
export const gpuProduct = 'FAKE-H100';

/** Everything on the host's side and every pod reaches the API here. */
export function apiAddress({ nodeAddress }: SlotPlaces): string {
  return `https://${nodeAddress}`;
}

const clientUrl = 'http://127.0.0.1:2379';
const peerUrl = 'http://127.0.0.1:2380';
const faster = ['--kube-api-qps=300', '--kube-api-burst=600'];

export type Component =
  'etcd' | 'containerd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'coredns' | 'kubelet';

/** `apiServerFlags` are added to those of every cluster. */
export function commandsOf(
  places: SlotPlaces,
  apiServerFlags: readonly string[] = [],
): Readonly<Record<Component, readonly string[]>> {
  const { folder } = places;
  return {
    etcd: etcd(folder),
    containerd: ['containerd', '--config', join(folder, 'containerd.toml')],
    'kube-apiserver': [...apiServer(places), ...apiServerFlags],
    'kube-controller-manager': controllerManager(places),
    'kube-scheduler': [
      'kube-scheduler',
      ...clientOf(places, 'scheduler'),
      '--bind-address=127.0.0.1',
      '--leader-elect=false',
      ...faster,
    ],
    coredns: ['coredns', '-conf', join(folder, 'Corefile')],
    kubelet: kubelet(places),
  };
}

/** Nothing of a cluster outlives it, so nothing is flushed to disk. */
function etcd(folder: string): readonly string[] {
  return [
    'etcd',
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

/** Admission as by default: Pod Security, quotas, limit ranges, priorities and service accounts among it. */
function apiServer({ keys, nodeAddress }: SlotPlaces): readonly string[] {
  const key = (name: string) => join(keys, name);
  return [
    'kube-apiserver',
    `--etcd-servers=${clientUrl}`,
    '--bind-address=0.0.0.0',
    `--advertise-address=${nodeAddress}`,
    '--secure-port=443',
    `--cert-dir=${keys}`,
    `--tls-cert-file=${key('apiserver.crt')}`,
    `--tls-private-key-file=${key('apiserver.key')}`,
    `--client-ca-file=${key('ca.crt')}`,
    `--kubelet-client-certificate=${key('apiserver-kubelet.crt')}`,
    `--kubelet-client-key=${key('apiserver-kubelet.key')}`,
    `--kubelet-certificate-authority=${key('ca.crt')}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    '--anonymous-auth=false',
    `--service-cluster-ip-range=${serviceAddress.replace(/\d+$/, '0')}/24`,
    // Without these the controller manager and the scheduler repeat an error in their logs.
    `--requestheader-client-ca-file=${key('ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key('sa.pub')}`,
    `--service-account-signing-key-file=${key('sa.key')}`,
  ];
}

/** A node that says nothing for 12 s is lost. */
function controllerManager(places: SlotPlaces): readonly string[] {
  const key = (name: string) => join(places.keys, name);
  return [
    'kube-controller-manager',
    ...clientOf(places, 'controller-manager'),
    '--bind-address=127.0.0.1',
    '--leader-elect=false',
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${key('sa.key')}`,
    `--root-ca-file=${key('ca.crt')}`,
    `--cluster-signing-cert-file=${key('ca.crt')}`,
    `--cluster-signing-key-file=${key('ca.key')}`,
    '--node-monitor-grace-period=12s',
    '--node-monitor-period=1s',
    ...faster,
  ];
}

function kubelet({ folder, keys, nodeAddress }: SlotPlaces): readonly string[] {
  return [
    'kubelet',
    `--config=${join(folder, 'kubelet.yaml')}`,
    `--kubeconfig=${join(keys, 'kubelet.kubeconfig')}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${nodeAddress}`,
    `--root-dir=${join(folder, 'kubelet')}`,
    `--cert-dir=${keys}`,
    `--node-labels=nvidia.com/gpu.product=${gpuProduct}`,
  ];
}

function clientOf({ keys }: SlotPlaces, user: string): readonly string[] {
  const kubeconfig = join(keys, `${user}.kubeconfig`);
  return ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
    (name) => `--${name}=${kubeconfig}`,
  );
}
