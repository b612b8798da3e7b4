/**
 * What a Job and its pods say of a job: state, since when, and how each rank ended. Pure.
 *
 * Covers states and ends. Does not cover what an end means (decisions/classify.ts), nor logs (job-logs.ts).
 */
import type { JobStatus, StopReason } from '../activities/backend.ts';
import { nodeUnreachable } from '../decisions/backend-reasons.ts';
import { takenAlong, type RankEnd } from '../decisions/failure.ts';
import type { SentJob, SeenPod } from './kube-types.ts';
import { annotations, podIndexAnnotation } from './labels.ts';
import { lostAt } from './lost-pods.ts';
import { roleOfPod } from './pod-roles.ts';
import { trainerContainer } from './pod-template.ts';
import { wasTakenAlong } from './taken-along.ts';

type Live = Extract<JobStatus, { reason: string | null }>;
type Ended = Extract<JobStatus, { state: 'ended' }>;

/** `pods` are all that were ever seen of the Job, with what was last seen of those that are gone. */
export function statusOfJob(job: SentJob, pods: readonly SeenPod[], now: Date): JobStatus {
  if (isOver(job, pods, now)) return endOf(job, pods, now);
  const status = liveStatus(job, pods);
  const lost = status.state === 'stopping' ? undefined : pods.find((pod) => isLost(pod, now));
  return lost === undefined ? status : { ...status, lostNode: lost.spec?.nodeName ?? '' };
}

/** When time alone, without an event, makes another status of it; null when it does not. */
export function nextLossAt(pods: readonly SeenPod[], now: Date): Date | null {
  const times = pods.flatMap((pod) => (hasEnded(pod) ? [] : (lostAt(pod) ?? [])));
  return times.filter((time) => time > now).sort((one, other) => one.getTime() - other.getTime())[0] ?? null;
}

/**
 * A terminal condition comes only when every pod has ended. A Job that Temper stopped is suspended, which is no condition of an end; and
 * where its nodes do not answer no end would ever come: what they may run still writes to its own directory alone.
 */
function isOver(job: SentJob, pods: readonly SeenPod[], now: Date): boolean {
  if (terminalCondition(job) !== undefined) return true;
  const isEnding = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].some((condition) => has(job, condition));
  if (stopReasonOf(job) === null || !isEnding) return false;
  const left = pods.filter((pod) => !hasEnded(pod));
  const { active = 0, terminating = 0 } = job.status ?? {};
  return active + terminating <= left.length && left.every((pod) => isLost(pod, now));
}

function terminalCondition(job: SentJob) {
  return job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}

function has(job: SentJob, condition: string): boolean {
  return job.status?.conditions?.some(({ type, status }) => type === condition && status === 'True') === true;
}

/** Why Temper asked the job to stop; null when it did not. */
export function stopReasonOf(job: SentJob): StopReason | null {
  return (job.metadata.annotations?.[annotations.stopReason] ?? null) as StopReason | null;
}

function endOf(job: SentJob, pods: readonly SeenPod[], now: Date): Ended {
  const ranks = ranksOf(job, pods, now);
  const condition = terminalCondition(job);
  const ends = ranks.flatMap(({ endedAt }) => endedAt ?? []);
  const endedAt =
    job.status?.completionTime ?? condition?.lastTransitionTime ?? ends.sort().at(-1) ?? job.metadata.creationTimestamp;
  const starts = pods.flatMap((pod) => startOf(pod) ?? []);
  return {
    state: 'ended',
    startedAt: starts.sort()[0] ?? null,
    // The controller's own word, where no pod was seen to end: it never made one, or they are gone since.
    ranks: ranks.length > 0 || condition?.type !== 'Failed' ? ranks : [withoutPods(condition, endedAt)],
    endedAt,
    stopRequested: stopReasonOf(job),
  };
}

function withoutPods({ reason, message }: { reason?: string; message?: string }, endedAt: string): RankEnd {
  return {
    rank: 0,
    node: '',
    exitCode: null,
    signal: null,
    endedAt,
    lastLines: message ? [message] : [],
    reason: reason ?? null,
  };
}

/** One for each index: of pods that had the same, the one that was made last. */
function ranksOf(job: SentJob, pods: readonly SeenPod[], now: Date): RankEnd[] {
  const newest = new Map<number, SeenPod>();
  for (const pod of pods.toSorted((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp)))
    newest.set(indexOf(pod), pod);
  return [...newest].toSorted(([a], [b]) => a - b).map(([rank, pod]) => rankEnd(job, rank, { pod, now }));
}

export function indexOf(pod: SeenPod): number {
  return Number(pod.metadata.annotations?.[podIndexAnnotation] ?? 0);
}

function rankEnd(job: SentJob, rank: number, { pod, now }: { readonly pod: SeenPod; readonly now: Date }): RankEnd {
  const terminated = containerOf(pod)?.state?.terminated;
  const disruption = pod.status?.conditions?.find(
    ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
  );
  const said = terminated?.message?.split('\n').filter((line) => line !== '') ?? [];
  const named =
    terminated?.reason === 'OOMKilled'
      ? 'OOMKilled'
      : (disruption?.reason ??
        (wasTakenAlong(job, pod) ? takenAlong : (pod.status?.reason ?? terminated?.reason ?? null)));
  const reason = isLost(pod, now) ? nodeUnreachable : named;
  const role = roleOfPod(rank, job.metadata.annotations?.[annotations.roles]);
  return {
    rank,
    ...(role === null ? {} : { role }),
    node: pod.spec?.nodeName ?? '',
    exitCode: terminated?.exitCode ?? null,
    signal: terminated?.signal ? String(terminated.signal) : null,
    endedAt: terminated?.finishedAt ?? null,
    lastLines: said.length > 0 ? said : [pod.status?.message, disruption?.message].flatMap((text) => text ?? []),
    reason,
  };
}

function liveStatus(job: SentJob, pods: readonly SeenPod[]): Live {
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

export function isRunning(pod: SeenPod): boolean {
  return pod.isGone !== true && containerOf(pod)?.state?.running !== undefined;
}

export function hasEnded(pod: SeenPod): boolean {
  return (
    pod.isGone === true ||
    pod.status?.phase === 'Succeeded' ||
    pod.status?.phase === 'Failed' ||
    containerOf(pod)?.state?.terminated !== undefined
  );
}

function isLost(pod: SeenPod, now: Date): boolean {
  const at = hasEnded(pod) ? null : lostAt(pod);
  return at !== null && at <= now;
}

function startOf(pod: SeenPod): string | null {
  const { running, terminated } = containerOf(pod)?.state ?? {};
  const startedAt = running?.startedAt ?? terminated?.startedAt ?? null;
  // A container that could not be started says 1970.
  return startedAt === null || startedAt.startsWith('1970') ? null : startedAt;
}

function containerOf(pod: SeenPod) {
  return pod.status?.containerStatuses?.find(({ name }) => name === trainerContainer);
}
