/**
 * Which pods ended only because another one had, or their Job was over: the Job controller ends the rest of a Job that is decided.
 *
 * Told by whether and when they were asked to end, or, where nobody saw that, by when they ended: the time of the deletion is moved when the node confirms
 * it. Times of Kubernetes are whole seconds: a pod that was deleted in the second that decided the Job counts as taken along. Does not cover
 * peers that noticed by themselves (decisions/root-cause.ts).
 */
import type { SeenPod, SentJob } from './kube-types.ts';
import { containerOf } from './pod-state.ts';

export function wasTakenAlong(job: SentJob, pod: SeenPod): boolean {
  const decidedAt = decisionOf(job)?.lastTransitionTime;
  if (pod.metadata.deletionTimestamp === undefined || decidedAt === undefined || pod.endedUnasked) return false;
  const at = pod.endingSince ?? containerOf(pod)?.state?.terminated?.finishedAt;
  return at === undefined || Date.parse(at) >= Date.parse(decidedAt);
}

/** That it has failed, or that its trainers are done. */
export function decisionOf(job: SentJob) {
  return job.status?.conditions?.find(
    ({ type, status }) => (type === 'FailureTarget' || type === 'SuccessCriteriaMet') && status === 'True',
  );
}
