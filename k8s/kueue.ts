/**
 * What Kueue says of a Job in one of its queues: why it waits, and that its place was taken away. Pure.
 *
 * Covers the Workload that Kueue makes for each Job. Does not cover stopping one (job-stop.ts), nor profiles without a queue.
 */
import type { JobStatus } from '../activities/backend.ts';
import { KubeError } from './kube-error.ts';
import type { SentJob } from './kube-types.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface Workload {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly active?: boolean };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly schedulingStats?: { readonly evictions?: readonly { readonly reason: string }[] };
  };
}

export const kueueGroup = 'kueue.x-k8s.io';
export const kueueVersion = 'v1beta2';
/** The first that serves that version. */
export const oldestKueue = '0.15';

/** On each Workload: the uid of its Job. */
export const workloadJobLabel = 'kueue.x-k8s.io/job-uid';

export const workloadsPath = (namespace: string): string =>
  `/apis/${kueueGroup}/${kueueVersion}/namespaces/${namespace}/workloads`;

/** Why Workloads cannot be read, and what mends it; null for trouble that passes. */
export function whyUnreadable(error: unknown, namespace: string): string | null {
  if (!(error instanceof KubeError)) return null;
  const says = 'what the queue says of waiting jobs, and that it took a place away, stays unknown';
  if (error.status === 404)
    return `${says}: the cluster has no Workloads of ${kueueGroup}/${kueueVersion}; install Kueue ${oldestKueue} or newer`;
  if (error.status === 403)
    return `${says}: ${error.message}; give the worker get, list, watch and patch on workloads.${kueueGroup} in namespace ${namespace}`;
  return null;
}

/** The status of a living job, with what its queue has to say of it. */
export function withQueue(status: JobStatus, job: SentJob, workload: Workload | undefined): JobStatus {
  if (workload === undefined || status.state === 'ended' || status.state === 'vanished' || status.state === 'stopping')
    return status;
  const evicted = evictionOf(workload);
  if (evicted !== null) return { ...status, evicted };
  return job.spec?.suspend === true ? { ...status, reason: waitOf(workload), waitsFor: 'queue' } : status;
}

/**
 * Also one that is over: the queue would let the same Job in again, and its pods would begin where this attempt began, in a directory that
 * was written already.
 */
function evictionOf({ status }: Workload) {
  const now = conditionOf(status?.conditions, 'Evicted');
  const reason = now?.status === 'True' ? now.reason : status?.schedulingStats?.evictions?.[0]?.reason;
  if (reason === undefined) return null;
  const as = reason === 'Preempted' ? ('preempted' as const) : ('queue-evicted' as const);
  return { as, because: now?.message ? `${reason}: ${now.message}` : reason };
}

function waitOf({ spec, status }: Workload): string {
  if (spec?.active === false) return 'somebody has deactivated it in its queue';
  const quota = conditionOf(status?.conditions, 'QuotaReserved');
  if (quota?.status === 'True') return 'its queue has reserved its quota, and checks something else first';
  const said = [quota?.reason, quota?.message].filter(Boolean).join(': ');
  return said === '' ? 'its queue has not looked at it yet' : `its queue has no place for it yet: ${said}`;
}

function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
