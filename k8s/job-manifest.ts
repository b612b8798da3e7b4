/**
 * One attempt as a Job of Kubernetes, from what is asked and the profile alone: the same input gives the same bytes.
 *
 * An indexed Job of `nodes` pods that retries nothing: attempts are Temper's. Covers the Job and the Service that its pods meet by. Does
 * not cover pods (pod-template.ts) or creating it.
 */
import { createHash } from 'node:crypto';
import type { KubernetesProfile } from '../configs/schema-profile.ts';
import { needsOf } from './job-needs.ts';
import type { Job, Service } from './kube-types.ts';
import { annotations, labelValue, labels } from './labels.ts';
import { podTemplate, trainerContainer } from './pod-template.ts';

/** What is to run. */
export interface JobOrder {
  readonly name: string;
  /** On the store, as pods and worker see it. */
  readonly directory: string;
  readonly requestPath: string;
  /** Kind of the phase, or `evaluate`. */
  readonly kind: string;
  readonly pipeline: string;
  readonly phase: string;
  readonly attempt: number;
  readonly workflowId: string;
}

/** Exit codes that no retry mends, as the trainer contract has them. */
const hopelessExitCodes = [64, 65, 78];
/** The result is recorded long before; what nobody deleted goes after this. */
const longestLifeSeconds = 7 * 24 * 3600;

/** Throws `invalid-input` where the profile has no image for the job, or a pod template that cannot be merged. */
export function jobManifest(order: JobOrder, profile: KubernetesProfile): Job {
  const needs = needsOf(profile, order);
  const own = labelsOf(order);
  const spec: Job['spec'] = {
    completionMode: 'Indexed',
    completions: needs.nodes,
    parallelism: needs.nodes,
    backoffLimit: 0,
    podReplacementPolicy: 'Failed',
    ttlSecondsAfterFinished: longestLifeSeconds,
    // With no retries a rule only gives the failure its name.
    podFailurePolicy: {
      rules: [
        {
          action: 'FailJob',
          onExitCodes: { containerName: trainerContainer, operator: 'In', values: hopelessExitCodes },
        },
        { action: 'FailJob', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        { action: 'FailJob', onPodConditions: [{ type: 'ConfigIssue', status: 'True' }] },
      ],
    },
    template: podTemplate({ jobName: order.name, requestPath: order.requestPath, needs, profile, labels: own }),
  };
  const metadata = {
    name: order.name,
    namespace: profile.namespace,
    labels: { ...own, ...queueLabels(profile) },
    annotations: {
      [annotations.workflowId]: order.workflowId,
      [annotations.pipeline]: order.pipeline,
      [annotations.phase]: order.phase,
      [annotations.directory]: order.directory,
    },
  };
  const digest = createHash('sha256').update(JSON.stringify({ metadata, spec })).digest('hex');
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotations.specDigest]: digest } },
    spec,
  };
}

/** The headless Service that gives pods their names: one for all Jobs of a namespace. */
export function rendezvousService({ namespace, rendezvousService: name }: KubernetesProfile): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: { [labels.managed]: 'true', 'app.kubernetes.io/part-of': 'temper' } },
    spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: { [labels.managed]: 'true' } },
  };
}

function labelsOf({ kind, pipeline, phase, attempt }: JobOrder): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'temper-job',
    'app.kubernetes.io/part-of': 'temper',
    'app.kubernetes.io/managed-by': 'temper',
    [labels.managed]: 'true',
    [labels.pipeline]: labelValue(pipeline),
    [labels.phase]: labelValue(phase),
    [labels.kind]: labelValue(kind),
    [labels.attempt]: String(attempt),
  };
}

/** Kueue suspends what carries its label, and lets it go on when there is quota. */
function queueLabels({ queue }: KubernetesProfile): Record<string, string> {
  if (queue === undefined) return {};
  return {
    [labels.kueueQueue]: queue.kueue,
    ...(queue.priorityClass === undefined ? {} : { [labels.kueuePriority]: queue.priorityClass }),
  };
}
