/** What a backend's own words for an end mean. Words that are not here (`Error`, `Completed`) explain nothing. */
import type { FailureClass, RankEnd } from './failure.ts';

/** The one word that is Temper's: nobody saw it end, and its node has not answered for so long that nobody waits for it. */
export const nodeUnreachable = 'NodeUnreachable';

const classes: Readonly<Record<string, FailureClass>> = {
  OOMKilled: 'host-oom',
  Preempted: 'preempted',
  Preempting: 'preempted',
  PreemptionByScheduler: 'preempted',
  PreemptionByKubeScheduler: 'preempted',
  Evicted: 'evicted',
  EvictionByEvictionAPI: 'evicted',
  TerminationByKubelet: 'evicted',
  DeletionByTaintManager: 'node-lost',
  DeletionByPodGC: 'node-lost',
  NodeLost: 'node-lost',
  [nodeUnreachable]: 'node-lost',
  NodeShutdown: 'node-lost',
  'machine-restarted': 'node-lost',
  NodeAffinity: 'unschedulable',
  Unschedulable: 'unschedulable',
  FailedScheduling: 'unschedulable',
  UnexpectedAdmissionError: 'hardware',
  ErrImagePull: 'image-pull',
  ImagePullBackOff: 'image-pull',
  ImageInspectError: 'image-pull',
  RegistryUnavailable: 'image-pull',
  InvalidImageName: 'config',
  ErrImageNeverPull: 'config',
  CreateContainerConfigError: 'config',
  CreateContainerError: 'config',
  FailedMount: 'mount',
  FailedAttachVolume: 'mount',
  FailedCreatePodSandBox: 'sandbox',
  DeadlineExceeded: 'deadline',
};

/** The class that a backend's reason names; null when it explains nothing. A full disk is told by the words of an eviction. */
export function classOfReason(reason: string | null, lines: readonly string[]): FailureClass | null {
  const named = reason === null ? undefined : classes[reason];
  if (named === 'evicted' && lines.some((line) => /ephemeral[- ]storage/i.test(line))) return 'disk-full';
  return named ?? null;
}

/** It may be at work still, in its own directory, until its node answers again. */
export function mayStillRun({ reason }: RankEnd): boolean {
  return reason === nodeUnreachable;
}
