/**
 * Every label and annotation that Temper puts on objects of a cluster, in one place. People select by them: `kubectl get jobs -l temper.dev/phase=sft`.
 *
 * Labels hold what is selected, cut to what Kubernetes allows; annotations hold the whole text. Does not cover objects' names (decisions/job-name.ts).
 */
import { slug } from '../decisions/job-name.ts';

const domain = 'temper.dev';

export const labels = {
  /** On everything of Temper: what its one watch selects, and its reaper deletes. */
  managed: `${domain}/managed`,
  pipeline: `${domain}/pipeline`,
  phase: `${domain}/phase`,
  kind: `${domain}/kind`,
  /** Counts the jobs of a phase that train; those that evaluate or seal have counts of their own. */
  attempt: `${domain}/attempt`,
  /** By phase and step, such as `sft-20`: what a job evaluates or seals. */
  checkpoint: `${domain}/checkpoint`,
  benchmark: `${domain}/benchmark`,
  kueueQueue: 'kueue.x-k8s.io/queue-name',
  kueuePriority: 'kueue.x-k8s.io/priority-class',
} as const;

export const annotations = {
  workflowId: `${domain}/workflow-id`,
  pipeline: `${domain}/pipeline`,
  phase: `${domain}/phase`,
  /** The attempt's own directory: whoever finds a Job of its name knows by it whether it is the one that was asked for. */
  directory: `${domain}/directory`,
  /** Who that directory belongs to: another Temper may use the same namespace, the same names and the same paths, on another volume. */
  owner: `${domain}/owner`,
  /** How many pods of which role, in the order of their indexes; absent where all pods do the same. */
  roles: `${domain}/roles`,
  /** Why Temper asked the job to stop. */
  stopReason: `${domain}/stop-reason`,
} as const;

/** On what doctor makes for a moment, and on nothing else: it is no job of Temper's. */
export const doctorLabel = `${domain}/doctor`;

/** Set by the Job controller on each pod: the Job's uid. */
export const jobUidLabel = 'batch.kubernetes.io/controller-uid';
/** Set by the Job controller on each pod of an indexed Job. */
export const podIndexAnnotation = 'batch.kubernetes.io/job-completion-index';
/** Set by NVIDIA's feature discovery on nodes. */
export const gpuProductLabel = 'nvidia.com/gpu.product';

const longestLabel = 63;

/** Any text as a label's value; two texts may come out alike, the annotation tells them apart. */
export function labelValue(text: string): string {
  return slug(text, longestLabel) || 'x';
}
