/**
 * What tests on a real cluster begin with: its kubeconfig and kubectl, its images, and namespaces of their own with a volume.
 *
 * On our own cluster the volume is a folder of this machine, which tests and workers read and write too; on a foreign one it is a claim on
 * the default storage class, and there is no such folder.
 */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { imageNames } from './images/basic-images.ts';
import { readState } from './life/state.ts';
import { placesOfSlot } from './machine/places.ts';
import type { SlotPlaces } from './machine/places.ts';
import { run } from './machine/programs.ts';

export interface TestCluster {
  readonly kubeconfig: string;
  readonly trainerImage: string;
  /** A shell and small programs. */
  readonly busyboxImage: string;
  /** Null on a foreign cluster. */
  readonly own: SlotPlaces | null;
  /** The program itself. */
  readonly kubectlProgram: string;
  /** Standard output of `kubectl <args>`; `input` is its standard input. Rejects with what it says. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
}

/** The cluster that KUBECONFIG names, as `npm run test:cluster` sets it; also one of `npm run cluster -- up`. */
export function readTestCluster(environment: NodeJS.ProcessEnv = process.env): TestCluster {
  const { KUBECONFIG: kubeconfig, TEMPER_TRAINER_IMAGE: trainer } = environment;
  if (!kubeconfig)
    throw new Error(
      'KUBECONFIG is not set: start this by `npm run test:cluster`, or set it (`npm run cluster -- up`).',
    );
  const own = ownPlaces(kubeconfig);
  const kubectl = (own && readState(own.state)?.kubectl) ?? 'kubectl';
  return {
    kubeconfig,
    trainerImage: trainer ?? imageNames.trainer,
    busyboxImage: own === null ? 'busybox:1.37' : imageNames.busybox,
    own,
    kubectlProgram: kubectl,
    kubectl: (args, input = '') =>
      run(kubectl, ['--kubeconfig', kubeconfig, ...args], {
        input,
        environment: { ...environment, KUBECONFIG: kubeconfig },
      }),
  };
}

function ownPlaces(kubeconfig: string): SlotPlaces | null {
  const [, slot] = /\/(\d)\/kubeconfig$/.exec(kubeconfig) ?? [];
  const places = slot === undefined ? undefined : placesOfSlot(Number(slot));
  return places?.kubeconfig === kubeconfig ? places : null;
}

export interface TestNamespace {
  readonly name: string;
  /** Name of a ReadWriteMany claim in it. */
  readonly volumeClaim: string;
  /** The volume's folder on this machine, writable for every user; null on a foreign cluster. */
  readonly volumeFolder: string | null;
  /** Deletes it with all that is in it; resolves when it is gone. */
  remove(): Promise<void>;
}

const volumeClaim = 'store';

/** Makes a namespace whose pods must pass Pod Security `restricted`, with a volume. */
export async function makeNamespace(cluster: TestCluster, purpose: string): Promise<TestNamespace> {
  const name = `temper-${purpose}-${randomBytes(3).toString('hex')}`;
  const volumeFolder = cluster.own === null ? null : join(cluster.own.volumes, name);
  if (volumeFolder !== null) {
    mkdirSync(volumeFolder, { recursive: true });
    chmodSync(volumeFolder, 0o777); // pods of any user write to it
  }
  const objects = [namespaceOf(name), ...volumeOf(name, volumeFolder)];
  await cluster.kubectl(
    ['create', '--filename', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
  );
  return {
    name,
    volumeClaim,
    volumeFolder,
    async remove() {
      await cluster.kubectl(['delete', 'namespace', name, '--wait=true', '--timeout=120s']);
      if (volumeFolder === null) return;
      await cluster.kubectl(['delete', 'persistentvolume', name, '--wait=true', '--timeout=30s']);
      rmSync(volumeFolder, { recursive: true, force: true });
    },
  };
}

function namespaceOf(name: string): object {
  const labels = {
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/enforce-version': 'latest',
  };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

function volumeOf(namespace: string, folder: string | null): readonly object[] {
  const asked = { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } };
  const metadata = { name: volumeClaim, namespace };
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata };
  if (folder === null) return [{ ...claim, spec: asked }];
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: namespace },
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteMany'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: '',
      claimRef: { namespace, name: volumeClaim },
      hostPath: { path: folder, type: 'Directory' },
    },
  };
  return [volume, { ...claim, spec: { ...asked, storageClassName: '', volumeName: namespace } }];
}
