/**
 * One attempt as a Job of Kubernetes, from what is asked and the profile alone: the same input gives the same bytes.
 *
 * An indexed Job of `nodes` pods, and those of further roles, that retries nothing: attempts are Temper's. Covers the Job and the Service that its pods meet by. Does
 * not cover pods (pod-template.ts) or creating it.
 */
import type { JobSpec } from '../activities/backend.ts';
import { type JobNeeds, needsOf } from '../configs/job-needs.ts';
import type { KubernetesProfile } from '../configs/schema-profile.ts';
import type { Job, Service } from './kube-types.ts';
import { annotations, labelValue, labels } from './labels.ts';
import { podCount, type PodRole, podRoles, rolesText } from './pod-roles.ts';
import { podTemplate, trainerContainer } from './pod-template.ts';
import { timesQuantity } from './quantity.ts';

/** What is to run. */
export type JobOrder = Omit<JobSpec, 'slots'>;

/** Exit codes that no retry mends, as the trainer contract has them. */
const hopelessExitCodes = [64, 65, 78];
/** The result is recorded long before; what nobody deleted goes after this. */
const longestLifeSeconds = 7 * 24 * 3600;

/** Throws `invalid-input` where the profile has no image for the job, or a pod template that cannot be merged. */
export function jobManifest(order: JobOrder, profile: KubernetesProfile): Job {
  const needs = grown(needsOf(profile, { ...order.labels, image: order.command?.image ?? null }), order);
  const own = labelsOf(order.labels);
  const roles = podRoles({ command: order.command, needs, profile: profile.name, phase: order.labels.phase });
  const pods = podCount(roles);
  const spec: Job['spec'] = {
    completionMode: 'Indexed',
    completions: pods,
    parallelism: pods,
    backoffLimit: 0,
    podReplacementPolicy: 'Failed',
    ttlSecondsAfterFinished: longestLifeSeconds,
    ...successOf(roles),
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
    template: podTemplate({
      jobName: order.name,
      requestPath: order.requestPath,
      needs,
      roles,
      profile,
      labels: own,
      avoidNodes: order.avoidNodes,
      command: order.command,
    }),
  };
  const metadata = {
    name: order.name,
    namespace: profile.namespace,
    labels: { ...own, ...queueLabels(profile) },
    annotations: {
      [annotations.workflowId]: order.labels.workflowId,
      [annotations.pipeline]: order.labels.pipeline,
      [annotations.phase]: order.labels.phase,
      [annotations.directory]: order.directory,
      ...(order.owner === undefined ? {} : { [annotations.owner]: order.owner }),
      ...(roles.length === 1 ? {} : { [annotations.roles]: rolesText(roles) }),
    },
  };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec };
}

/** Where others serve the trainers, these alone say when it is done: the others are ended then. */
function successOf([trainers, ...others]: readonly PodRole[]): Pick<NonNullable<Job['spec']>, 'successPolicy'> {
  if (trainers === undefined || others.length === 0) return {};
  const last = trainers.count - 1;
  return { successPolicy: { rules: [{ succeededIndexes: last === 0 ? '0' : `0-${String(last)}` }] } };
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

/** What earlier attempts died for want of; what nobody limits cannot be too little. */
function grown(needs: JobNeeds, { memoryFactor, sharedMemoryFactor }: JobOrder): JobNeeds {
  return {
    ...needs,
    memory: needs.memory && timesQuantity(needs.memory, memoryFactor),
    sharedMemory: needs.sharedMemory && timesQuantity(needs.sharedMemory, sharedMemoryFactor),
  };
}

function labelsOf(of: JobOrder['labels']): Record<string, string> {
  const { kind, pipeline, phase, attempt, checkpoints = [], benchmarks = [] } = of;
  return {
    'app.kubernetes.io/name': 'temper-job',
    'app.kubernetes.io/part-of': 'temper',
    'app.kubernetes.io/managed-by': 'temper',
    [labels.managed]: 'true',
    [labels.pipeline]: labelValue(pipeline),
    [labels.phase]: labelValue(phase),
    [labels.kind]: labelValue(kind),
    [labels.attempt]: String(attempt),
    ...(checkpoints.length > 0 ? { [labels.checkpoint]: labelValue(checkpoints.join(' ')) } : {}),
    ...(benchmarks.length > 0 ? { [labels.benchmark]: labelValue(benchmarks.join(' ')) } : {}),
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
