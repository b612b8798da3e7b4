/**
 * What a Job and its pods say of a job: its state, and how each rank ended. Pure.
 *
 * Covers states and ends. Does not cover what a job waits for (job-wait.ts), what an end means (decisions/classify.ts), nor logs (job-logs.ts).
 */
import type { JobStatus } from '../activities/backend.ts';
import type { RankEnd } from '../decisions/failure.ts';
import type { ClusterEvent } from '../decisions/job-evidence.ts';
import type { SentJob, SeenPod } from './kube-types.ts';
import { liveStatus, stopReasonOf } from './job-wait.ts';
import { lostAt } from './lost-pods.ts';
import { hasEnded, podIndex, startOf } from './pod-state.ts';
import { rankEnd } from './rank-end.ts';
import { decisionOf, wasTakenAlong } from './taken-along.ts';
import { newest, oldest } from './timestamps.ts';

type Ended = Extract<JobStatus, { state: 'ended' }>;

/** What is known of a Job. */
interface KnownJob {
  readonly job: SentJob;
  /** All that were ever seen of it, with what was last seen of those that are gone. */
  readonly pods: readonly SeenPod[];
  /** Written down about the Job and its pods: some waits are told nowhere else. @default none */
  readonly events?: readonly ClusterEvent[];
}

export function statusOfJob({ job, pods, events = [] }: KnownJob, now: Date): JobStatus {
  if (isOver(job, pods, now)) return endOf(job, pods, now);
  const status = liveStatus(job, pods, events);
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
  const ends = ranks.map(({ endedAt }) => endedAt);
  const endedAt =
    job.status?.completionTime ?? condition?.lastTransitionTime ?? newest(ends) ?? job.metadata.creationTimestamp;
  return {
    state: 'ended',
    startedAt: oldest(pods.map(startOf)),
    // The controller's own word, where no pod was seen to end: it never made one, or they are gone since.
    ranks: ranks.length > 0 || condition?.type !== 'Failed' ? ranks : [withoutPods(condition, endedAt)],
    endedAt,
    stopRequested: stopReasonOf(job),
  };
}

function withoutPods({ reason, message }: { reason?: string; message?: string }, endedAt: string): RankEnd {
  const silent = { rank: 0, node: '', exitCode: null, signal: null, endedAt, lastLines: [] };
  return { ...silent, reason: reason ?? null, ...(message ? { message } : {}) };
}

/** One for each index: of pods that had the same, the one that was made last. */
function ranksOf(job: SentJob, pods: readonly SeenPod[], now: Date): RankEnd[] {
  const newestPods = new Map<number, SeenPod>();
  for (const pod of pods.toSorted((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp)))
    newestPods.set(podIndex(pod), pod);
  const taken = new Set([...newestPods.values()].filter((pod) => wasTakenAlong(job, pod)));
  // Where all were, the Job's own time took them, or one of them was the first, in the second that decided the Job.
  const isTaken = taken.size < newestPods.size || decisionOf(job)?.reason === 'DeadlineExceeded';
  return [...newestPods]
    .toSorted(([a], [b]) => a - b)
    .map(([rank, pod]) =>
      rankEnd(job, rank, { pod, isLost: isLost(pod, now), isTakenAlong: isTaken && taken.has(pod) }),
    );
}

function isLost(pod: SeenPod, now: Date): boolean {
  const at = hasEnded(pod) ? null : lostAt(pod);
  return at !== null && at <= now;
}
