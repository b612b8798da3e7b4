/**
 * What is kept of a job: what the cluster says of its Job, its pods, their containers, and what it wrote down about them. Pure.
 *
 * Bounded: 100 events, 64 pods of 8 containers each, 2,000 characters a text and fewer where all would be more than 256 KiB. Does not cover
 * which pods those are (telling-pods.ts), the file (evidence-file.ts), nor what anything means (decisions/).
 */
import {
  type ContainerEvidence,
  type ContainerState,
  eventKey,
  type JobCondition,
  type ClusterEvent,
  type JobEvidence,
  type PodEvidence,
} from '../decisions/job-evidence.ts';
import type { SeenPod, SentJob } from './kube-types.ts';
import { podIndex } from './pod-state.ts';
import { mostTelling } from './telling-pods.ts';

/** All that is known of a job now. */
export interface SeenJob {
  readonly job: SentJob;
  readonly pods: readonly SeenPod[];
  readonly events: readonly ClusterEvent[];
}

export const mostEvents = 100;
export const mostPods = 64;
const mostContainers = 8;
const mostConditions = 8;
export const mostBytes = 256 * 1024;
/** Characters of a text: the first with which all fits. */
const textLengths = [2000, 500, 100];

/**
 * What is seen of a job now, with what was kept of it before: what went meanwhile stays, as it was last seen. What is too much is cut once,
 * from all of it together.
 */
export function evidenceOf(
  { job, pods: seenPods, events: seenEvents }: SeenJob,
  at: Date,
  before?: JobEvidence,
): JobEvidence {
  const now = seenPods.map(podEvidence);
  const names = new Set(now.map(({ name }) => name));
  const gone = before?.pods.filter(({ name }) => !names.has(name)).map((pod) => ({ ...pod, isGone: true })) ?? [];
  const said = new Map(
    [...(before?.events ?? []), ...seenEvents].map((event) => [`${event.pod ?? ''} ${eventKey(event)}`, event]),
  );
  const conditions = conditionsOf(job.status?.conditions ?? []);
  const whole = {
    uid: job.metadata.uid,
    at: at.toISOString(),
    conditions: conditions.length > 0 ? conditions : (before?.conditions ?? []),
    pods: [...gone, ...now],
    events: [...said.values()],
  };
  return fitted(whole, { pods: numberOf(before, 'pods'), events: numberOf(before, 'events') });
}

type Omitted = JobEvidence['omitted'];

/** What there was of it, kept or not. */
function numberOf(before: JobEvidence | undefined, of: keyof Omitted): number {
  return before === undefined ? 0 : before[of].length + before.omitted[of];
}

/** `known` is how many there were before: what was left out then has no name, and may be among what is seen now. */
function fitted(whole: Omit<JobEvidence, 'omitted'>, known: Omitted): JobEvidence {
  const pods = mostTelling(whole.pods, whole.conditions, mostPods);
  const events = whole.events.toSorted((one, other) => one.lastAt.localeCompare(other.lastAt)).slice(-mostEvents);
  const all = {
    pods: Math.max(known.pods, whole.pods.length),
    events: Math.max(known.events, whole.events.length),
  };
  const omitted = { pods: all.pods - pods.length, events: all.events - events.length };
  for (const longest of textLengths) {
    const json = jsonOf({ ...whole, pods, events, omitted }, longest);
    if (Buffer.byteLength(json) <= mostBytes) return JSON.parse(json) as JobEvidence;
  }
  const withoutEvents = { ...whole, pods, events: [], omitted: { ...omitted, events: all.events } };
  return JSON.parse(jsonOf(withoutEvents, textLengths.at(-1) ?? 0)) as JobEvidence;
}

/** Of a text that is too long the end stays, where the last words are. */
function jsonOf(evidence: JobEvidence, longest: number): string {
  return JSON.stringify(evidence, (_key, value: unknown) =>
    typeof value === 'string' && value.length > longest ? `…${value.slice(1 - longest)}` : value,
  );
}

function podEvidence(pod: SeenPod): PodEvidence {
  const { phase = null, reason = null, message = null, conditions = [] } = pod.status ?? {};
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  return {
    name: pod.metadata.name,
    rank: podIndex(pod),
    node: pod.spec?.nodeName ?? '',
    phase,
    reason,
    message,
    isGone: pod.isGone === true,
    endingSince: pod.endingSince ?? pod.metadata.deletionTimestamp ?? null,
    conditions: conditionsOf(conditions.filter(saysSomething)),
    containers: [
      ...initContainerStatuses.map((status) => containerEvidence(status, true)),
      ...containerStatuses.map((status) => containerEvidence(status, false)),
    ].slice(0, mostContainers),
  };
}

/** That a pod is scheduled, ready and the like is told by its containers. */
function saysSomething({ type, status }: { readonly type: string; readonly status: string }): boolean {
  return type === 'DisruptionTarget' || type === 'ConfigIssue' || status !== 'True';
}

interface SentCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

function conditionsOf(conditions: readonly SentCondition[]): JobCondition[] {
  return conditions
    .slice(-mostConditions)
    .map(({ type, status, reason = null, message = null, lastTransitionTime: since = null }) => ({
      type,
      status,
      reason,
      message,
      since,
    }));
}

type ContainerStatus = NonNullable<NonNullable<SeenPod['status']>['containerStatuses']>[number];

function containerEvidence(status: ContainerStatus, isInit: boolean): ContainerEvidence {
  const { name, restartCount: restarts, state, lastState } = status;
  return { name, isInit, restarts, state: stateOf(state), before: stateOf(lastState) };
}

function stateOf({ waiting, running, terminated }: NonNullable<ContainerStatus['state']> = {}): ContainerState | null {
  if (terminated !== undefined) {
    const { exitCode, signal = null, reason = null, message = null, startedAt, finishedAt } = terminated;
    const times = { startedAt: timeOf(startedAt), endedAt: timeOf(finishedAt) };
    return { kind: 'ended', exitCode, signal, reason, message, ...times };
  }
  if (running !== undefined) return { kind: 'running', startedAt: timeOf(running.startedAt) };
  if (waiting === undefined) return null;
  return { kind: 'waiting', reason: waiting.reason ?? null, message: waiting.message ?? null };
}

/** Of what never was, a cluster says null or 1970. */
function timeOf(time: string | null | undefined): string | null {
  return !time || time.startsWith('1970') ? null : time;
}
