/**
 * Which pods ended only because another one had: the Job controller ends the rest of a Job that has failed, or whose trainers are done.
 *
 * Told by the time of the end: that of the deletion is moved when the node confirms it. Times of Kubernetes are whole seconds: a deleted
 * pod that ended in the second that decided the Job counts as taken along. Does not cover peers that noticed by themselves
 * (decisions/root-cause.ts).
 */
import type { SeenPod, SentJob } from './kube-types.ts';
import { trainerContainer } from './pod-template.ts';

export function wasTakenAlong(job: SentJob, { metadata, status }: SeenPod): boolean {
  const decided = job.status?.conditions?.find(
    ({ type, status: is }) => (type === 'FailureTarget' || type === 'SuccessCriteriaMet') && is === 'True',
  )?.lastTransitionTime;
  if (metadata.deletionTimestamp === undefined || decided === undefined) return false;
  const container = status?.containerStatuses?.find(({ name }) => name === trainerContainer);
  const endedAt = container?.state?.terminated?.finishedAt;
  return endedAt === undefined || Date.parse(endedAt) >= Date.parse(decided);
}
