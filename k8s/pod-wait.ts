/**
 * What one pod that does not run yet waits for, and since when, from its conditions, its containers, and what was written down about it. Pure.
 *
 * Volumes and sandboxes fail in events alone: the pod only says `ContainerCreating`. Does not cover its Job (job-wait.ts), nor bounds
 * (decisions/wait-rules.ts).
 */
import type { JobEvent } from '../decisions/job-evidence.ts';
import type { WaitKind } from '../decisions/states.ts';
import type { SeenPod } from './kube-types.ts';
import { containerOf, hasEnded } from './pod-state.ts';
import { newest, oldest } from './timestamps.ts';

export interface PodWait {
  readonly for: WaitKind;
  readonly reason: string | null;
  /** ISO 8601. */
  readonly since: string;
  /** Where it is one node's trouble. */
  readonly node?: string;
  /** It holds its place, and what belongs to it. */
  readonly isPlaced: boolean;
}

/** When it got its node; null while it has none. */
export function placedAt(pod: SeenPod): string | null {
  const scheduled = conditionOf(pod, 'PodScheduled');
  return scheduled?.status === 'True' ? (scheduled.lastTransitionTime ?? pod.metadata.creationTimestamp) : null;
}

/** Null for one that runs or has ended. */
export function waitOfPod(pod: SeenPod, events: readonly JobEvent[]): PodWait | null {
  if (hasEnded(pod)) return null;
  const since = placedAt(pod);
  if (since === null) return waitForNode(pod);
  if (containerOf(pod)?.state?.running !== undefined) return null;
  const own = events.filter((event) => event.pod === pod.metadata.name && event.lastAt >= since);
  const begun = begunAt(pod) ?? since;
  return { isPlaced: true, ...(waitForInit(pod, begun) ?? waitForContainer(pod, { since: begun, own })) };
}

function waitForNode(pod: SeenPod): PodWait {
  const since = pod.metadata.creationTimestamp;
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status !== 'False') return { for: 'unschedulable', reason: null, since, isPlaced: false };
  const reason = said(scheduled);
  const isClaim = /persistentvolumeclaim/i.test(reason ?? '');
  return {
    for: isClaim ? 'claim' : 'unschedulable',
    reason,
    since: scheduled.lastTransitionTime ?? since,
    isPlaced: false,
  };
}

type PlacedWait = Omit<PodWait, 'isPlaced'>;

/** An init container that runs, or that runs and dies again and again, as those beside the trainer may. */
function waitForInit(pod: SeenPod, since: string): PlacedWait | null {
  for (const { name, state, restartCount } of pod.status?.initContainerStatuses ?? []) {
    const words = said(state?.waiting);
    if (state?.waiting?.reason === 'CrashLoopBackOff')
      return { for: 'init-crashing', reason: `${name} (${String(restartCount)} times): ${words ?? ''}`, since };
    const isBeside = pod.spec?.initContainers?.some((one) => one.name === name && one.restartPolicy === 'Always');
    if (state?.running !== undefined && !isBeside)
      return { for: 'init', reason: `${name} runs`, since: state.running.startedAt ?? since };
  }
  return null;
}

interface Seen {
  readonly since: string;
  /** Events of this pod since it has its node, in the order in which they were last said. */
  readonly own: readonly JobEvent[];
}

function waitForContainer(pod: SeenPod, { since, own }: Seen): PlacedWait {
  const waiting = firstWaiting(pod);
  const reason = said(waiting);
  const node = pod.spec?.nodeName;
  const on = node === undefined ? {} : { node };
  const kind = kindOfWaiting(waiting?.reason, reason ?? '');
  if (kind !== null) {
    const failures = own.filter((event) =>
      ['Failed', 'BackOff', 'InspectFailed', 'ErrImageNeverPull'].includes(event.reason),
    );
    return { for: kind, reason, since: firstOf(failures) ?? since, ...(kind === 'image-pull' ? on : {}) };
  }
  const last = own.findLast((event) => kindOfEvent(pod, event) !== null);
  const told = last === undefined ? null : kindOfEvent(pod, last);
  if (last === undefined || told === null) return { for: 'starting', reason, since };
  const same = own.filter((event) => event.reason === last.reason);
  return {
    for: told,
    reason: `${last.reason}: ${last.message}`,
    since: firstOf(same) ?? since,
    ...(told === 'mount' || told === 'sandbox' ? on : {}),
  };
}

/** Of what is to run, the first that cannot: each init container comes before the trainer. */
function firstWaiting({ status }: SeenPod) {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const waiting = containers.flatMap(({ state }) => state?.waiting ?? []);
  return waiting.find(({ reason }) => kindOfWaiting(reason, '') !== null) ?? containerWaiting(waiting);
}

const containerWaiting = <One>(waiting: readonly One[]): One | undefined => waiting.at(-1);

/** The registry's own word that it has no such image, or not for us. */
const refusal =
  /not ?found|manifest unknown|unauthorized|authentication required|access denied|requested access .* denied|no basic auth|insufficient_scope|\b40[13]\b/i;

function kindOfWaiting(reason: string | undefined, words: string): WaitKind | null {
  switch (reason) {
    case 'ErrImagePull':
    case 'ImagePullBackOff':
    case 'ImageInspectError':
    case 'RegistryUnavailable':
      return refusal.test(words) ? 'image-refused' : 'image-pull';
    case 'SignatureValidationFailed':
      return 'image-refused';
    case 'CreateContainerConfigError':
    case 'CreateContainerError':
    case 'RunContainerError':
    case 'InvalidImageName':
    case 'ErrImageNeverPull':
      return 'config';
    default:
      return null;
  }
}

/** Before its sandbox is made, volumes and the sandbox itself may fail; after it, images are pulled. */
function kindOfEvent(pod: SeenPod, { reason, message }: JobEvent): WaitKind | null {
  const isMade = conditionOf(pod, 'PodReadyToStartContainers')?.status === 'True';
  if (isMade) return reason === 'Pulling' ? 'pulling' : null;
  if (reason === 'FailedMount' || reason === 'FailedAttachVolume')
    return /(secret|configmap) "[^"]*" not found|non-existent (secret|config) key/i.test(message) ? 'config' : 'mount';
  return reason === 'FailedCreatePodSandBox' ? 'sandbox' : null;
}

/** Since when it has gone on from what was before: its sandbox is made, its init containers have ended. */
function begunAt(pod: SeenPod): string | null {
  const made = conditionOf(pod, 'PodReadyToStartContainers');
  const ends = pod.status?.initContainerStatuses?.map(({ state }) => state?.terminated?.finishedAt) ?? [];
  return newest([placedAt(pod), made?.status === 'True' ? made.lastTransitionTime : null, ...ends]);
}

function firstOf(events: readonly JobEvent[]): string | null {
  return oldest(events.map(({ firstAt }) => firstAt));
}

function conditionOf({ status }: SeenPod, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}

function said(words: { readonly reason?: string; readonly message?: string } | undefined): string | null {
  return [words?.reason, words?.message].filter(Boolean).join(': ') || null;
}
