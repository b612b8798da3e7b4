/**
 * The Kubernetes backend: a job is a Job of one namespace, watched by this worker's one observer.
 *
 * Jobs outlive the worker; any worker of the same cluster and store adopts, watches and stops them. Does not cover jobs that
 * have outlived their workflow (workers/reaper.ts).
 */
import type { Backend, JobRef, JobStatus } from '../activities/backend.ts';
import type { KubernetesProfile } from '../configs/schema-profile.ts';
import { mayStillRun } from '../decisions/backend-reasons.ts';
import { TemperError } from '../decisions/errors.ts';
import { isJobOver } from '../decisions/job-over.ts';
import { getObject } from './get-object.ts';
import { endedJobIn, handOver, readJobEnd, writeJobEnd } from './job-end.ts';
import { jobLogs, saveLogs } from './job-logs.ts';
import { jobManifest, rendezvousService } from './job-manifest.ts';
import { JobObserver, jobsPath, type ObservedJob, podsPath } from './job-observer.ts';
import { hasEnded, nextLossAt, statusOfJob } from './job-state.ts';
import { stopJob } from './job-stop.ts';
import { withQueue } from './kueue.ts';
import type { KubeClient } from './kube-client.ts';
import { asTemperError, KubeError } from './kube-error.ts';
import type { Job, SeenPod, SentJob, SentPod } from './kube-types.ts';
import { annotations, jobUidLabel } from './labels.ts';

export interface KubernetesBackend extends Backend {
  /** Stops watching; Jobs go on. */
  close(): Promise<void>;
}

export interface KubernetesBackendOptions {
  /** Who a directory of this store belongs to; jobs of other owners are another Temper's. @default every job of the namespace is ours */
  readonly ownerOf?: (directory: string) => Promise<string | null>;
  /** @default the machine's clock */
  readonly now?: () => Date;
  /** Told what a person should mend although jobs go on. @default nobody */
  readonly warn?: (sentence: string) => void;
}

/** Bookmarks come each minute, and a connection that is dead is noticed somewhat later. */
const longestSilenceSeconds = 100;
/** A Job whose end is recorded goes after this. */
const secondsAfterRecord = 3600;

export function createKubernetesBackend(
  profile: KubernetesProfile,
  client: KubeClient,
  { ownerOf, now = () => new Date(), warn = () => undefined }: KubernetesBackendOptions = {},
): KubernetesBackend {
  const { namespace } = profile;
  const hasQueue = profile.queue !== undefined;
  const observer = new JobObserver(client, namespace, { hasQueue, warn });
  const reader = new JobReader({ client, observer, namespace, now });
  let service: Promise<void> | null = null;
  return {
    fixed: [],
    async submit(spec, noMore) {
      const ended = await endedJobIn(spec);
      if (ended !== null) return ended;
      service ??= ensureService(client, profile);
      await service.catch((error: unknown) => {
        service = null;
        throw error;
      });
      await handOver(spec.directory, profile.user);
      noMore?.throwIfAborted();
      return await createOrAdopt(client, jobManifest(spec, profile), { directory: spec.directory, noMore });
    },
    async find({ name, directory, owner }) {
      const job = await getObject<SentJob>(client, `${jobsPath(namespace)}/${name}`, `read job ${name}`);
      return job !== null && isOf(job, directory, owner) ? refOf({ job }) : null;
    },
    status: (job) => reader.status(job),
    async nextChange(job, seen, signal) {
      const waiter = observer.waiter(job.name);
      try {
        for (;;) {
          const { status, lossAt } = await reader.look(job);
          if (signal.aborted || differs(status, seen)) return status;
          await waiter.next(signal, reader.millisecondsTo(lossAt));
        }
      } finally {
        waiter.close();
      }
    },
    async stop(job, { reason, graceSeconds }) {
      await stopJob(job, { reason, graceSeconds, client, observer, namespace, hasQueue, reader });
    },
    unseenSeconds() {
      return observer.silentSeconds > longestSilenceSeconds ? observer.silentSeconds : 0;
    },
    logs: jobLogs({ client, namespace, observer }),
    async list() {
      await observer.started();
      const live = observer.all().filter(({ job, pods }) => statusOfJob(job, pods, now()).state !== 'ended');
      const ours = await Promise.all(live.map(({ job }) => isOurs(job, ownerOf)));
      return live.filter((_, index) => ours[index]).map(refOf);
    },
    async close() {
      observer.close();
      await client.close();
    },
  };
}

interface Reading {
  readonly client: KubeClient;
  readonly observer: JobObserver;
  readonly namespace: string;
  readonly now: () => Date;
}

/** What is known of a job, and when time alone makes another status of it; null where it needs an event. */
export interface Look {
  readonly status: JobStatus;
  readonly lossAt: Date | null;
}

const withoutLoss = (status: JobStatus): Look => ({ status, lossAt: null });

/** Reads what is known of a job: the record of its end, the observer, and where that knows nothing, the server. */
class JobReader {
  readonly #client: KubeClient;
  readonly #observer: JobObserver;
  readonly #namespace: string;
  readonly #now: () => Date;
  /** By the uid of the Job. */
  readonly #recordings = new Map<string, Promise<JobStatus>>();

  constructor({ client, observer, namespace, now }: Reading) {
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
    const seen = statusOfJob(found.job, found.pods, now);
    const status = withQueue(seen, found.job, this.#observer.workloadOf(job.uid));
    if (status.state !== 'ended') return { status, lossAt: nextLossAt(found.pods, now) };
    const { job: last, pods } = isSeenWhole(found) ? found : ((await this.#ask(job)) ?? found);
    const end = statusOfJob(last, pods, this.#now());
    return withoutLoss(await this.#recordOnce(job, end.state === 'ended' ? end : status, pods));
  }

  /** Whoever asks while an end is being recorded waits for that one record. */
  async #recordOnce(
    job: JobRef,
    end: Extract<JobStatus, { state: 'ended' }>,
    pods: readonly SeenPod[],
  ): Promise<JobStatus> {
    const recording =
      this.#recordings.get(job.uid) ??
      this.#record(job, end, pods).finally(() => {
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
    const now = new Map([...this.#observer.podsOf(uid), ...(list?.items ?? [])].map((pod) => [pod.metadata.uid, pod]));
    return { job, pods: [...now.values()] };
  }

  async #record(
    job: JobRef,
    end: Extract<JobStatus, { state: 'ended' }>,
    pods: readonly SeenPod[],
  ): Promise<JobStatus> {
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

interface Creation {
  readonly directory: string;
  /** Aborts when nothing more may be created. */
  readonly noMore: AbortSignal | undefined;
}

/**
 * A reply that was lost is asked for again: the Job that is there then is the one of this attempt, by its directory. It is looked for
 * whatever the server refuses this time: a quota that this very Job has used up, or a rule that is newer than it.
 */
async function createOrAdopt(client: KubeClient, manifest: Job, { directory, noMore }: Creation): Promise<JobRef> {
  const { name = '', namespace = '' } = manifest.metadata ?? {};
  try {
    const path = `${jobsPath(namespace)}?fieldValidation=Strict`;
    return refOf({ job: await client.send<SentJob>({ method: 'POST', path, body: manifest, noMoreTries: noMore }) });
  } catch (error) {
    if (!(error instanceof KubeError) || error.isPassing || error.status === 401)
      throw asTemperError(error, `create job ${name}`);
    return await adopt(client, manifest, { directory, refused: error });
  }
}

interface Adoption {
  readonly directory: string;
  /** Why none was created. */
  readonly refused: KubeError;
}

/** The Job of this name that is there. */
async function adopt(client: KubeClient, { metadata }: Job, { directory, refused }: Adoption): Promise<JobRef> {
  const { name = '', namespace = '', annotations: own } = metadata ?? {};
  const found = await getObject<SentJob>(client, `${jobsPath(namespace)}/${name}`, `read job ${name}`);
  if (found === null) {
    if (refused.reason !== 'AlreadyExists') throw asTemperError(refused, `create job ${name}`);
    throw new TemperError('backend-unavailable', `job ${name} was there and is gone: it is created again`);
  }
  if (!isOf(found, directory, own?.[annotations.owner])) {
    throw new TemperError(
      'job-refused',
      `a Job named ${name} is there already, and not this attempt’s (${whoseIs(found)}): delete it with \`kubectl -n ${namespace} delete job ${name}\``,
    );
  }
  if (found.metadata.deletionTimestamp !== undefined)
    throw new TemperError('backend-unavailable', `job ${name} is being deleted: it is created again when it is gone`);
  return refOf({ job: found });
}

/** Jobs and pods are watched apart: the end of a Job may be seen before those of its pods. */
function isSeenWhole({ job, pods }: ObservedJob): boolean {
  return pods.length >= (job.spec?.parallelism ?? 1) && pods.every(hasEnded);
}

async function isOurs(job: SentJob, ownerOf: KubernetesBackendOptions['ownerOf']): Promise<boolean> {
  if (ownerOf === undefined) return true;
  const { directory } = refOf({ job });
  const owner = directory === '' ? null : await ownerOf(directory);
  return owner !== null && !isOfAnother(job, owner);
}

/** Of the attempt of this directory. */
function isOf(job: SentJob, directory: string, owner: string | undefined): boolean {
  return job.metadata.annotations?.[annotations.directory] === directory && !isOfAnother(job, owner);
}

/** Jobs of older versions name no owner: their directory is all there is to go by. */
function isOfAnother({ metadata }: SentJob, owner: string | undefined): boolean {
  const named = metadata.annotations?.[annotations.owner];
  return named !== undefined && owner !== undefined && named !== owner;
}

function whoseIs({ metadata: { annotations: found } }: SentJob): string {
  const place = found?.[annotations.directory];
  if (place === undefined) return 'not made by Temper';
  const owner = found?.[annotations.owner];
  return owner === undefined ? place : `${place} of ${owner}`;
}

/** Pods are found by name through it; one for all Jobs of the namespace. */
async function ensureService(client: KubeClient, profile: KubernetesProfile): Promise<void> {
  try {
    await client.send({
      method: 'POST',
      path: `/api/v1/namespaces/${profile.namespace}/services`,
      body: rendezvousService(profile),
    });
  } catch (error) {
    // Where a platform team made it, or Temper may not, it is theirs: a job of one pod needs none.
    if (error instanceof KubeError && (error.reason === 'AlreadyExists' || error.status === 403)) return;
    throw asTemperError(error, `create service ${profile.rendezvousService}`);
  }
}

function refOf({ job: { metadata } }: Pick<ObservedJob, 'job'>): JobRef {
  return { name: metadata.name, uid: metadata.uid, directory: metadata.annotations?.[annotations.directory] ?? '' };
}

function differs(status: JobStatus, seen: JobStatus): boolean {
  if (isJobOver(status) || isJobOver(seen)) return status.state !== seen.state;
  return JSON.stringify(status) !== JSON.stringify(seen);
}
