/** Starts the components of a cluster in the order in which they need each other, and waits until pods can run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { eventually } from '../../support/eventually.ts';
import type { SlotPlaces } from '../machine/places.ts';
import { run } from '../machine/programs.ts';
import type { ClusterState } from '../life/state.ts';
import { readState } from '../life/state.ts';
import { apply, isApiReady, lookUp } from './api.ts';
import type { ApiRequest } from './api.ts';
import { commandsOf, nodeName } from './components.ts';
import type { Component } from './components.ts';
import { addDaemon, brokenDaemons, logTail } from './daemons.ts';

const waitSeconds = 120;

/** GPUs that the node says it has: counted by the scheduler like real ones, and there is nothing behind them. */
export const gpuCount = 8;

export interface Start {
  /** Tars of images, imported into the node. */
  readonly images: readonly string[];
  readonly say: (line: string) => void;
  readonly stop: AbortSignal;
  /** Added to the API server's own. */
  readonly apiServerFlags: readonly string[];
}

export async function startComponents(places: SlotPlaces, { images, say, stop, apiServerFlags }: Start): Promise<void> {
  const begun = performance.now();
  const commands = commandsOf(places, apiServerFlags);
  const start = async (...names: readonly Component[]) => {
    for (const name of names) await addDaemon(places, name, commands[name]);
  };
  const until = async (what: string, look: () => Promise<boolean>) => {
    await eventually(what, waitSeconds, async () => {
      stop.throwIfAborted();
      refuseBroken(places);
      return await look();
    });
    say(`  ${((performance.now() - begun) / 1000).toFixed(1)} s  ${what}`);
  };

  await start('containerd', 'etcd', 'kube-apiserver');
  await until('the API server is ready', async () => await isApiReady(places));
  await start('kube-controller-manager', 'kube-scheduler');
  await allowCoredns(places);
  await start('coredns');
  await until('containerd answers', async () => await answers(places));
  for (const image of images) await importImage(places, image);
  await start('kubelet');
  await until('the node is registered', async () => (await lookUp(places, nodePath)) !== undefined);
  await advertiseGpus(places);
  await until(`the node is Ready, with ${String(gpuCount)} GPUs`, async () => await isNodeReady(places));
  const account = '/api/v1/namespaces/default/serviceaccounts/default';
  await until('pods are accepted', async () => (await lookUp(places, account)) !== undefined);
}

const nodePath = `/api/v1/nodes/${nodeName}`;

/** A component that ended will not come up by waiting. */
function refuseBroken(places: SlotPlaces): void {
  const broken = brokenDaemons(places).map((name) => `${name} ended:\n${logTail(places, name)}`);
  if (broken.length > 0) throw new Error(broken.join('\n'));
}

async function answers(places: SlotPlaces): Promise<boolean> {
  return await ctr(places, 'version').then(
    () => true,
    () => false, // not listening yet
  );
}

/** Makes the image in this tar known to the node. */
export async function importImage(places: SlotPlaces, tar: string): Promise<void> {
  await ctr(places, 'images', 'import', tar);
}

async function ctr(places: SlotPlaces, ...args: readonly string[]): Promise<void> {
  const { environment } = readState(places.state) as ClusterState;
  await run('ctr', ['--address', places.containerdSocket, '--namespace', 'k8s.io', ...args], {
    environment: { ...process.env, ...environment },
  });
}

async function allowCoredns(places: SlotPlaces): Promise<void> {
  const text = readFileSync(join(import.meta.dirname, '..', 'conf', 'coredns-role.yaml'), 'utf8');
  for (const document of parseAllDocuments(text)) {
    const body = document.toJS() as { kind: string };
    await apply(places, {
      method: 'POST',
      path: `/apis/rbac.authorization.k8s.io/v1/${body.kind.toLowerCase()}s`,
      body,
    });
  }
}

/** Both numbers: with the capacity alone the kubelet fills in the other only at its next report. */
async function advertiseGpus(places: SlotPlaces): Promise<void> {
  const body = ['capacity', 'allocatable'].map((field) => ({
    op: 'add',
    path: `/status/${field}/nvidia.com~1gpu`,
    value: String(gpuCount),
  }));
  const change: ApiRequest = {
    method: 'PATCH',
    path: `${nodePath}/status`,
    body,
    contentType: 'application/json-patch+json',
  };
  await apply(places, change);
}

interface Node {
  readonly spec: { readonly taints?: readonly object[] };
  readonly status: {
    readonly allocatable: Readonly<Record<string, string>>;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}

/** And no taint keeps pods away: the last one goes a moment after the node is Ready. */
async function isNodeReady(places: SlotPlaces): Promise<boolean> {
  const node = await lookUp<Node>(places, nodePath);
  const isReady = node?.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
  const isFree = (node?.spec.taints ?? []).length === 0;
  return isReady && isFree && node.status.allocatable['nvidia.com/gpu'] === String(gpuCount);
}
