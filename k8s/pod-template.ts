/**
 * The pod template of a job: what a pod is given, and what it may not do. Passes Pod Security `restricted`.
 *
 * Covers environment, volumes, resources, security and the site's patch. Does not cover the Job around it (job-manifest.ts).
 */
import type { JobNeeds } from '../configs/job-needs.ts';
import type { KubernetesProfile } from '../configs/schema-profile.ts';
import type { JobCommand } from '../decisions/command-line.ts';
import { TemperError } from '../decisions/errors.ts';
import type { EnvVar, PodSpec, PodTemplate, Volume, VolumeMount } from './kube-types.ts';
import { gpuProductLabel, jobUidLabel, podIndexAnnotation } from './labels.ts';
import type { PodRole } from './pod-roles.ts';
import { hostsOfRoles, roleCommand } from './role-script.ts';
import { strategicMerge } from './strategic-merge.ts';

export const trainerContainer = 'trainer';
const rendezvousPort = 29_500;
/** Seconds that torchrun leaves for itself of the pod's grace, after its workers have had theirs. */
const torchrunEndSeconds = 20;
const shortestShutdownSeconds = 5;

export interface PodOrder {
  readonly jobName: string;
  readonly requestPath: string;
  readonly needs: JobNeeds;
  /** The trainers first. */
  readonly roles: readonly PodRole[];
  readonly profile: KubernetesProfile;
  readonly labels: Readonly<Record<string, string>>;
  /** What a phase of kind `command` runs, in place of what the image runs by itself. */
  readonly command?: JobCommand | undefined;
  /** A wish: pods go there when nothing else is left. */
  readonly avoidNodes: readonly string[];
}

/** Throws `invalid-input` for a patch that cannot be merged, or that takes away what Temper relies on. */
export function podTemplate(order: PodOrder): PodTemplate {
  const { profile, labels } = order;
  const template: PodTemplate = {
    metadata: {
      labels: { ...labels },
      annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false', 'karpenter.sh/do-not-disrupt': 'true' },
    },
    spec: podSpec(order),
  };
  const patched = strategicMerge(template, profile.podTemplate);
  refuseLosses(patched, template, profile.name);
  return patched;
}

function podSpec(order: PodOrder): PodSpec {
  const { needs, profile, avoidNodes, command } = order;
  const { gpu, priorityClass, imagePullSecrets, user } = profile;
  return {
    subdomain: profile.rendezvousService,
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: profile.graceSeconds,
    serviceAccountName: profile.serviceAccount,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...(priorityClass === undefined ? {} : { priorityClassName: priorityClass }),
    ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    ...(gpu.product === undefined || needs.gpus === 0 ? {} : { nodeSelector: { [gpuProductLabel]: gpu.product } }),
    ...(needs.gpus === 0 ? {} : { tolerations: [{ key: gpu.resource, operator: 'Exists', effect: 'NoSchedule' }] }),
    ...(avoidNodes.length === 0 ? {} : { affinity: { nodeAffinity: awayFrom(avoidNodes) } }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: trainerContainer,
        image: command?.image ?? needs.image,
        ...programOf(order),
        resources: resourcesOf(needs, profile),
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'FallbackToLogsOnError',
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          readOnlyRootFilesystem: true,
        },
        env: withOwn(environment(order), command),
        volumeMounts: mountsOf(needs, profile),
      },
    ],
    volumes: volumesOf(needs, profile),
  };
}

/** Of a container that runs a foreign command, its own entry point counts no more. */
function programOf(order: PodOrder): Pick<PodSpec['containers'][number], 'command' | 'workingDir'> {
  const { command, needs, roles, jobName, profile } = order;
  if (command === undefined) return needs.command === null ? {} : { command: [...needs.command] };
  const service = profile.rendezvousService;
  const argv = roles.length === 1 ? command.argv : roleCommand({ command, roles, jobName, service });
  return { command: argv.map(asItIs), workingDir: command.workingDirectory };
}

/** What the recipe sets goes before what Temper sets for every trainer. */
function withOwn(environment: readonly EnvVar[], command: JobCommand | undefined): EnvVar[] {
  const own = Object.entries(command?.env ?? {}).map(([name, value]) => ({ name, value: asItIs(value) }));
  return [...environment.filter(({ name }) => own.every((one) => one.name !== name)), ...own];
}

/** Kubernetes would put the value of a variable for `$(NAME)`, and one dollar for two: a recipe's text means the same everywhere. */
function asItIs(text: string): string {
  return text.replace(/\$(?=[$(])/g, '$$$$');
}

function awayFrom(nodes: readonly string[]) {
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: [...nodes] }];
  return { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: { matchExpressions } }] };
}

/** Of an extended resource such as a GPU, the limit is also the request. There is no CPU limit: it would only slow a trainer down. */
function resourcesOf({ gpus, cpu, memory }: JobNeeds, { gpu }: KubernetesProfile) {
  const both = {
    ...(gpus === 0 ? {} : { [gpu.resource]: String(gpus) }),
    ...(memory === null ? {} : { memory }),
  };
  return { requests: { ...(cpu === null ? {} : { cpu }), ...both }, limits: both };
}

function environment({ needs, roles, profile, jobName, requestPath }: PodOrder): EnvVar[] {
  const { cache, graceSeconds, rendezvousService, secrets } = profile;
  const shutdownSeconds = Math.max(shortestShutdownSeconds, Math.floor(graceSeconds) - torchrunEndSeconds);
  return [
    { name: 'TEMPER_REQUEST', value: requestPath },
    { name: 'TEMPER_JOB_TOKEN', valueFrom: { fieldRef: { fieldPath: `metadata.labels['${jobUidLabel}']` } } },
    { name: 'PET_NNODES', value: String(needs.nodes) },
    { name: 'PET_NPROC_PER_NODE', value: String(Math.max(1, needs.gpus)) },
    {
      name: 'PET_NODE_RANK',
      valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${podIndexAnnotation}']` } },
    },
    { name: 'PET_MASTER_ADDR', value: `${jobName}-0.${rendezvousService}` },
    { name: 'PET_MASTER_PORT', value: String(rendezvousPort) },
    ...(roles.length === 1 ? [] : hostsOfRoles({ roles, jobName, service: rendezvousService })),
    // Older torch kills its workers 30 s after SIGTERM, whatever the pod's grace is.
    { name: 'TORCH_ELASTIC_SHUTDOWN_TIMEOUT', value: String(shutdownSeconds) },
    { name: 'TORCH_NCCL_ASYNC_ERROR_HANDLING', value: '1' },
    { name: 'PYTHONUNBUFFERED', value: '1' },
    { name: 'HOME', value: '/tmp' },
    { name: 'HF_HOME', value: `${cache?.path ?? '/cache'}/huggingface` },
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    ...Object.entries(profile.environment).map(([name, value]) => ({ name, value })),
    ...Object.entries(secrets).map(([name, { name: secret, key }]) => ({
      name,
      valueFrom: { secretKeyRef: { name: secret, key, optional: false } },
    })),
  ];
}

function mountsOf({ sharedMemory }: JobNeeds, { store, cache }: KubernetesProfile): VolumeMount[] {
  return [
    { name: 'store', mountPath: store.path, ...(store.subPath === undefined ? {} : { subPath: store.subPath }) },
    { name: 'cache', mountPath: cache?.path ?? '/cache' },
    { name: 'tmp', mountPath: '/tmp' },
    ...(sharedMemory === null ? [] : [{ name: 'shared-memory', mountPath: '/dev/shm' }]),
  ];
}

function volumesOf({ sharedMemory }: JobNeeds, { store, cache }: KubernetesProfile): Volume[] {
  return [
    { name: 'store', persistentVolumeClaim: { claimName: store.claim } },
    { name: 'cache', ...(cache ? { persistentVolumeClaim: { claimName: cache.claim } } : { emptyDir: {} }) },
    { name: 'tmp', emptyDir: {} },
    ...(sharedMemory === null
      ? []
      : [{ name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: sharedMemory } }]),
  ];
}

/** A patch may add what it likes; an attempt that restarts by itself, or does not know its request, would not be one. */
function refuseLosses(patched: PodTemplate, own: PodTemplate, profileName: string): void {
  const lost = lossOf(patched, own);
  if (lost === null) return;
  throw new TemperError(
    'invalid-input',
    `profile "${profileName}": podTemplate changes ${lost}, which Temper relies on`,
  );
}

function lossOf(patched: PodTemplate, own: PodTemplate): string | null {
  for (const [label, value] of Object.entries(own.metadata?.labels ?? {}))
    if (patched.metadata?.labels?.[label] !== value) return `metadata.labels.${label}`;
  for (const field of ['restartPolicy', 'subdomain'] as const)
    if (patched.spec?.[field] !== own.spec?.[field]) return `spec.${field}`;
  const [before, after] = [own, patched].map(({ spec }) =>
    spec?.containers.find(({ name }) => name === trainerContainer),
  );
  if (after === undefined) return `the container ${trainerContainer}`;
  for (const variable of ['TEMPER_REQUEST', 'TEMPER_JOB_TOKEN'])
    if (JSON.stringify(variableOf(after, variable)) !== JSON.stringify(variableOf(before, variable)))
      return `the variable ${variable}`;
  return null;
}

const variableOf = (container: { env?: EnvVar[] } | undefined, variable: string): EnvVar | undefined =>
  container?.env?.find(({ name }) => name === variable);
