/**
 * What a cluster said of one job, as it is kept when the job ends: conditions, pods, containers and events, in the cluster's own words.
 *
 * Covers its shape and reading it. Does not cover gathering it (k8s/evidence.ts), nor the logs, which lie beside it.
 */
import { z } from 'zod';

/** What the cluster wrote down about a job or one of its pods. */
export interface ClusterEvent {
  readonly type: 'Normal' | 'Warning';
  /** Such as `FailedMount`, `FailedCreate` or `Preempted`. */
  readonly reason: string;
  readonly message: string;
  /** The pod that it is about; null where it is about the job. */
  readonly pod: string | null;
  /** ISO 8601. */
  readonly firstAt: string;
  /** ISO 8601. */
  readonly lastAt: string;
  /** How often it was said, as far as the cluster counts. */
  readonly count: number;
}

/** Equal for the same said again: a Job that may have no pods tries with another name each time. */
export function eventKey({ reason, message }: Pick<ClusterEvent, 'reason' | 'message'>): string {
  return `${reason}: ${reason === 'FailedCreate' ? message.replace(/pods "[^"]*"/, 'pods') : message}`;
}

/** Everything that was kept of one job. Bounded in number and length: `omitted` says what did not fit. */
export interface JobEvidence {
  /** Of the job: equals `TEMPER_JOB_TOKEN`. */
  readonly uid: string;
  /** ISO 8601: when it was gathered. */
  readonly at: string;
  readonly conditions: readonly JobCondition[];
  /** In the order of their ranks; of one rank the older first. */
  readonly pods: readonly PodEvidence[];
  /** In the order in which they were last said. */
  readonly events: readonly ClusterEvent[];
  readonly omitted: { readonly pods: number; readonly events: number };
}

/** Of a job or a pod. */
export interface JobCondition {
  /** Such as `Failed`, `DisruptionTarget` or `PodScheduled`. */
  readonly type: string;
  readonly status: string;
  readonly reason: string | null;
  readonly message: string | null;
  /** ISO 8601. */
  readonly since: string | null;
}

export interface PodEvidence {
  readonly name: string;
  readonly rank: number;
  /** Empty where it was never given one. */
  readonly node: string;
  readonly phase: string | null;
  /** The kubelet's word for a pod that it ended or refused as a whole, such as `Evicted`. */
  readonly reason: string | null;
  readonly message: string | null;
  /** It vanished: this is what was last seen of it. */
  readonly isGone: boolean;
  /** ISO 8601: when it was asked to end; null where it was not. */
  readonly endingSince: string | null;
  /** Those that say something: disruptions, and what is not as it should be. */
  readonly conditions: readonly JobCondition[];
  /** Init containers first, in the order in which they run. */
  readonly containers: readonly ContainerEvidence[];
}

export interface ContainerEvidence {
  readonly name: string;
  readonly isInit: boolean;
  readonly restarts: number;
  /** Null where the cluster said nothing of it yet. */
  readonly state: ContainerState | null;
  /** How it ended before it was started again; null where it was not. */
  readonly before: ContainerState | null;
}

export type ContainerState =
  | { readonly kind: 'waiting'; readonly reason: string | null; readonly message: string | null }
  | { readonly kind: 'running'; readonly startedAt: string | null }
  | {
      readonly kind: 'ended';
      readonly exitCode: number;
      readonly signal: number | null;
      readonly reason: string | null;
      /** Its last words: what it wrote to `/dev/termination-log`, else the end of its log; of one that never began, why. */
      readonly message: string | null;
      /** Null where it never began. */
      readonly startedAt: string | null;
      readonly endedAt: string | null;
    };

/** Beside what the job wrote. */
export const jobEvidenceFile = 'job-evidence.json';

const text = z.string().nullable();
const condition = z.object({ type: z.string(), status: z.string(), reason: text, message: text, since: text });
const state = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('waiting'), reason: text, message: text }),
  z.object({ kind: z.literal('running'), startedAt: text }),
  z.object({
    kind: z.literal('ended'),
    exitCode: z.int(),
    signal: z.int().nullable(),
    reason: text,
    message: text,
    startedAt: text,
    endedAt: text,
  }),
]);
const container = z.object({
  name: z.string(),
  isInit: z.boolean(),
  restarts: z.int(),
  state: state.nullable(),
  before: state.nullable(),
});
const pod = z.object({
  name: z.string(),
  rank: z.int(),
  node: z.string(),
  phase: text,
  reason: text,
  message: text,
  isGone: z.boolean(),
  endingSince: text,
  conditions: z.array(condition),
  containers: z.array(container),
});
const event = z.object({
  type: z.enum(['Normal', 'Warning']),
  reason: z.string(),
  message: z.string(),
  pod: text,
  firstAt: z.string(),
  lastAt: z.string(),
  count: z.int(),
});
const evidence: z.ZodType<JobEvidence> = z.object({
  uid: z.string(),
  at: z.string(),
  conditions: z.array(condition),
  pods: z.array(pod),
  events: z.array(event),
  omitted: z.object({ pods: z.int(), events: z.int() }),
});

/** What a file holds, which lies where a trainer may write too; null when it is no evidence. */
export function parseJobEvidence(json: string): JobEvidence | null {
  try {
    return evidence.parse(JSON.parse(json));
  } catch {
    return null;
  }
}
