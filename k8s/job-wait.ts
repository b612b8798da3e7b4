/**
 * What a Job that lives does: it waits, and for what, it runs, or it is being stopped. Pure.
 *
 * Covers the state, its reason and since when, all from what the cluster keeps. Does not cover what one pod waits for (pod-wait.ts), ends
 * (job-state.ts), a queue (kueue.ts), nor for how long a job may wait (decisions/waiting.ts).
 */
import type { JobStatus, StopReason } from '../activities/backend.ts';
import type { ClusterEvent } from '../decisions/job-evidence.ts';
import type { WaitKind } from '../decisions/states.ts';
import type { SentJob, SeenPod } from './kube-types.ts';
import { annotations } from './labels.ts';
import { hasEnded, isRunning, startOf } from './pod-state.ts';
import { placedAt, type PodWait, waitOfPod } from './pod-wait.ts';
import { newest, oldest } from './timestamps.ts';

type Live = Extract<JobStatus, { reason: string | null }>;

/** Why Temper asked the job to stop; null when it did not. */
export function stopReasonOf(job: SentJob): StopReason | null {
  return (job.metadata.annotations?.[annotations.stopReason] ?? null) as StopReason | null;
}

export function liveStatus(job: SentJob, pods: readonly SeenPod[], events: readonly ClusterEvent[]): Live {
  const since = job.metadata.creationTimestamp;
  if (stopReasonOf(job) !== null || job.metadata.deletionTimestamp !== undefined)
    return { state: 'stopping', reason: stopReasonOf(job), since: job.metadata.deletionTimestamp ?? since };
  if (job.spec?.suspend === true)
    return { state: 'queued', reason: 'suspended: its queue has not let it in', since, waitsFor: 'queue' };
  const wanted = job.spec?.parallelism ?? 1;
  const running = pods.filter(isRunning);
  const left = pods.filter((pod) => !hasEnded(pod));
  if (running.length > 0 && pods.length >= wanted && left.length === running.length)
    return { state: 'running', reason: null, since: newest(running.map(startOf)) ?? since };
  if (left.length === 0 && pods.length >= wanted) return aboutToEnd(job, pods);
  const waits = left.flatMap((pod) => waitOfPod(pod, events) ?? []);
  const unmade = pods.length < wanted ? waitForPods(job, events) : [];
  return halfScheduled(left, [...waits, ...unmade]) ?? gravest([...waits, ...unmade]) ?? aboutToStart(job, pods);
}

/** In this order: what is told of a job whose pods wait for several things. */
const gravity: readonly WaitKind[] = [
  'admission',
  'config',
  'image-refused',
  'init-crashing',
  'mount',
  'sandbox',
  'device',
  'image-pull',
  'claim',
  'quota',
  'unschedulable',
  'pulling',
  'init',
  'starting',
];
const withoutPlace: readonly WaitKind[] = ['quota', 'unschedulable', 'claim'];

function gravest(waits: readonly PodWait[]): Live | null {
  const rank = ({ for: kind }: PodWait) => gravity.indexOf(kind);
  const [first] = waits.toSorted((one, other) => rank(one) - rank(other) || one.since.localeCompare(other.since));
  if (first === undefined) return null;
  const { for: kind, since, reason, node, isPlaced } = first;
  return {
    state: isPlaced ? 'starting' : 'queued',
    reason,
    since,
    waitsFor: kind,
    ...(node === undefined ? {} : { waitsOn: node }),
  };
}

/** Some of its pods hold their places, and wait there for others that find none: two such jobs may wait for each other for ever. */
function halfScheduled(left: readonly SeenPod[], waits: readonly PodWait[]): Live | null {
  const placed = left.flatMap((pod) => placedAt(pod) ?? []);
  const placeless = waits.filter(({ for: kind, isPlaced }) => !isPlaced && withoutPlace.includes(kind));
  const [first] = placeless;
  if (placed.length === 0 || first === undefined) return null;
  const since = newest([oldest(placed), oldest(placeless.map((wait) => wait.since))]);
  const reason = `${String(placed.length)} of its pods hold their places, ${String(placeless.length)} find none: ${first.reason ?? 'no word of why'}`;
  return { state: 'queued', reason, since: since ?? first.since, waitsFor: 'half-scheduled' };
}

/** The controller makes none: what it wrote down of that last. */
function waitForPods(job: SentJob, events: readonly ClusterEvent[]): PodWait[] {
  const refusals = events.filter(({ pod, reason }) => pod === null && reason === 'FailedCreate');
  const last = refusals.at(-1);
  if (last === undefined) return [];
  // The names of pods that never came to be are of no use to anybody, and other ones each time.
  const reason = last.message.replace(/^Error creating: (pods "[^"]*" is forbidden: )?/, '');
  const since = newest([job.status?.startTime ?? null, job.metadata.creationTimestamp]) ?? last.firstAt;
  return [{ for: kindOfRefusal(reason), reason, since, isPlaced: false }];
}

function kindOfRefusal(reason: string): WaitKind {
  if (/exceeded quota/i.test(reason)) return 'quota';
  // What the server could not do just now, it may do next.
  return /internal error|timed? ?out|connection refused|failed calling webhook|try again/i.test(reason)
    ? 'starting'
    : 'admission';
}

function aboutToStart(job: SentJob, pods: readonly SeenPod[]): Live {
  const since = job.status?.startTime ?? job.metadata.creationTimestamp;
  const reason = pods.length === 0 ? 'no pod was made yet' : null;
  return { state: 'queued', reason, since, waitsFor: 'starting' };
}

/** Its trainers have ended, and its Job has not yet: for a moment, or for as long as another container of a pod goes on. That is no wait to start. */
function aboutToEnd(job: SentJob, pods: readonly SeenPod[]): Live {
  const since = newest(pods.map(startOf)) ?? job.metadata.creationTimestamp;
  return { state: 'running', reason: 'its trainers have ended, its Job has not yet', since };
}
