/** A namespace with Kubernetes backends on it, whose jobs run a shell script. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Backend, JobRef, JobSpec, JobStatus } from '../../activities/backend.ts';
import { createKubernetesBackend, type KubernetesBackend } from '../../k8s/backend.ts';
import { createKubeClient, type KubeClient } from '../../k8s/kube-client.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';
import { makeNamespace, type TestCluster } from './test-bed.ts';

export interface JobBed {
  readonly namespace: string;
  /** A backend of its own, as another worker has it. `needs` are fields of the profile's `jobs.default`. */
  backendRunning(script: string, needs?: Readonly<Record<string, unknown>>, client?: KubeClient): KubernetesBackend;
  /** The same with a pod template of the profile. */
  backendPatched(script: string, podTemplate: object, needs?: Readonly<Record<string, unknown>>): KubernetesBackend;
  /** The same with a queue of the profile. */
  backendQueueing(script: string, needs: Readonly<Record<string, unknown>>, queue: object): KubernetesBackend;
  /** The same with these fields of the profile. */
  backendOn(script: string, profile: Readonly<Record<string, unknown>>): KubernetesBackend;
  /** A job of this name, with its directory. */
  spec(name: string): Promise<JobSpec>;
  close(): Promise<void>;
}

/** Needs a volume that is a folder of this machine, as our own cluster has it: pods and this process see the store at one path. */
export async function makeJobBed(cluster: TestCluster, purpose: string): Promise<JobBed> {
  const namespace = await makeNamespace(cluster, purpose);
  const { volumeFolder: store, volumeClaim: claim, name } = namespace;
  if (store === null)
    throw new Error('these tests need a volume that is a folder of this machine: run them on our own cluster');
  const open: KubernetesBackend[] = [];
  const backendOf = (needs: object, more: object, client: KubeClient) => {
    const profile = kubernetesProfile({
      namespace: name,
      store: { claim, path: store },
      jobs: { default: { image: cluster.busyboxImage, ...needs } },
      graceSeconds: 10,
      ...more,
    });
    const backend = createKubernetesBackend(profile, client);
    open.push(backend);
    return backend;
  };
  return {
    namespace: name,
    backendRunning: (script, needs = {}, client = createKubeClient()) =>
      backendOf({ command: ['sh', '-c', script], ...needs }, {}, client),
    backendPatched: (script, podTemplate, needs = {}) =>
      backendOf({ command: ['sh', '-c', script], ...needs }, { podTemplate }, createKubeClient()),
    backendQueueing: (script, needs, queue) =>
      backendOf({ command: ['sh', '-c', script], ...needs }, { queue }, createKubeClient()),
    backendOn: (script, profile) => backendOf({ command: ['sh', '-c', script] }, profile, createKubeClient()),
    async spec(job) {
      const directory = join(store, job);
      await mkdir(join(directory, 'checkpoints'), { recursive: true });
      return {
        name: job,
        directory,
        requestPath: join(directory, 'request.json'),
        slots: 1,
        memoryFactor: 1,
        sharedMemoryFactor: 1,
        avoidNodes: [],
        labels: { pipeline: 'demo', phase: 'sft', kind: 'sft', attempt: 1, workflowId: 'demo' },
      };
    },
    async close() {
      await Promise.all(open.map((backend) => backend.close()));
      await namespace.remove();
    },
  };
}

/** Follows the backend's own events until the job is in this state. */
export async function until(backend: Backend, job: JobRef, state: JobStatus['state']): Promise<JobStatus> {
  const tooLate = AbortSignal.timeout(150_000);
  for (let status = await backend.status(job); ; status = await backend.nextChange(job, status, tooLate)) {
    if (status.state === state) return status;
    if (tooLate.aborted || status.state === 'ended') throw new Error(`never ${state}: ${JSON.stringify(status)}`);
  }
}
