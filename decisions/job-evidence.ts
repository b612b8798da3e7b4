/**
 * What a cluster said of one job, as it is kept when the job ends: conditions, pods, containers and events, in the cluster's own words.
 *
 * Types only, for whoever reads it: what a person reads of it, and what names a class. Does not cover gathering (k8s/evidence.ts), nor the
 * logs, which lie beside it.
 */

/** What the cluster wrote down about a job or one of its pods. */
export interface JobEvent {
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
