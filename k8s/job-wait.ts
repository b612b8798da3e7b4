/**
 * What a Job that lives does: it waits, and for what, it runs, or it is being stopped. Pure.
 *
 * Covers the state, its reason and since when. Does not cover ends (job-state.ts), nor for how long a job may wait (decisions/waiting.ts).
 */
import type { JobStatus, StopReason } from '../activities/backend.ts';
import type { SentJob, SeenPod } from './kube-types.ts';
import { annotations } from './labels.ts';
import { containerOf, hasEnded, isRunning, startOf } from './pod-state.ts';

type Live = Extract<JobStatus, { reason: string | null }>;

/** Why Temper asked the job to stop; null when it did not. */
export function stopReasonOf(job: SentJob): StopReason | null {
  return (job.metadata.annotations?.[annotations.stopReason] ?? null) as StopReason | null;
}

export function liveStatus(job: SentJob, pods: readonly SeenPod[]): Live {
  const since = job.metadata.creationTimestamp;
  if (stopReasonOf(job) !== null || job.metadata.deletionTimestamp !== undefined)
    return { state: 'stopping', reason: stopReasonOf(job), since: job.metadata.deletionTimestamp ?? since };
  if (job.spec?.suspend === true) return { state: 'queued', reason: 'suspended: its queue has not let it in', since };
  const running = pods.filter(isRunning);
  const ofAll = job.spec?.parallelism ?? 1;
  if (running.length >= ofAll || (running.length > 0 && pods.filter((pod) => !hasEnded(pod)).length === running.length))
    return {
      state: 'running',
      reason: null,
      since:
        running
          .flatMap((pod) => startOf(pod) ?? [])
          .sort()
          .at(-1) ?? since,
    };
  const waits = pods.flatMap((pod) => waitOf(pod) ?? []);
  const [first] = waits;
  if (first !== undefined) return first;
  return {
    state: 'queued',
    reason: pods.length === 0 ? 'no pod was made yet' : null,
    since: job.status?.startTime ?? since,
  };
}

/** Why a pod does not run yet. */
function waitOf(pod: SeenPod): Live | null {
  if (hasEnded(pod)) return null;
  const since = pod.metadata.creationTimestamp;
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False')
    return { state: 'queued', reason: [scheduled.reason, scheduled.message].filter(Boolean).join(': ') || null, since };
  if (scheduled?.status !== 'True') return { state: 'queued', reason: null, since };
  const waiting = containerOf(pod)?.state?.waiting;
  if (containerOf(pod)?.state?.running !== undefined) return null;
  return {
    state: 'starting',
    reason: [waiting?.reason, waiting?.message].filter(Boolean).join(': ') || null,
    since: scheduled.lastTransitionTime ?? since,
  };
}
