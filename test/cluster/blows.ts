/** What a person, a node or the cluster itself does to a job that runs, each as it is really done. */
import { processesOfJob, signalAll } from './pod-processes.ts';
import type { TestCluster } from './test-bed.ts';
import { podSpec } from './workloads.ts';

export type Blow = 'delete' | 'hang-and-delete' | 'force-delete' | 'evict' | 'preempt' | 'kill-process' | 'deadline';

export interface Struck {
  /** Name of the Job. */
  readonly job: string;
  readonly namespace: string;
  readonly cluster: TestCluster;
  /** A priority class above that of its pods. */
  readonly urgent: string;
}

/** Of its first pod. Resolves when it is done, not when the job has ended. */
export async function strike(blow: Blow, { job, namespace, cluster, urgent }: Struck): Promise<void> {
  const kubectl = (args: readonly string[], input?: string) =>
    cluster.kubectl(['--namespace', namespace, ...args], input);
  const pod = (
    await kubectl(['get', 'pods', '--selector', `job-name=${job}`, '--output', 'jsonpath={.items[0].metadata.name}'])
  ).trim();
  const processes = async () =>
    processesOfJob((await kubectl(['get', 'job', job, '--output', 'jsonpath={.metadata.uid}'])).trim());
  switch (blow) {
    case 'delete':
      await kubectl(['delete', 'pod', pod, '--wait=false']);
      return;
    case 'kill-process':
      signalAll(await processes(), 'SIGKILL');
      return;
    case 'hang-and-delete':
      signalAll(await processes(), 'SIGSTOP');
      await kubectl(['delete', 'pod', pod, '--wait=false']);
      return;
    case 'force-delete':
      await kubectl(['delete', 'pod', pod, '--force', '--grace-period=0']);
      return;
    case 'deadline':
      await kubectl(['patch', 'job', job, '--patch', '{"spec":{"activeDeadlineSeconds":1}}']);
      return;
    case 'evict': {
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } };
      const path = `/api/v1/namespaces/${namespace}/pods/${pod}/eviction`;
      await kubectl(['create', '--raw', path, '--filename', '-'], JSON.stringify(eviction));
      return;
    }
    case 'preempt':
      await preempt({ kubectl, image: cluster.busyboxImage, urgent });
      return;
  }
}

interface Preemption {
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  readonly image: string;
  readonly urgent: string;
}

/** By a pod that wants every GPU, and goes once it has them. */
async function preempt({ kubectl, image, urgent }: Preemption): Promise<void> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'urgent' },
    spec: {
      ...podSpec({ image, command: ['true'], limits: { 'nvidia.com/gpu': '8' } }),
      priorityClassName: urgent,
    },
  };
  await kubectl(['create', '--filename', '-'], JSON.stringify(pod));
  await kubectl(['wait', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=120s', 'pod/urgent']);
  await kubectl(['delete', 'pod', 'urgent', '--wait=false']);
}
