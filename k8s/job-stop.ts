/**
 * Stops a Job: it is suspended, so that its pods save and end; how they ended is recorded; then it is deleted.
 *
 * Idempotent, and each step may be repeated by another worker. A Job in a queue of Kueue is deactivated there first: Kueue would let one that
 * is only suspended in again.
 */
import type { JobRef, JobStatus, StopReason } from '../activities/backend.ts';
import { TemperError } from '../decisions/errors.ts';
import { isJobOver } from '../decisions/job-over.ts';
import { getObject } from './get-object.ts';
import { type JobObserver, jobsPath } from './job-observer.ts';
import { kueueGroup, kueueVersion, oldestKueue, type Workload, workloadJobLabel, workloadsPath } from './kueue.ts';
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
    /** What it waited for goes with its pods. */
    keepEvidence(job: JobRef): Promise<void>;
    look(job: JobRef): Promise<{ readonly status: JobStatus; readonly lossAt: Date | null }>;
    millisecondsTo(at: Date | null): number | null;
  };
}

/** Beyond the pods' own grace: the controller and the watch take their time, and a node that does not answer a minute. */
const moreSeconds = 120;

/** Resolves when nothing of the job runs that can be reached. Throws `backend-unavailable` when that cannot be confirmed in time: it is asked again. */
export async function stopJob(job: JobRef, order: StopOrder): Promise<void> {
  const { observer, reader, graceSeconds } = order;
  const waiter = observer.waiter(job.name);
  try {
    if (!isJobOver((await reader.look(job)).status)) {
      await reader.keepEvidence(job);
      if (order.hasQueue) await deactivate(job, order);
      await suspend(job, order);
    }
    const deadline = AbortSignal.timeout((graceSeconds + moreSeconds) * 1000);
    for (;;) {
      const { status, lossAt } = await reader.look(job);
      if (isJobOver(status)) break;
      if (deadline.aborted)
        throw new TemperError(
          'backend-unavailable',
          `job ${job.name} was asked to stop, and the cluster has not ended it: \`kubectl -n ${order.namespace} describe job ${job.name}\` says why`,
        );
      await waiter.next(deadline, reader.millisecondsTo(lossAt));
    }
  } finally {
    waiter.close();
  }
  await remove(job, order);
}

/** Where Kueue has made no Workload of it, or is not here at all, nothing would let it in. */
async function deactivate({ name, uid }: JobRef, { client, namespace }: StopOrder): Promise<void> {
  const query = new URLSearchParams({ labelSelector: `${workloadJobLabel}=${uid}` }).toString();
  const path = workloadsPath(namespace);
  const doing = `take job ${name} out of its queue`;
  const list = await getObject<{ items: readonly Workload[] }>(client, `${path}?${query}`, doing);
  if (list === null) await refuseOtherKueue(client, doing);
  for (const { metadata } of list?.items ?? []) {
    const body = { metadata: { uid: metadata.uid }, spec: { active: false } };
    await unlessGone(() => client.send({ method: 'PATCH', path: `${path}/${metadata.name}`, body }), doing);
  }
}

/** A Kueue that keeps its Workloads in another version would let the Job in again, and nobody here could tell it not to. */
async function refuseOtherKueue(client: KubeClient, doing: string): Promise<void> {
  const found = await getObject<{ versions?: readonly { version: string }[] }>(client, `/apis/${kueueGroup}`, doing);
  const versions = found?.versions?.map(({ version }) => version) ?? [];
  if (found === null || versions.includes(kueueVersion)) return;
  throw new TemperError(
    'backend-unavailable',
    `cannot ${doing}: the cluster’s Kueue has ${kueueGroup}/${versions.join(', ')} and not ${kueueVersion}: install Kueue ${oldestKueue} or newer`,
  );
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
