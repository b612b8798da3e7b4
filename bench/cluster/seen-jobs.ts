/**
 * When Jobs and pods of one namespace changed, as a watch of the bench's own sees it. Milliseconds since the epoch.
 *
 * Kubernetes' own times are whole seconds; the watch is told a few milliseconds after the API server has written.
 */
import type { KubeClient } from '../../k8s/kube-client.ts';
import { jobsPath, podsPath } from '../../k8s/job-observer.ts';
import type { SentJob, SentPod } from '../../k8s/kube-types.ts';
import { annotations, labels } from '../../k8s/labels.ts';
import { Reflector } from '../../k8s/reflector.ts';

export interface SeenJob {
  readonly name: string;
  readonly uid: string;
  readonly pipeline: string;
  readonly phase: string;
  readonly directory: string;
  readonly addedAt: number;
  /** Complete or Failed, which is said when all its pods have ended. */
  endedAt: number | null;
  failed: boolean;
  pod: { readonly name: string; runningAt: number | null; endedAt: number | null } | null;
}

export interface SeenJobs {
  readonly all: ReadonlyMap<string, SeenJob>;
  started(): Promise<void>;
  close(): void;
}

/** `running` hears of each pod once, when its container runs. */
export function seeJobs(client: KubeClient, namespace: string, running: (job: SeenJob) => void): SeenJobs {
  const all = new Map<string, SeenJob>();
  /** A pod may be told before its Job: two watches. */
  const early = new Map<string, SentPod>();
  const seePod = (pod: SentPod) => {
    const jobName = pod.metadata.labels?.['batch.kubernetes.io/job-name'] ?? '';
    const job = all.get(jobName);
    if (job === undefined) early.set(jobName, pod);
    else if (note(job, pod)) running(job);
  };
  const watched = { client, labelSelector: `${labels.managed}=true`, gone: () => undefined };
  const jobs = new Reflector<SentJob>({
    ...watched,
    path: jobsPath(namespace),
    changed: (job) => {
      const seen = all.get(job.metadata.name) ?? newJob(job);
      all.set(seen.name, seen);
      const end = job.status?.conditions?.find(
        ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
      );
      if (end !== undefined) seen.endedAt ??= Date.now();
      seen.failed ||= end?.type === 'Failed';
      const pod = early.get(seen.name);
      early.delete(seen.name);
      if (pod !== undefined) seePod(pod);
    },
  });
  const pods = new Reflector<SentPod>({ ...watched, path: podsPath(namespace), changed: seePod });
  return {
    all,
    async started() {
      await Promise.all([jobs.started(), pods.started()]);
    },
    close() {
      jobs.close();
      pods.close();
    },
  };
}

function newJob({ metadata }: SentJob): SeenJob {
  const text = (name: string) => metadata.annotations?.[name] ?? '';
  return {
    name: metadata.name,
    uid: metadata.uid,
    pipeline: text(annotations.pipeline),
    phase: text(annotations.phase),
    directory: text(annotations.directory),
    addedAt: Date.now(),
    endedAt: null,
    failed: false,
    pod: null,
  };
}

/** True when the pod has begun to run just now. */
function note(job: SeenJob, { metadata, status }: SentPod): boolean {
  job.pod ??= { name: metadata.name, runningAt: null, endedAt: null };
  const state = status?.containerStatuses?.[0]?.state;
  if (state?.terminated !== undefined) job.pod.endedAt ??= Date.now();
  if (state?.running === undefined || job.pod.runningAt !== null) return false;
  job.pod.runningAt = Date.now();
  return true;
}
