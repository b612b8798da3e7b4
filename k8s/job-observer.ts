/**
 * What the cluster says of Temper's Jobs and pods in one namespace: three watches for the whole worker, whoever waits (Jobs, pods, and what is
 * written down about them), and a fourth where the Jobs wait in a queue of Kueue.
 *
 * Keeps the last that was seen of each pod until its Job is gone, since a pod that was stopped vanishes with its exit code. Does not cover
 * what a state means (job-state.ts).
 */
import type { ClusterEvent } from '../decisions/job-evidence.ts';
import { JobEvents } from './job-events.ts';
import { isRunning, withAsked } from './pod-state.ts';
import type { SeenJob } from './evidence.ts';
import type { KubeClient } from './kube-client.ts';
import type { SeenPod, SentJob, SentPod } from './kube-types.ts';
import { jobUidLabel, labels } from './labels.ts';
import { type Workload, whyUnreadable, workloadJobLabel, workloadsPath } from './kueue.ts';
import { Reflector } from './reflector.ts';

/** A Job and all that was ever seen of its pods. */
export interface ObservedJob {
  readonly job: SentJob;
  readonly pods: readonly SeenPod[];
}

export interface JobWaiter {
  /**
   * Resolves at the next change of the Job or its pods since the waiter was made or last resolved, when the signal aborts, or after
   * `milliseconds` (null: never).
   */
  next(signal: AbortSignal, milliseconds: number | null): Promise<void>;
  close(): void;
}

export interface ObserverOptions {
  readonly hasQueue: boolean;
  /** Of Jobs and pods. @default all that Temper manages */
  readonly labelSelector?: string;
  /** Told once where the queue cannot be read, and once where events cannot. @default nobody */
  readonly warn?: (sentence: string) => void;
  /** Called once for each pod that runs and is being ended: it vanishes with its log. @default nobody */
  readonly ending?: (seen: SeenJob, pod: SeenPod) => void;
  /** Called when a Job is gone, with all that was seen of it: here it is forgotten. @default nobody */
  readonly gone?: (seen: SeenJob) => void;
}

/** Many more than can go before their pods have. */
const goneJobsKept = 5000;
/** Node's own bound: beyond it a timer fires at once. */
const longestTimer = 2 ** 31 - 1;

export class JobObserver {
  readonly #jobs: Reflector<SentJob>;
  readonly #pods: Reflector<SentPod>;
  /** By the uid of their Job, then by their own. */
  readonly #podsOfJobs = new Map<string, Map<string, SeenPod>>();
  /** By their own uid: the uid of their Job. */
  readonly #jobsOfPods = new Map<string, string>();
  readonly #events: JobEvents;
  readonly #ending: (seen: SeenJob, pod: SeenPod) => void;
  readonly #gone: (seen: SeenJob) => void;
  /** Uids of pods that are being ended. */
  readonly #toldEnding = new Set<string>();
  /** By the Job's name. */
  readonly #waiters = new Map<string, Set<() => void>>();
  readonly #namesOfJobs = new Map<string, string>();
  /** Null where the profile has no queue. */
  readonly #workloads: Reflector<Workload> | null;
  /** By the uid of their Job. */
  readonly #workloadsOfJobs = new Map<string, Workload>();
  /** Uids of the Jobs that went last: their pods go after them, and are of no use any more. */
  readonly #goneJobs = new Set<string>();

  constructor(
    client: KubeClient,
    namespace: string,
    {
      hasQueue,
      labelSelector = `${labels.managed}=true`,
      warn = () => undefined,
      ending = () => undefined,
      gone = () => undefined,
    }: ObserverOptions,
  ) {
    this.#ending = ending;
    this.#gone = gone;
    this.#jobs = new Reflector<SentJob>({
      client,
      path: jobsPath(namespace),
      labelSelector,
      changed: (job) => {
        this.#namesOfJobs.set(job.metadata.uid, job.metadata.name);
        this.#tellEndings(job);
        this.#wake(job.metadata.name);
      },
      gone: (job) => {
        this.#jobIsGone(job);
      },
    });
    this.#pods = new Reflector<SentPod>({
      client,
      path: podsPath(namespace),
      labelSelector,
      changed: (pod) => {
        this.#see(pod);
      },
      gone: (pod) => {
        this.#see({ ...pod, isGone: true });
      },
    });
    this.#events = new JobEvents({
      client,
      namespace,
      warn,
      isOurs: (uid) => this.#nameOfObject(uid) !== undefined,
      told: (uid) => {
        const name = this.#nameOfObject(uid);
        if (name !== undefined) this.#wake(name);
      },
    });
    this.#workloads = hasQueue ? this.#watchQueue(client, { namespace, warn }) : null;
  }

  /** Begins at the first call; resolves when all Jobs and pods are known. A queue and events that cannot be read keep nobody waiting. */
  async started(): Promise<void> {
    void this.#workloads?.started();
    await Promise.all([this.#jobs.started(), this.#pods.started()]);
    // Then it is known which of all events of the namespace are about ours.
    await this.#events.started();
  }

  /** Null for a Job that is not known: a GET has the last word. */
  find(name: string): ObservedJob | null {
    const job = this.#jobs.get(name);
    return job === undefined ? null : { job, pods: this.podsOf(job.metadata.uid) };
  }

  podsOf(jobUid: string): readonly SeenPod[] {
    return [...(this.#podsOfJobs.get(jobUid)?.values() ?? [])];
  }

  /** What was written down about a Job and all pods that were ever seen of it, in the order in which it was last said. */
  eventsOf(jobUid: string): readonly ClusterEvent[] {
    return this.#events.of([jobUid, ...(this.#podsOfJobs.get(jobUid)?.keys() ?? [])]);
  }

  /** What its queue knows of a Job. */
  workloadOf(jobUid: string): Workload | undefined {
    return this.#workloadsOfJobs.get(jobUid);
  }

  all(): readonly ObservedJob[] {
    return this.#jobs.all().map((job) => ({ job, pods: this.podsOf(job.metadata.uid) }));
  }

  waiter(name: string): JobWaiter {
    let changed = false;
    let resolveNext: () => void = () => undefined;
    const wake = () => {
      changed = true;
      resolveNext();
    };
    const waiters = this.#waiters.get(name) ?? new Set();
    this.#waiters.set(name, waiters.add(wake));
    return {
      async next(signal, milliseconds) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          resolveNext = resolve;
          if (changed || signal.aborted) resolve();
          signal.addEventListener('abort', wake, { once: true });
          if (milliseconds !== null) timer = setTimeout(resolve, Math.min(milliseconds, longestTimer));
        });
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        changed = false;
      },
      close: () => {
        waiters.delete(wake);
        if (waiters.size === 0 && this.#waiters.get(name) === waiters) this.#waiters.delete(name);
      },
    };
  }

  /** For how long the server has said nothing of Jobs, or of pods; infinite before it ever did. */
  get silentSeconds(): number {
    return Math.max(this.#jobs.silentSeconds, this.#pods.silentSeconds);
  }

  close(): void {
    this.#jobs.close();
    this.#pods.close();
    this.#events.close();
    this.#workloads?.close();
  }

  #see(seen: SeenPod): void {
    const jobUid = seen.metadata.labels?.[jobUidLabel];
    if (jobUid === undefined || this.#goneJobs.has(jobUid)) return;
    const pods = this.#podsOfJobs.get(jobUid) ?? new Map<string, SeenPod>();
    const pod = withAsked(seen, pods.get(seen.metadata.uid));
    this.#podsOfJobs.set(jobUid, pods.set(pod.metadata.uid, pod));
    this.#jobsOfPods.set(pod.metadata.uid, jobUid);
    const name = this.#namesOfJobs.get(jobUid);
    if (name === undefined) return;
    const job = this.#jobs.get(name);
    if (job !== undefined) this.#tellEndings(job);
    if (pod.isGone === true) this.#toldEnding.delete(pod.metadata.uid);
    this.#wake(name);
  }

  /** Its pods go after it. */
  #jobIsGone(job: SentJob): void {
    const { uid, name } = job.metadata;
    for (const pod of this.podsOf(uid)) if (isRunning(pod)) this.#tellEnding(job, pod);
    this.#gone(this.#seenOf(job));
    const podUids = this.podsOf(uid).map(({ metadata }) => metadata.uid);
    for (const podUid of podUids) {
      this.#toldEnding.delete(podUid);
      this.#jobsOfPods.delete(podUid);
    }
    this.#events.forget([uid, ...podUids]);
    this.#podsOfJobs.delete(uid);
    this.#workloadsOfJobs.delete(uid);
    this.#namesOfJobs.delete(uid);
    this.#rememberGone(uid);
    this.#wake(name);
  }

  #seenOf(job: SentJob): SeenJob {
    const { uid } = job.metadata;
    return { job, pods: this.podsOf(uid), events: this.eventsOf(uid) };
  }

  /** Of the Job that it is, or that it is a pod of; undefined for what is not known, or not ours. */
  #nameOfObject(uid: string): string | undefined {
    return this.#namesOfJobs.get(this.#jobsOfPods.get(uid) ?? uid);
  }

  #tellEndings(job: SentJob): void {
    for (const pod of this.podsOf(job.metadata.uid))
      if (pod.metadata.deletionTimestamp !== undefined && isRunning(pod)) this.#tellEnding(job, pod);
  }

  #tellEnding(job: SentJob, pod: SeenPod): void {
    if (this.#toldEnding.has(pod.metadata.uid)) return;
    this.#toldEnding.add(pod.metadata.uid);
    this.#ending(this.#seenOf(job), pod);
  }

  #watchQueue(
    client: KubeClient,
    { namespace, warn }: { readonly namespace: string; readonly warn: (sentence: string) => void },
  ): Reflector<Workload> {
    let isWarned = false;
    return new Reflector<Workload>({
      client,
      path: workloadsPath(namespace),
      labelSelector: workloadJobLabel,
      changed: (workload) => {
        this.#queueSays(workload);
      },
      gone: ({ metadata }) => {
        this.#workloadsOfJobs.delete(metadata.labels?.[workloadJobLabel] ?? '');
      },
      failed: (error) => {
        const why = isWarned ? null : whyUnreadable(error, namespace);
        if (why === null) return;
        isWarned = true;
        warn(why);
      },
    });
  }

  #queueSays(workload: Workload): void {
    const jobUid = workload.metadata.labels?.[workloadJobLabel];
    if (jobUid === undefined || this.#goneJobs.has(jobUid)) return;
    this.#workloadsOfJobs.set(jobUid, workload);
    const name = this.#namesOfJobs.get(jobUid);
    if (name !== undefined) this.#wake(name);
  }

  #rememberGone(jobUid: string): void {
    this.#goneJobs.add(jobUid);
    const [oldest] = this.#goneJobs;
    if (this.#goneJobs.size > goneJobsKept && oldest !== undefined) this.#goneJobs.delete(oldest);
  }

  #wake(name: string): void {
    for (const wake of this.#waiters.get(name) ?? []) wake();
  }
}

export const jobsPath = (namespace: string): string => `/apis/batch/v1/namespaces/${namespace}/jobs`;
export const podsPath = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
