/** How the pod of a probe ends, or why it does not start: in the words that a job of Temper would have. Does not cover what it did. */
import type { JobStatus } from '../../activities/backend.ts';
import type { JobObserver } from '../job-observer.ts';
import { podsPath } from '../job-observer.ts';
import { statusOfJob } from '../job-state.ts';
import { hasEnded } from '../pod-state.ts';
import type { KubeClient } from '../kube-client.ts';
import { KubeError } from '../kube-error.ts';
import type { SentJob } from '../kube-types.ts';
import type { List } from './cluster-objects.ts';

export type ProbeEnd =
  | { readonly state: 'ended'; readonly exitCode: number | null; readonly text: string }
  /** `text` says why; `isCertain` when waiting longer would change nothing. */
  | { readonly state: 'not-started'; readonly text: string; readonly isCertain: boolean };

export interface WatchOrder {
  readonly client: KubeClient;
  readonly observer: JobObserver;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** They do not pass by waiting: a person must change something. */
const hopeless =
  /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|CreateContainerConfigError|CreateContainerError|RunContainerError)\b/;
/** A refusal of pods is told by an event alone, which nothing here watches. */
const lookSeconds = 3;

/** Rejects when the signal comes. A Job that still has no pod by then will have none: they are refused, and who asks may not read why. */
export async function followProbe({ metadata: { name, uid } }: SentJob, order: WatchOrder): Promise<ProbeEnd> {
  const { observer, signal, seconds } = order;
  const waiter = observer.waiter(name);
  const end = Date.now() + seconds * 1000;
  try {
    for (;;) {
      signal.throwIfAborted();
      const known = observer.find(name);
      const status = known?.job.metadata.uid === uid ? statusOfJob(known, new Date()) : null;
      const hasNoPod = known !== null && known.pods.length === 0;
      // A Job's end may be told before that of its pod, which says how.
      const podsRun = known?.pods.some((pod) => !hasEnded(pod)) === true;
      const certain = status === null || (status.state === 'ended' && podsRun) ? null : certainEnd(status);
      if (certain !== null) return certain;
      const warned = status?.state === 'running' ? null : await warningOf(name, order);
      if (warned !== null && (warned.isCertain || Date.now() > end))
        return { state: 'not-started', text: warned.text, isCertain: true };
      if (Date.now() > end) return { state: 'not-started', text: waitText(status, seconds), isCertain: hasNoPod };
      await waiter.next(signal, lookSeconds * 1000);
    }
  } finally {
    waiter.close();
  }
}

function certainEnd(status: JobStatus): ProbeEnd | null {
  if (status.state === 'ended') {
    const [rank] = status.ranks;
    const text = [rank?.reason, ...(rank?.lastLines ?? [])].filter(Boolean).join(': ');
    return { state: 'ended', exitCode: rank?.exitCode ?? null, text };
  }
  if (status.state === 'starting' && status.reason !== null && hopeless.test(status.reason))
    return { state: 'not-started', text: status.reason, isCertain: true };
  return null;
}

function waitText(status: JobStatus | null, seconds: number): string {
  const reason = status !== null && 'reason' in status ? status.reason : null;
  return `${reason ?? 'its pod is not up yet'}, after ${String(seconds)} s`;
}

interface Event {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject: { readonly name: string };
}

/** The newest warning of the Job or its pod; null where there is none, or it may not be read. Pods that are refused are refused again. */
async function warningOf(
  job: string,
  { client, observer }: WatchOrder,
): Promise<{ text: string; isCertain: boolean } | null> {
  const known = observer.find(job);
  const [namespace = ''] = [known?.job.metadata.namespace];
  const names = [job, ...(known?.pods.map(({ metadata }) => metadata.name) ?? [])];
  try {
    const path = podsPath(namespace).replace(/pods$/, `events?fieldSelector=type=Warning&limit=500`);
    const { items } = await client.send<List<Event>>({ method: 'GET', path });
    const last = items.findLast(({ involvedObject }) => names.includes(involvedObject.name));
    if (last === undefined) return null;
    const text = `${last.reason ?? 'Warning'}: ${last.message ?? ''}`;
    return { text, isCertain: last.reason === 'FailedCreate' };
  } catch (error) {
    if (error instanceof KubeError) return null;
    throw error;
  }
}
