/**
 * The chart installed on the test cluster, as a platform team would: a restricted namespace with the store, a Temporal server elsewhere (on
 * this machine, which pods reach at the cluster's link), and the worker's image. Needs our own cluster.
 *
 * Pods have the API server at the node's address: no Service of the test cluster has one of its own.
 */
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runDirectory } from '../../store/run-directory.ts';
import { createRunStore } from '../../store/run-store.ts';
import { workflowNames } from '../../workflows/contract.ts';
import { type PipelineHandle, startEmbedded } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { chartFolder, type Helm, openHelm, type Values } from './helm/chart.ts';
import { imageNames } from './images/basic-images.ts';
import { ensureWorkerImage } from './images/worker-image.ts';
import { ensureBinaries } from './machine/binaries.ts';
import { buildContext } from './machine/kept-build.ts';
import type { SlotPlaces } from './machine/places.ts';
import { importImage } from './node/start-components.ts';
import { makeNamespace, type TestCluster } from './test-bed.ts';

const taskQueue = 'charted';
const longestSeconds = 120;

export interface ChartBed {
  readonly namespace: string;
  readonly helm: Helm['helm'];
  /** `kubectl` in the namespace. */
  kubectl(...args: readonly string[]): Promise<string>;
  /** `helm install`, or `upgrade`, with more values; resolves when the worker is ready. */
  apply(verb: 'install' | 'upgrade', more?: Values): Promise<void>;
  start(pipeline: string, recipe: unknown): Promise<PipelineHandle>;
  /** Resolves when its first training attempt has a complete checkpoint beyond its start; to the directory of the attempt. */
  saved(pipeline: string, phase: string): Promise<string>;
  /** Names of the workers that are ready and do not leave; waits until there are so many, none of them of `before`. */
  workers(count: number, before?: readonly string[]): Promise<readonly string[]>;
  /** Where pods find a server that listens on this machine alone: host:port. */
  reach(port: number): Promise<string>;
  close(): Promise<void>;
}

export async function makeChartBed(cluster: TestCluster, purpose: string): Promise<ChartBed> {
  const { own } = cluster;
  if (own === null) throw new Error('these tests need our own cluster: pods reach this machine there');
  const helm = await openHelm();
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const context = buildContext(process.env, say);
  await importImage(own, await ensureWorkerImage(context, await ensureBinaries(context)));
  const namespace = await makeNamespace(cluster, purpose);
  const { name, volumeClaim, volumeFolder } = namespace;
  const store = volumeFolder ?? '';
  const embedded = await startEmbedded();
  const doors: Door[] = [];
  const reach = async (port: number) => {
    const door = await openDoor(own.hostAddress, port);
    doors.push(door);
    return door.address;
  };
  const address = await reach(Number(embedded.address.split(':')[1]));
  const ledgerVolume = await makeLedgerVolume(cluster, own, name);
  const values = {
    image: { repository: imageNames.worker.split(':')[0], tag: '1', pullPolicy: 'Never' },
    temporal: { address, taskQueue },
    store: { claim: volumeClaim, path: store },
    ledger: { sqlite: { volume: ledgerVolume } },
    profile: { jobs: { default: { image: cluster.trainerImage, memory: '3Gi' } }, graceSeconds: 30 },
    environment: { KUBERNETES_SERVICE_HOST: own.nodeAddress, KUBERNETES_SERVICE_PORT: '443' },
  };
  const access = ['--namespace', name, '--kubeconfig', cluster.kubeconfig];
  const kubectl = (...args: readonly string[]) => cluster.kubectl(['--namespace', name, ...args]);
  const runs = createRunStore(store);
  return {
    namespace: name,
    helm: (args, more) => helm.helm([...args, ...access], more),
    kubectl,
    async apply(verb, more = {}) {
      const patience = ['--wait', '--timeout', `${String(longestSeconds)}s`];
      try {
        await helm.helm([verb, 'temper', chartFolder, ...access, ...patience], { ...values, ...more });
      } catch (error) {
        const shown = await kubectl('describe', 'pods', '--selector', workers);
        const logs = await kubectl('logs', '--selector', workers, '--tail=20').catch(String);
        throw new Error(`${String(error)}\n${shown}\n${logs}`, { cause: error });
      }
    },
    start: (workflowId, recipe) =>
      embedded.client.workflow.start(workflowNames.pipeline, { workflowId, taskQueue, args: [{ recipe }] }),
    async saved(pipeline, phase) {
      const directory = runDirectory(store, { pipeline, phase, purpose: 'train', number: 1 });
      await eventually(`${phase} has a complete checkpoint`, longestSeconds, async () => {
        const found = await runs.checkpoints(directory).catch(() => []);
        return found.some(({ level, step }) => level === 'complete' && step > 0);
      });
      return directory;
    },
    workers: (count, before = []) =>
      eventually(`${String(count)} workers are ready`, longestSeconds, async () => {
        const found = await readyWorkers(kubectl);
        return found.length === count && !found.some((name) => before.includes(name)) ? found : null;
      }),
    reach,
    async close() {
      await embedded.close();
      for (const door of doors) door.close();
      await namespace.remove();
      await cluster.kubectl(['delete', 'persistentvolume', ledgerVolume, '--wait=false']);
      helm.close();
    },
  };
}

const workers = 'app.kubernetes.io/name=temper-worker';

async function readyWorkers(kubectl: ChartBed['kubectl']): Promise<readonly string[]> {
  const { items } = JSON.parse(await kubectl('get', 'pods', '--selector', workers, '--output', 'json')) as {
    readonly items: readonly {
      readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
      readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
    }[];
  };
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ status }) => status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
    .map(({ metadata }) => metadata.name);
}

/** A volume that one pod has, in a cluster without storage classes: the claim of the chart names it. */
async function makeLedgerVolume(cluster: TestCluster, { volumes }: SlotPlaces, namespace: string): Promise<string> {
  const name = `${namespace}-ledger`;
  const path = join(volumes, name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o777); // no fsGroup is applied to a folder of the node
  const spec = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    storageClassName: '',
    hostPath: { path, type: 'Directory' },
  };
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec };
  await cluster.kubectl(['create', '--filename', '-'], JSON.stringify(volume));
  return name;
}

interface Door {
  readonly address: string;
  close(): void;
}

/** Lets pods reach a server that listens on this machine alone. */
async function openDoor(host: string, port: number): Promise<Door> {
  const open = new Set<{ destroy(): unknown }>();
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    address: `${host}:${String((server.address() as AddressInfo).port)}`,
    close() {
      server.close();
      for (const one of open) one.destroy();
    },
  };
}
