/**
 * Stops a Job: it is suspended, so that its pods save and end; how they ended is recorded; then it is deleted.
 *
 * Idempotent, and each step may be repeated by another worker. A Job in a queue of Kueue is deactivated there first: Kueue would let one that
 * is only suspended in again.
 */
import type { JobRef, JobStatus, StopReason } from '../activities/backend.ts';
import { TemperError } from '../decisions/errors.ts';
import { isJobOver } from '../decisions/job-over.ts';
import { type JobObserver, jobsPath } from './job-observer.ts';
import { type Workload, workloadJobLabel, workloadsPath } from './kueue.ts';
import type { KubeClient } from './kube-client.ts';
import { asTemperError, KubeError } from './kube-error.ts';
import { annotations } from './labels.ts';

export interface StopOrder {
  readonly reason: StopReason;
  readonly graceSeconds: number;
  readonly client: KubeClient;
  readonly observer: JobObserver;
  readonly namespace: string;
  /** Whether its Jobs wait in a queue of Kueue. */
  readonly hasQueue: boolean;
  /** An end is recorded by whoever sees it. */
  readonly reader: {
    status(job: JobRef): Promise<JobStatus>;
    millisecondsToLoss(job: JobRef): number | null;
  };
}

/** Beyond the pods' own grace: the controller and the watch take their time, and a node that does not answer a minute. */
const moreSeconds = 120;

/** Resolves when nothing of the job runs that can be reached. Throws `backend-unavailable` when that cannot be confirmed in time: it is asked again. */
export async function stopJob(job: JobRef, order: StopOrder): Promise<void> {
  const { observer, reader, graceSeconds } = order;
  const waiter = observer.waiter(job.name);
  try {
    if (!isJobOver(await reader.status(job))) {
      if (order.hasQueue) await deactivate(job, order);
      await suspend(job, order);
    }
    const deadline = AbortSignal.timeout((graceSeconds + moreSeconds) * 1000);
    while (!isJobOver(await reader.status(job))) {
      if (deadline.aborted)
        throw new TemperError(
          'backend-unavailable',
          `job ${job.name} was asked to stop, and the cluster has not ended it: \`kubectl -n ${order.namespace} describe job ${job.name}\` says why`,
        );
      await waiter.next(deadline, reader.millisecondsToLoss(job));
    }
  } finally {
    waiter.close();
  }
  await remove(job, order);
}

/** Where Kueue has made no Workload of it, or has none of its kinds here, nothing would let it in. */
async function deactivate({ name, uid }: JobRef, { client, namespace }: StopOrder): Promise<void> {
  const query = new URLSearchParams({ labelSelector: `${workloadJobLabel}=${uid}` }).toString();
  const doing = `take job ${name} out of its queue`;
  await unlessGone(async () => {
    const path = workloadsPath(namespace);
    const { items } = await client.send<{ items: readonly Workload[] }>({ method: 'GET', path: `${path}?${query}` });
    for (const { metadata } of items) {
      const body = { metadata: { uid: metadata.uid }, spec: { active: false } };
      await client.send({ method: 'PATCH', path: `${path}/${metadata.name}`, body });
    }
  }, doing);
}

async function suspend({ name, uid }: JobRef, { reason, client, namespace }: StopOrder): Promise<void> {
  const body = { metadata: { uid, annotations: { [annotations.stopReason]: reason } }, spec: { suspend: true } };
  await unlessGone(
    () => client.send({ method: 'PATCH', path: `${jobsPath(namespace)}/${name}`, body }),
    `suspend job ${name}`,
  );
}

async function remove({ name, uid }: JobRef, { client, namespace }: StopOrder): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', preconditions: { uid } };
  await unlessGone(
    () => client.send({ method: 'DELETE', path: `${jobsPath(namespace)}/${name}`, body }),
    `delete job ${name}`,
  );
}

/** Gone, or another of its name: either way nothing of this one is left to change. A finished Job cannot be suspended: it has ended. */
async function unlessGone(act: () => Promise<unknown>, doing: string): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (error instanceof KubeError && (error.status === 404 || error.status === 409 || error.status === 422)) return;
    throw asTemperError(error, doing);
  }
}
