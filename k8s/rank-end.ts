/**
 * How one pod of a Job ended: its trainer's exit, the cluster's own word for it and what it says beside that, and another container that
 * failed. Pure.
 *
 * Of several words the one that explains most: a lost node, memory, a disruption, the Job's own end, the kubelet's word for the whole pod,
 * that somebody deleted it, the runtime's. Does not cover what a word means (decisions/backend-reasons.ts).
 */
import { nodeUnreachable, podDeleted, podVanished } from '../decisions/backend-reasons.ts';
import { type RankEnd, takenAlong } from '../decisions/failure.ts';
import { stopReasonOf } from './job-wait.ts';
import type { SeenPod, SentJob } from './kube-types.ts';
import { annotations } from './labels.ts';
import { containerOf, failedBeside, longestMessage, startOf } from './pod-state.ts';
import { roleOfPod } from './pod-roles.ts';
import { decisionOf } from './taken-along.ts';

export interface EndedPod {
  readonly pod: SeenPod;
  /** With its node: nobody waits for its end. */
  readonly isLost: boolean;
  /** By the end of its Job, or of another pod. */
  readonly isTakenAlong: boolean;
}

/** What a backend says: a word, and more beside it. */
interface Word {
  readonly reason: string | null;
  readonly message?: string | undefined;
}

export function rankEnd(job: SentJob, rank: number, ended: EndedPod): RankEnd {
  const { pod } = ended;
  const terminated = endOfTrainer(pod);
  const { reason, message } = wordFor(job, ended);
  const role = roleOfPod(rank, job.metadata.annotations?.[annotations.roles]);
  const beside = failedBeside(pod);
  return {
    rank,
    ...(role === null ? {} : { role }),
    node: pod.spec?.nodeName ?? '',
    exitCode: terminated?.exitCode ?? null,
    signal: terminated?.signal ? String(terminated.signal) : null,
    endedAt: terminated?.finishedAt ?? beside?.endedAt ?? null,
    // Until its log is read.
    lastLines: (terminated?.message ?? beside?.message)?.split('\n').filter((line) => line !== '') ?? [],
    reason,
    ...(message ? { message: message.slice(0, longestMessage) } : {}),
    ...(beside === null ? {} : { beside }),
  };
}

/** A kubelet says 137 of a container, too, that it never made when the pod went: that is nobody's end. */
function endOfTrainer(pod: SeenPod) {
  const { state, containerID, restartCount = 0, lastState } = containerOf(pod) ?? {};
  const isUnknown = state?.terminated?.reason === 'ContainerStatusUnknown';
  const wasMade = Boolean(containerID) || restartCount > 0 || lastState?.terminated !== undefined;
  return isUnknown && !wasMade ? undefined : state?.terminated;
}

function wordFor(job: SentJob, { pod, isLost, isTakenAlong }: EndedPod): Word {
  const { reason: podReason, message: podMessage, conditions } = pod.status ?? {};
  const terminated = endOfTrainer(pod);
  const disruption = conditions?.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  if (isLost) return { reason: nodeUnreachable };
  if (terminated?.reason === 'OOMKilled') return { reason: 'OOMKilled' };
  // A kubelet that ends a pod says of the whole pod why: its disk, its memory, its own shutdown.
  const isKubelets = disruption?.reason === 'TerminationByKubelet' && podReason !== undefined;
  if (disruption?.reason !== undefined && !isKubelets)
    return { reason: disruption.reason, message: disruption.message };
  if (isTakenAlong && !isKubelets) return wordOfJob(job);
  if (podReason) return { reason: podReason, message: podMessage };
  if (wasDeleted(job, pod)) return { reason: podDeleted };
  // A container that never began has no words of its own: these are the runtime's.
  if (terminated) {
    const message = startOf(pod) === null ? terminated.message : undefined;
    return { reason: terminated.reason ?? null, message };
  }
  return { reason: pod.isGone === true && stopReasonOf(job) === null ? podVanished : null };
}

/** Its own time was over, or another pod ended it. */
function wordOfJob(job: SentJob): Word {
  const { reason, message } = decisionOf(job) ?? {};
  return reason === 'DeadlineExceeded' ? { reason, message } : { reason: takenAlong };
}

/** Seen while it ran, and not because its Job was stopped or deleted: a pod is deleted after its end, too. */
function wasDeleted(job: SentJob, pod: SeenPod): boolean {
  if (stopReasonOf(job) !== null || job.metadata.deletionTimestamp !== undefined) return false;
  return pod.endingSince !== undefined;
}
