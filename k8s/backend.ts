/**
 * The Kubernetes backend: a job is a Job of one namespace, watched by this worker's one observer.
 *
 * Jobs outlive the worker; any worker of the same cluster and store adopts, watches and stops them. Does not cover jobs that
 * have outlived their workflow (workers/reaper.ts).
 */
import type { Backend, JobRef, JobStatus } from '../activities/backend.ts';
import type { KubernetesProfile } from '../configs/schema-profile.ts';
import { TemperError } from '../decisions/errors.ts';
import { hasChanged } from '../decisions/job-over.ts';
import { EvidenceKeeper } from './evidence-file.ts';
import { getObject } from './get-object.ts';
import { endedJobIn, handOver } from './job-end.ts';
import { jobLogs } from './job-logs.ts';
import { jobManifest, rendezvousService } from './job-manifest.ts';
import { JobObserver, jobsPath } from './job-observer.ts';
import { JobReader } from './job-reader.ts';
import { statusOfJob } from './job-state.ts';
import { stopJob } from './job-stop.ts';
import type { KubeClient } from './kube-client.ts';
import { asTemperError, KubeError } from './kube-error.ts';
import type { Job, SentJob } from './kube-types.ts';
import { annotations } from './labels.ts';
import { lastWords } from './last-words.ts';
import { withMend } from './refused-submit.ts';
import { isOf, isOurs, type OwnerOf, refOf, whoseIs } from './whose-job.ts';

export interface KubernetesBackend extends Backend {
  /** Stops watching; Jobs go on. */
  close(): Promise<void>;
}

export interface KubernetesBackendOptions {
  /** Who a directory of this store belongs to; jobs of other owners are another Temper's. @default every job of the namespace is ours */
  readonly ownerOf?: OwnerOf;
  /** @default the machine's clock */
  readonly now?: () => Date;
  /** Told what a person should mend although jobs go on. @default nobody */
  readonly warn?: (sentence: string) => void;
}

/** Bookmarks come each minute, and a connection that is dead is noticed somewhat later. */
const longestSilenceSeconds = 100;

export function createKubernetesBackend(
  profile: KubernetesProfile,
  client: KubeClient,
  { ownerOf, now = () => new Date(), warn = () => undefined }: KubernetesBackendOptions = {},
): KubernetesBackend {
  const { namespace } = profile;
  const hasQueue = profile.queue !== undefined;
  const closed = new AbortController();
  const evidence = new EvidenceKeeper({ now, warn });
  const kept = lastWords({ client, namespace, ownerOf, evidence, warn, signal: closed.signal });
  const observer = new JobObserver(client, namespace, { hasQueue, warn, ...kept });
  const reader = new JobReader({ client, observer, namespace, now, evidence });
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
      return await createOrAdopt(client, jobManifest(spec, profile), { directory: spec.directory, noMore, profile });
    },
    async find({ name, directory, owner }) {
      const job = await getObject<SentJob>(client, `${jobsPath(namespace)}/${name}`, `read job ${name}`);
      return job !== null && isOf(job, directory, owner) ? refOf({ job }) : null;
    },
    status: (job) => reader.status(job),
    nextChange: (job, seen, signal) => nextChange(job, seen, { signal, observer, reader }),
    stop: (job, how) => stopJob(job, { ...how, client, observer, namespace, hasQueue, reader }),
    cluster: client.cluster,
    unseenSeconds: () => (observer.silentSeconds > longestSilenceSeconds ? observer.silentSeconds : 0),
    logs: jobLogs({ client, namespace, observer }),
    async list() {
      await observer.started();
      const live = observer.all().filter((known) => statusOfJob(known, now()).state !== 'ended');
      const ours = await Promise.all(live.map(({ job }) => isOurs(job, ownerOf)));
      return live.filter((_, index) => ours[index]).map(refOf);
    },
    async close() {
      closed.abort();
      observer.close();
      await client.close();
    },
  };
}

interface Creation {
  readonly directory: string;
  /** Aborts when nothing more may be created. */
  readonly noMore: AbortSignal | undefined;
  readonly profile: KubernetesProfile;
}

/**
 * A reply that was lost is asked for again: the Job that is there then is the one of this attempt, by its directory. It is looked for
 * whatever the server refuses this time: a quota that this very Job has used up, or a rule that is newer than it.
 */
async function createOrAdopt(client: KubeClient, manifest: Job, creation: Creation): Promise<JobRef> {
  const { directory, noMore, profile } = creation;
  noMore?.throwIfAborted();
  const { name = '', namespace = '' } = manifest.metadata ?? {};
  try {
    const path = `${jobsPath(namespace)}?fieldValidation=Strict`;
    return refOf({ job: await client.send<SentJob>({ method: 'POST', path, body: manifest, noMoreTries: noMore }) });
  } catch (error) {
    if (!(error instanceof KubeError) || error.isPassing || error.status === 401)
      throw withMend(asTemperError(error, `create job ${name}`), profile);
    return await adopt(client, manifest, { directory, refused: error, profile });
  }
}

interface Adoption extends Pick<Creation, 'directory' | 'profile'> {
  /** Why none was created. */
  readonly refused: KubeError;
}

/** The Job of this name that is there. */
async function adopt(
  client: KubeClient,
  { metadata }: Job,
  { directory, refused, profile }: Adoption,
): Promise<JobRef> {
  const { name = '', namespace = '', annotations: own } = metadata ?? {};
  const found = await getObject<SentJob>(client, `${jobsPath(namespace)}/${name}`, `read job ${name}`);
  if (found === null) {
    if (refused.reason !== 'AlreadyExists') throw withMend(asTemperError(refused, `create job ${name}`), profile);
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
    throw withMend(asTemperError(error, `create service ${profile.rendezvousService}`), profile);
  }
}

interface Watching {
  readonly signal: AbortSignal;
  readonly observer: JobObserver;
  readonly reader: JobReader;
}

async function nextChange(job: JobRef, seen: JobStatus, { signal, observer, reader }: Watching): Promise<JobStatus> {
  const waiter = observer.waiter(job.name);
  try {
    for (;;) {
      const { status, lossAt } = await reader.look(job);
      if (signal.aborted || hasChanged(status, seen)) return status;
      await waiter.next(signal, reader.millisecondsTo(lossAt));
    }
  } finally {
    waiter.close();
  }
}
