/**
 * What a Job and its pods say of a job: its state, and how each rank ended. Pure.
 *
 * Covers states and ends. Does not cover what a job waits for (job-wait.ts), what an end means (decisions/classify.ts), nor logs (job-logs.ts).
 */
import type { JobStatus } from '../activities/backend.ts';
import { nodeUnreachable } from '../decisions/backend-reasons.ts';
import { takenAlong, type RankEnd } from '../decisions/failure.ts';
import type { SentJob, SeenPod } from './kube-types.ts';
import { liveStatus, stopReasonOf } from './job-wait.ts';
import { annotations, podIndexAnnotation } from './labels.ts';
import { lostAt } from './lost-pods.ts';
import { containerOf, hasEnded, startOf } from './pod-state.ts';
import { roleOfPod } from './pod-roles.ts';
import { wasTakenAlong } from './taken-along.ts';

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

function isLost(pod: SeenPod, now: Date): boolean {
  const at = hasEnded(pod) ? null : lostAt(pod);
  return at !== null && at <= now;
}
