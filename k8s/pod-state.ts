/** What one pod says of itself: whether its trainer runs, has ended, and since when. Pure. Does not cover its Job (job-state.ts, job-wait.ts). */
import type { SeenPod } from './kube-types.ts';
import { trainerContainer } from './pod-template.ts';

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

/** When its trainer began; null where it never did. */
export function startOf(pod: SeenPod): string | null {
  const { running, terminated } = containerOf(pod)?.state ?? {};
  const startedAt = running?.startedAt ?? terminated?.startedAt ?? null;
  // A container that could not be started says 1970.
  return startedAt === null || startedAt.startsWith('1970') ? null : startedAt;
}

/** Of its trainer. */
export function containerOf(pod: SeenPod) {
  return pod.status?.containerStatuses?.find(({ name }) => name === trainerContainer);
}
