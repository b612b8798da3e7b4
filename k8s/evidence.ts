/**
 * What is kept of a job: what the cluster says of its Job, its pods, their containers, and what it wrote down about them. Pure.
 *
 * Bounded: 100 events, 64 pods (those in trouble before those that did well) of 8 containers each, 2,000 characters a text and fewer where
 * all would be more than 256 KiB. Does not cover the file (evidence-file.ts), nor what anything means (decisions/).
 */
import {
  type ContainerEvidence,
  type ContainerState,
  eventKey,
  type JobCondition,
  type JobEvent,
  type JobEvidence,
  type PodEvidence,
} from '../decisions/job-evidence.ts';
import type { SeenPod, SentJob } from './kube-types.ts';
import { podIndex } from './pod-state.ts';

/** All that is known of a job now. */
export interface SeenJob {
  readonly job: SentJob;
  readonly pods: readonly SeenPod[];
  readonly events: readonly JobEvent[];
}

export const mostEvents = 100;
export const mostPods = 64;
const mostContainers = 8;
const mostConditions = 8;
export const mostBytes = 256 * 1024;
/** Characters of a text: the first with which all fits. */
const textLengths = [2000, 500, 100];

export function evidenceOf({ job, pods, events }: SeenJob, at: Date): JobEvidence {
  return fitted({
    uid: job.metadata.uid,
    at: at.toISOString(),
    conditions: conditionsOf(job.status?.conditions ?? []),
    pods: pods.map(podEvidence),
    events,
    omitted: { pods: 0, events: 0 },
  });
}

/** Of one job, what was kept before with what is seen now: what went meanwhile stays, as it was last seen. */
export function joinedEvidence(before: JobEvidence, now: JobEvidence): JobEvidence {
  const seen = new Set(now.pods.map(({ name }) => name));
  const gone = before.pods.filter(({ name }) => !seen.has(name)).map((pod) => ({ ...pod, isGone: true }));
  const said = new Map(
    [...before.events, ...now.events].map((event) => [`${event.pod ?? ''} ${eventKey(event)}`, event]),
  );
  return fitted({
    ...now,
    conditions: now.conditions.length > 0 ? now.conditions : before.conditions,
    pods: [...gone, ...now.pods],
    events: [...said.values()],
    omitted: {
      pods: Math.max(before.omitted.pods, now.omitted.pods),
      events: Math.max(before.omitted.events, now.omitted.events),
    },
  });
}

function fitted(whole: JobEvidence): JobEvidence {
  const pods = whole.pods.toSorted((one, other) => Number(didWell(one)) - Number(didWell(other))).slice(0, mostPods);
  const events = whole.events.toSorted((one, other) => one.lastAt.localeCompare(other.lastAt)).slice(-mostEvents);
  const bounded = {
    ...whole,
    pods: pods.toSorted((one, other) => one.rank - other.rank),
    events,
    omitted: {
      pods: whole.omitted.pods + whole.pods.length - pods.length,
      events: whole.omitted.events + whole.events.length - events.length,
    },
  };
  const cuts = textLengths.map((longest) => () => withTexts(bounded, longest));
  const fits = cuts.map((cut) => cut()).find((cut) => Buffer.byteLength(JSON.stringify(cut)) <= mostBytes);
  return fits ?? withTexts({ ...bounded, events: [] }, textLengths.at(-1) ?? 0);
}

function didWell({ containers }: PodEvidence): boolean {
  return containers.every(({ state }) => state?.kind === 'ended' && state.exitCode === 0);
}

/** Every text at its end, where the last words are, but for its beginning. */
function withTexts(evidence: JobEvidence, longest: number): JobEvidence {
  const cut = (_key: string, value: unknown) =>
    typeof value === 'string' && value.length > longest ? `…${value.slice(1 - longest)}` : value;
  return JSON.parse(JSON.stringify(evidence, cut)) as JobEvidence;
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
