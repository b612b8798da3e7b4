/**
 * What one pod that does not run yet waits for, and since when, from its conditions, its containers, and what was written down about it. Pure.
 *
 * Volumes and sandboxes fail in events alone: the pod only says `ContainerCreating`. Does not cover its Job (job-wait.ts), nor bounds
 * (decisions/wait-rules.ts).
 */
import { classOfReason } from '../decisions/backend-reasons.ts';
import type { FailureClass } from '../decisions/failure.ts';
import type { ClusterEvent } from '../decisions/job-evidence.ts';
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
export function waitOfPod(pod: SeenPod, events: readonly ClusterEvent[]): PodWait | null {
  if (hasEnded(pod)) return null;
  const since = placedAt(pod);
  if (since === null) return waitForNode(pod);
  if (containerOf(pod)?.state?.running !== undefined) return null;
  const inits = pod.status?.initContainerStatuses ?? [];
  const begun = newest([since, ...inits.map(({ state }) => state?.terminated?.finishedAt)]) ?? since;
  const own = events.filter((event) => event.pod === pod.metadata.name && event.lastAt >= begun);
  return { isPlaced: true, ...(waitForInit(pod, begun) ?? waitForContainer(pod, { begun, own })) };
}

function waitForNode(pod: SeenPod): PodWait {
  const since = pod.metadata.creationTimestamp;
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status !== 'False') return { for: 'unschedulable', reason: null, since, isPlaced: false };
  const reason = said(scheduled);
  const isClaim = /persistentvolumeclaim/i.test(reason ?? '');
  return {
    for: isClaim ? 'claim' : 'unschedulable',
    reason: isClaim ? reasonOfClaim(pod, reason ?? '') : reason,
    since: scheduled.lastTransitionTime ?? since,
    isPlaced: false,
  };
}

/** The scheduler names no claim, and what it says after its sentence is of its preemption; why a claim is not bound its own events tell. */
function reasonOfClaim({ spec, metadata }: SeenPod, reason: string): string {
  const words = reason.replace(/\. not found$/, '');
  const claims = spec?.volumes?.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []) ?? [];
  if (claims.length === 0) return words;
  const where = metadata.namespace === undefined ? '' : `-n ${metadata.namespace} `;
  return `${words}: of ${claims.join(', ')}; kubectl ${where}describe pvc ${claims.join(' ')} tells why`;
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
  /** Since when it is at its present container: it has its node, and those before have ended. */
  readonly begun: string;
  /** Events of this pod since then, in the order in which they were last said. */
  readonly own: readonly ClusterEvent[];
}

/** Between two tries a kubelet says this before what it said of the last one: one trouble has one text. */
const backOff = /^ImagePullBackOff: Back-off pulling image "[^"]*": (?=ErrImagePull: )/;
const failuresOfContainers = ['Failed', 'BackOff', 'InspectFailed', 'ErrImageNeverPull'];

function waitForContainer(pod: SeenPod, { begun, own }: Seen): PlacedWait {
  const waiting = firstWaiting(pod);
  const reason = said(waiting)?.replace(backOff, '') ?? null;
  const made = sandboxMadeAt(pod);
  const sinceFirst = (events: readonly ClusterEvent[]) => newest([begun, oldestOf(events)]) ?? begun;
  const kind = kindOfWaiting(waiting?.reason, reason ?? '');
  if (kind !== null) {
    const failures = own.filter((event) => failuresOfContainers.includes(event.reason));
    const since = failures.length > 0 ? sinceFirst(failures) : (newest([begun, made]) ?? begun);
    return { for: kind, reason, since, ...nodeOf(pod, kind) };
  }
  const told = own.flatMap((event) => {
    const of = kindOfEvent(event, made !== null);
    return of === null ? [] : [{ event, of }];
  });
  const last = told.at(-1);
  if (last === undefined || last.of === 'starting')
    return { for: 'starting', reason, since: newest([begun, made, last?.event.lastAt]) ?? begun };
  const { event, of } = last;
  // Each image is another pull; a volume fails in several words.
  const same = of === 'pulling' ? [event] : own.filter((one) => one.reason === event.reason);
  return { for: of, reason: `${event.reason}: ${event.message}`, since: sinceFirst(same), ...nodeOf(pod, of) };
}

/** Where it is, where that is the node's trouble. */
function nodeOf({ spec }: SeenPod, kind: WaitKind): { readonly node?: string } {
  const isOfNode = ['image-pull', 'mount', 'sandbox', 'device'].includes(kind);
  return isOfNode && spec?.nodeName !== undefined ? { node: spec.nodeName } : {};
}

/** Of what is to run, the first that cannot, or else the last: each init container comes before the trainer. */
function firstWaiting({ status }: SeenPod) {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const waiting = containers.flatMap(({ state }) => state?.waiting ?? []);
  return waiting.find(({ reason }) => kindOfWaiting(reason, '') !== null) ?? waiting.at(-1);
}

/** What a job waits for while its pod says what would be of this class at its end. */
const kindsOfClasses: Partial<Readonly<Record<FailureClass, WaitKind>>> = {
  'image-pull': 'image-pull',
  config: 'config',
  sandbox: 'sandbox',
  hardware: 'device',
};

function kindOfWaiting(reason: string | undefined, words: string): WaitKind | null {
  const name = classOfReason(reason ?? null, [words]);
  const kind = name === null ? undefined : kindsOfClasses[name];
  return kind === 'image-pull' && isRefusal(words) ? 'image-refused' : (kind ?? null);
}

/** The registry's own word that it has no such image, or not for us. */
const refusal =
  /not ?found|manifest unknown|unauthorized|authentication required|access denied|requested access .* denied|no basic auth|insufficient_scope|\b40[13]\b/i;

/** Names of images and addresses may hold any word, and are no words of a registry. */
function isRefusal(words: string): boolean {
  const quoted = [...words.matchAll(/"([^"]+)"/g)].flatMap(([, name]) => name ?? []);
  const bare = quoted.reduce((text, name) => text.replaceAll(name, ''), words);
  return refusal.test(bare.replace(/https?:\/\/\S+|lookup \S+/g, ''));
}

/** Before its sandbox is made, volumes and the sandbox itself may fail; after it, images are pulled, which some kubelets say sooner than that it is made. */
function kindOfEvent({ reason, message }: ClusterEvent, isMade: boolean): WaitKind | null {
  switch (reason) {
    case 'Pulling':
      return 'pulling';
    case 'Pulled':
      return 'starting';
    case 'FailedMount':
    case 'FailedAttachVolume':
      if (isMade) return null;
      return /(secret|configmap) "[^"]*" not found|non-existent (secret|config) key/i.test(message)
        ? 'config'
        : 'mount';
    case 'FailedCreatePodSandBox':
      return isMade ? null : 'sandbox';
    default:
      return null;
  }
}

function sandboxMadeAt(pod: SeenPod): string | null {
  const made = conditionOf(pod, 'PodReadyToStartContainers');
  return made?.status === 'True' ? (made.lastTransitionTime ?? null) : null;
}

function oldestOf(events: readonly ClusterEvent[]): string | null {
  return oldest(events.map(({ firstAt }) => firstAt));
}

function conditionOf({ status }: SeenPod, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}

function said(words: { readonly reason?: string; readonly message?: string } | undefined): string | null {
  return [words?.reason, words?.message].filter(Boolean).join(': ') || null;
}
