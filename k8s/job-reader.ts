/**
 * What is known of one job: the record of its end, else what the observer saw, and where that knows nothing, what the server says.
 *
 * Records an end once it is seen, with the logs of its pods and what the cluster says of them. Does not cover submitting or stopping (backend.ts, job-stop.ts).
 */
import type { JobRef, JobStatus } from '../activities/backend.ts';
import { mayStillRun } from '../decisions/backend-reasons.ts';
import type { EvidenceKeeper } from './evidence-file.ts';
import { getObject } from './get-object.ts';
import { readJobEnd, writeJobEnd } from './job-end.ts';
import { saveLogs } from './job-logs.ts';
import { type JobObserver, jobsPath, type ObservedJob, podsPath } from './job-observer.ts';
import { nextLossAt, statusOfJob } from './job-state.ts';
import { withQueue } from './kueue.ts';
import type { KubeClient } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import type { SentJob, SentPod } from './kube-types.ts';
import { jobUidLabel } from './labels.ts';
import { hasEnded, withAsked } from './pod-state.ts';

/** A Job whose end is recorded goes after this. */
const secondsAfterRecord = 3600;

interface Reading {
  readonly client: KubeClient;
  readonly observer: JobObserver;
  readonly namespace: string;
  readonly now: () => Date;
  readonly evidence: EvidenceKeeper;
}

/** What is known of a job, and when time alone makes another status of it; null where it needs an event. */
export interface Look {
  readonly status: JobStatus;
  readonly lossAt: Date | null;
}

const withoutLoss = (status: JobStatus): Look => ({ status, lossAt: null });

export class JobReader {
  readonly #client: KubeClient;
  readonly #observer: JobObserver;
  readonly #namespace: string;
  readonly #now: () => Date;
  readonly #evidence: EvidenceKeeper;
  /** By the uid of the Job. */
  readonly #recordings = new Map<string, Promise<JobStatus>>();

  constructor({ client, observer, namespace, now, evidence }: Reading) {
    this.#evidence = evidence;
    this.#client = client;
    this.#observer = observer;
    this.#namespace = namespace;
    this.#now = now;
  }

  async status(job: JobRef): Promise<JobStatus> {
    return (await this.look(job)).status;
  }

  async look(job: JobRef): Promise<Look> {
    const recorded = await readJobEnd(job);
    if (recorded !== null) return withoutLoss(recorded);
    await this.#observer.started();
    const known = this.#observer.find(job.name);
    const found = known?.job.metadata.uid === job.uid ? known : await this.#ask(job);
    if (found === null) return withoutLoss((await readJobEnd(job)) ?? { state: 'vanished' });
    const now = this.#now();
    const seen = statusOfJob({ ...found, events: this.#observer.eventsOf(job.uid) }, now);
    const status = withQueue(seen, found.job, this.#observer.workloadOf(job.uid));
    if (status.state !== 'ended') return { status, lossAt: nextLossAt(found.pods, now) };
    const { job: last, pods } = isSeenWhole(found) ? found : ((await this.#ask(job)) ?? found);
    const end = statusOfJob({ job: last, pods }, this.#now());
    return withoutLoss(await this.#recordOnce(job, end.state === 'ended' ? end : status, { job: last, pods }));
  }

  /** Keeps what is seen of it now, before it is changed. */
  async keepEvidence(job: JobRef): Promise<void> {
    const found = this.#observer.find(job.name);
    if (found?.job.metadata.uid !== job.uid) return;
    await this.#evidence.keep(job, { ...found, events: this.#observer.eventsOf(job.uid) });
  }

  /** Whoever asks while an end is being recorded waits for that one record. */
  async #recordOnce(job: JobRef, end: Extract<JobStatus, { state: 'ended' }>, found: ObservedJob): Promise<JobStatus> {
    const recording =
      this.#recordings.get(job.uid) ??
      this.#record(job, end, found).finally(() => {
        this.#recordings.delete(job.uid);
      });
    this.#recordings.set(job.uid, recording);
    return await recording;
  }

  /** From now on; none where the time has come since it was looked for. Null where there is no time. */
  millisecondsTo(at: Date | null): number | null {
    return at === null ? null : Math.max(0, at.getTime() - this.#now().getTime());
  }

  /** Absence from the observer means nothing: the server has the last word. */
  async #ask({ name, uid }: JobRef): Promise<ObservedJob | null> {
    const job = await getObject<SentJob>(this.#client, `${jobsPath(this.#namespace)}/${name}`, `read job ${name}`);
    if (job?.metadata.uid !== uid) return null;
    const query = new URLSearchParams({ labelSelector: `${jobUidLabel}=${uid}` });
    const list = await getObject<{ items: SentPod[] }>(
      this.#client,
      `${podsPath(this.#namespace)}?${query.toString()}`,
      `list pods of ${name}`,
    );
    const now = new Map(this.#observer.podsOf(uid).map((pod) => [pod.metadata.uid, pod]));
    for (const pod of list?.items ?? []) now.set(pod.metadata.uid, withAsked(pod, now.get(pod.metadata.uid)));
    return { job, pods: [...now.values()] };
  }

  async #record(job: JobRef, end: Extract<JobStatus, { state: 'ended' }>, found: ObservedJob): Promise<JobStatus> {
    const { pods } = found;
    await this.#evidence.keep(job, { ...found, events: this.#observer.eventsOf(job.uid) });
    const lostNodes = new Set(end.ranks.filter(mayStillRun).map(({ node }) => node));
    const answering = pods.filter(({ spec }) => !lostNodes.has(spec?.nodeName ?? ''));
    const ranks = await saveLogs(job, end.ranks, { client: this.#client, namespace: this.#namespace, pods: answering });
    await writeJobEnd(job, { ...end, ranks });
    await this.#letGo(job);
    return { ...end, ranks };
  }

  /** The end is safe on the store: the cluster need not keep the Job for long. Where that cannot be said now, its own time to live will do. */
  async #letGo({ name, uid }: JobRef): Promise<void> {
    const body = { metadata: { uid }, spec: { ttlSecondsAfterFinished: secondsAfterRecord } };
    try {
      await this.#client.send({ method: 'PATCH', path: `${jobsPath(this.#namespace)}/${name}`, body });
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
    }
  }
}

/** Jobs and pods are watched apart: the end of a Job may be seen before those of its pods. */
function isSeenWhole({ job, pods }: ObservedJob): boolean {
  return pods.length >= (job.spec?.parallelism ?? 1) && pods.every(hasEnded);
}
