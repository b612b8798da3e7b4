/**
 * What one pod says of itself: whether its trainer runs, has ended, and since when, and which other container failed. Pure.
 *
 * Does not cover its Job (job-state.ts, job-wait.ts), nor the word for its end (rank-end.ts).
 */
import type { ContainerEnd } from '../decisions/failure.ts';
import type { SeenPod } from './kube-types.ts';
import { podIndexAnnotation } from './labels.ts';
import { trainerContainer } from './pod-template.ts';

/** Its rank among the pods of its Job. */
export function podIndex(pod: SeenPod): number {
  return Number(pod.metadata.annotations?.[podIndexAnnotation] ?? 0);
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

/** When its trainer began; null where it never did. */
export function startOf(pod: SeenPod): string | null {
  const { running, terminated } = containerOf(pod)?.state ?? {};
  const startedAt = running?.startedAt ?? terminated?.startedAt ?? null;
  // A container that could not be started says 1970.
  return startedAt === null || startedAt.startsWith('1970') ? null : startedAt;
}

/** With whether it was asked to end, and when, before it did: its last state tells that no more. `before`: as it was last seen. */
export function withAsked(pod: SeenPod, before: SeenPod | undefined): SeenPod {
  if (before?.endingSince !== undefined) return { ...pod, endingSince: before.endingSince };
  if (before?.endedUnasked === true) return { ...pod, endedUnasked: true };
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  if (deletionTimestamp === undefined)
    return hasEnded(pod) && pod.isGone !== true ? { ...pod, endedUnasked: true } : pod;
  if (hasEnded(pod)) return pod;
  const asked = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return { ...pod, endingSince: new Date(asked).toISOString() };
}

/** Of its trainer. */
export function containerOf(pod: SeenPod) {
  return pod.status?.containerStatuses?.find(({ name }) => name === trainerContainer);
}

/** Of what a cluster says in its own words, beyond which nobody reads. */
export const longestMessage = 1000;

/** The first other container that failed while the trainer had not ended; one that a node cannot find any more says nothing. */
export function failedBeside(pod: SeenPod): ContainerEnd | null {
  const { initContainerStatuses: before = [], containerStatuses: beside = [] } = pod.status ?? {};
  const trainerEnd = containerOf(pod)?.state?.terminated?.finishedAt;
  for (const { name, state } of [...before, ...beside]) {
    const { exitCode = 0, reason = null, message = null, finishedAt: endedAt = null } = state?.terminated ?? {};
    if (name === trainerContainer || exitCode === 0 || reason === 'ContainerStatusUnknown') continue;
    if (trainerEnd !== undefined && endedAt !== null && Date.parse(endedAt) > Date.parse(trainerEnd)) continue;
    const isInit = trainerEnd === undefined && before.some((one) => one.name === name);
    return { name, isInit, exitCode, reason, message: message?.slice(0, longestMessage) ?? null, endedAt };
  }
  return null;
}
