/**
 * What a backend's own words for an end mean: one table for all backends. Words that are not here (`Error`, `Completed`) explain nothing.
 *
 * Kubernetes' words are those of its kubelet, scheduler, node and Job controllers, and of its runtimes. Does not cover the order in which
 * evidence speaks (classify.ts, root-cause.ts).
 */
import type { FailureClass, RankEnd } from './failure.ts';

/** Temper's words, where the backend has none of its own. Nobody saw it end, and its node has not answered for so long that nobody waits for it. */
export const nodeUnreachable = 'NodeUnreachable';
/** It was told to end by somebody who is not Temper, and left no reason: `kubectl delete pod`. */
export const podDeleted = 'PodDeleted';
/** It is gone, and nobody saw it end: its node went, or somebody forced it away. */
export const podVanished = 'PodVanished';

/** A class, or several by what is said beside the word: the first that matches. */
type Meaning = FailureClass | readonly (readonly [RegExp, FailureClass])[];

const anything = /^/;

/** What a runtime says of a container that never began. */
const neverBegan: Meaning = [
  [/nvidia-container-cli|nvml|\bcdi\b|\/dev\/nvidia/i, 'hardware'],
  [
    /no space left|context deadline exceeded|resource temporarily unavailable|cgroup|reserve container name/i,
    'sandbox',
  ],
  [
    /no such file or directory|not found|permission denied|exec format error|is a directory|not a directory|no such user|unable to find user|argument list too long|read-only file system|no command specified/i,
    'config',
  ],
  [anything, 'sandbox'],
];

/** By what it used of a disk, also where that was the node's: another node has no more. What a node ran out of otherwise is the node's trouble. */
const evicted: Meaning = [
  [/EmptyDir volume "shared-memory" exceeds/, 'shm-too-small'],
  [/EmptyDir volume .* exceeds|ephemeral[- ](local )?storage/i, 'disk-full'],
  [anything, 'evicted'],
];

/** What the API server says of pods that a Job may not have. */
const refused: Meaning = [
  [/exceeded quota/, 'quota'],
  [/is forbidden|denied the request|is invalid/i, 'admission-denied'],
  [/failed calling webhook|connection refused|timeout|timed out|internal error/i, 'network'],
];

const meanings: Readonly<Record<string, Meaning>> = {
  OOMKilled: 'host-oom',

  Preempted: 'preempted',
  Preempting: 'preempted',
  PreemptionByScheduler: 'preempted',
  PreemptionByKubeScheduler: 'preempted',
  Evicted: evicted,
  EvictionByEvictionAPI: 'evicted',
  TerminationByKubelet: 'evicted',
  [podDeleted]: 'interrupted',

  DeletionByTaintManager: 'node-lost',
  TaintManagerEviction: 'node-lost',
  DeletionByPodGC: 'node-lost',
  NodeLost: 'node-lost',
  NodeNotReady: 'node-lost',
  NodeShutdown: 'node-lost',
  Shutdown: 'node-lost',
  // Of a pod that a node ended before it shut down.
  Terminated: 'node-lost',
  ContainerStatusUnknown: 'node-lost',
  [nodeUnreachable]: 'node-lost',
  [podVanished]: 'node-lost',
  'machine-restarted': 'node-lost',

  Unschedulable: 'unschedulable',
  SchedulerError: 'unschedulable',
  FailedScheduling: 'unschedulable',
  NodeAffinity: 'unschedulable',
  NodeName: 'unschedulable',
  NodePorts: 'unschedulable',
  TaintToleration: 'unschedulable',
  TopologyAffinityError: 'unschedulable',
  InvalidNodeInfo: 'unschedulable',
  UnknownReason: 'unschedulable',
  UnexpectedPredicateFailureType: 'unschedulable',
  // A device plug-in that has not all its devices.
  UnexpectedAdmissionError: 'hardware',
  DeletionByDeviceTaintManager: 'hardware',

  AppArmor: 'config',
  SysctlForbidden: 'config',
  PodOSNotSupported: 'config',
  PodOSSelectorNodeLabelDoesNotMatch: 'config',
  PodFeatureUnsupported: 'config',
  PodLevelResourcesNotSupported: 'config',
  SupplementalGroupsPolicyNotSupported: 'config',
  InitContainerRestartPolicyForbidden: 'config',

  ErrImagePull: 'image-pull',
  ImagePullBackOff: 'image-pull',
  ImageInspectError: 'image-pull',
  RegistryUnavailable: 'image-pull',
  InvalidImageName: 'config',
  ErrImageNeverPull: 'config',
  SignatureValidationFailed: 'config',
  CreateContainerConfigError: 'config',
  PreCreateHookError: 'config',
  PreStartHookError: 'config',
  PostStartHookError: 'config',
  CreateContainerError: neverBegan,
  RunContainerError: neverBegan,
  StartError: neverBegan,
  ContainerCannotRun: neverBegan,

  FailedMount: 'mount',
  FailedMapVolume: 'mount',
  FailedAttachVolume: 'mount',
  FailedCreatePodSandBox: 'sandbox',
  FailedCreatePodContainer: 'sandbox',
  FailedPrepareDynamicResources: 'sandbox',
  CreatePodSandboxError: 'sandbox',
  ConfigPodSandboxError: 'sandbox',
  NetworkNotReady: 'sandbox',

  FailedCreate: refused,
  DeadlineExceeded: 'deadline',
  // Of a Job whose pods nobody can be asked about any more.
  PodFailurePolicy: [
    [/condition DisruptionTarget/, 'evicted'],
    [/condition ConfigIssue|exit code (64|78)\b/, 'config'],
    [/exit code 65\b/, 'data-missing'],
  ],
};

/** The class that a backend's word names, with what is said beside it; null when it explains nothing. */
export function classOfReason(reason: string | null, words: readonly string[]): FailureClass | null {
  if (reason === null) return null;
  if (/^OutOf/.test(reason)) return 'unschedulable';
  const meaning = meanings[reason] ?? null;
  if (meaning === null || typeof meaning === 'string') return meaning;
  const text = words.join('\n');
  return meaning.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** What the backend says beside its word for an end; of older records, and where no log was had, that stands in place of the log. */
export function wordsBeside({ message, lastLines }: RankEnd): readonly string[] {
  return message === undefined ? lastLines : [message];
}

/** It may be at work still, in its own directory, until its node answers again. */
export function mayStillRun({ reason }: RankEnd): boolean {
  return reason === nodeUnreachable;
}
