/**
 * Every word that a kubelet, a scheduler, a controller or a runtime has for an end, with what they say beside it, and the class it names.
 *
 * The texts are those of Kubernetes 1.36 and of runc, containerd and NVIDIA's runtime.
 */
import { classOfReason } from '../../decisions/backend-reasons.ts';
import { classify } from '../../decisions/classify.ts';
import type { ContainerEnd, FailureClass, RankEnd } from '../../decisions/failure.ts';
import { sentenceOfClass } from '../../decisions/sentences.ts';
import { evidence } from '../support/builders.ts';

const low = (what: string) => `The node was low on resource: ${what}. Threshold quantity: 1Gi, available: 12Mi. `;
const oci = (what: string) =>
  `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ${what}: unknown`;
const creating = (what: string) => `Error creating: pods "t-sft-a1-0-x" is forbidden: ${what}`;

test.each<{ reason: string; says?: string; want: FailureClass | null }>([
  { reason: 'OOMKilled', want: 'host-oom' },

  { reason: 'PreemptionByScheduler', says: 'default-scheduler: preempting to accommodate', want: 'preempted' },
  { reason: 'Preempting', says: 'Preempted in order to admit critical pod', want: 'preempted' },
  { reason: 'EvictionByEvictionAPI', says: 'Eviction API: evicting', want: 'evicted' },
  { reason: 'TerminationByKubelet', want: 'evicted' },
  { reason: 'Evicted', says: low('memory'), want: 'evicted' },
  { reason: 'Evicted', says: low('pids'), want: 'evicted' },
  { reason: 'Evicted', says: low('inodes'), want: 'evicted' },
  { reason: 'Evicted', says: 'The node had condition: [MemoryPressure]. ', want: 'evicted' },
  { reason: 'Evicted', says: 'The node had condition: [DiskPressure]. ', want: 'evicted' },
  { reason: 'Evicted', says: low('ephemeral-storage'), want: 'disk-full' },
  {
    reason: 'Evicted',
    says: 'Container trainer exceeded its local ephemeral storage limit "10Gi". ',
    want: 'disk-full',
  },
  {
    reason: 'Evicted',
    says: 'Pod ephemeral local storage usage exceeds the total limit of containers 10Gi. ',
    want: 'disk-full',
  },
  { reason: 'Evicted', says: 'Usage of EmptyDir volume "tmp" exceeds the limit "1Gi". ', want: 'disk-full' },
  {
    reason: 'Evicted',
    says: 'Usage of EmptyDir volume "shared-memory" exceeds the limit "64Mi". ',
    want: 'shm-too-small',
  },
  { reason: 'PodDeleted', want: 'interrupted' },

  { reason: 'DeletionByTaintManager', want: 'node-lost' },
  { reason: 'DeletionByPodGC', says: 'PodGC: node no longer exists', want: 'node-lost' },
  { reason: 'NodeLost', want: 'node-lost' },
  { reason: 'Terminated', says: 'Pod was terminated in response to imminent node shutdown.', want: 'node-lost' },
  { reason: 'NodeShutdown', says: 'Pod was rejected as the node is shutting down.', want: 'node-lost' },
  { reason: 'ContainerStatusUnknown', want: 'node-lost' },
  { reason: 'NodeUnreachable', want: 'node-lost' },
  { reason: 'PodVanished', want: 'node-lost' },

  { reason: 'Unschedulable', want: 'unschedulable' },
  { reason: 'NodeAffinity', want: 'unschedulable' },
  { reason: 'OutOfcpu', want: 'unschedulable' },
  { reason: 'OutOfmemory', want: 'unschedulable' },
  { reason: 'OutOfpods', want: 'unschedulable' },
  { reason: 'OutOfnvidia.com/gpu', want: 'unschedulable' },
  { reason: 'TaintToleration', want: 'unschedulable' },
  { reason: 'TopologyAffinityError', want: 'unschedulable' },
  {
    reason: 'UnexpectedAdmissionError',
    says: 'Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 8, Available: 7, which is unexpected',
    want: 'hardware',
  },
  { reason: 'DeletionByDeviceTaintManager', want: 'hardware' },
  { reason: 'SysctlForbidden', want: 'config' },
  { reason: 'PodFeatureUnsupported', want: 'config' },

  { reason: 'ErrImagePull', want: 'image-pull' },
  { reason: 'ImagePullBackOff', want: 'image-pull' },
  { reason: 'ImageInspectError', want: 'image-pull' },
  { reason: 'RegistryUnavailable', want: 'image-pull' },
  { reason: 'InvalidImageName', want: 'config' },
  { reason: 'ErrImageNeverPull', want: 'config' },
  { reason: 'CreateContainerConfigError', says: 'secret "hf" not found', want: 'config' },
  { reason: 'CreateContainerError', says: 'failed to generate spec: no command specified', want: 'config' },
  { reason: 'CreateContainerError', says: 'context deadline exceeded', want: 'sandbox' },
  { reason: 'FailedMount', want: 'mount' },
  { reason: 'FailedAttachVolume', want: 'mount' },
  { reason: 'FailedCreatePodSandBox', want: 'sandbox' },

  {
    reason: 'StartError',
    says: oci('exec: "/app/train": stat /app/train: no such file or directory'),
    want: 'config',
  },
  { reason: 'StartError', says: oci('exec: "train": executable file not found in $PATH'), want: 'config' },
  { reason: 'StartError', says: oci('exec: "/train.sh": permission denied'), want: 'config' },
  { reason: 'StartError', says: oci('exec /train: exec format error'), want: 'config' },
  { reason: 'ContainerCannotRun', says: 'exec: "/train.sh": permission denied', want: 'config' },
  {
    reason: 'StartError',
    says: oci('nvidia-container-cli: initialization error: driver not loaded: no such file or directory'),
    want: 'hardware',
  },
  { reason: 'StartError', says: oci('write /run/containerd/x: no space left on device'), want: 'sandbox' },
  { reason: 'StartError', says: oci('something that nobody has seen before'), want: 'sandbox' },

  { reason: 'FailedCreate', says: creating('exceeded quota: gpus, requested: pods=1'), want: 'quota' },
  {
    reason: 'FailedCreate',
    says: creating('violates PodSecurity "restricted:latest": privileged'),
    want: 'admission-denied',
  },
  {
    reason: 'FailedCreate',
    says: creating('maximum memory usage per Container is 10Mi, but limit is 50Mi'),
    want: 'admission-denied',
  },
  {
    reason: 'FailedCreate',
    says: 'Error creating: admission webhook "policy.example.com" denied the request: no owner',
    want: 'admission-denied',
  },
  {
    reason: 'FailedCreate',
    says: 'Error creating: Internal error occurred: failed calling webhook "policy.example.com": connection refused',
    want: 'network',
  },

  { reason: 'DeadlineExceeded', want: 'deadline' },
  { reason: 'PodFailurePolicy', says: 'Pod a/b has condition DisruptionTarget matching FailJob rule', want: 'evicted' },
  { reason: 'PodFailurePolicy', says: 'Container trainer for pod a/b failed with exit code 64', want: 'config' },
  { reason: 'PodFailurePolicy', says: 'Container trainer for pod a/b failed with exit code 65', want: 'data-missing' },

  { reason: 'Error', want: null },
  { reason: 'Completed', want: null },
  { reason: 'a word of tomorrow', want: null },
])('$reason ($says): $want', ({ reason, says, want }) => {
  expect(classOfReason(reason, says === undefined ? [] : [says])).toBe(want);
});

const verdictOf = (...ends: Partial<RankEnd>[]) => {
  const verdict = classify(
    evidence()
      .withoutResult()
      .ranks(...ends)
      .build(),
  );
  if (verdict.kind === 'completed') throw new Error('it is complete');
  return verdict;
};
const beside = (change: Partial<ContainerEnd>): ContainerEnd => ({
  name: 'fetch',
  isInit: true,
  exitCode: 1,
  reason: 'Error',
  message: null,
  endedAt: null,
  ...change,
});

test('what a node said is not lost in what the trainer logged', () => {
  const log = { lastLines: ['step 7'], exitCode: 137 };
  const verdict = verdictOf({ ...log, reason: 'Evicted', message: low('ephemeral-storage') });
  expect(verdict.class).toBe('disk-full');
  expect(sentenceOfClass(verdict.class, verdict.because)).toContain('low on resource: ephemeral-storage');
});

test.each<{ title: string; end: Partial<RankEnd>; want: FailureClass }>([
  {
    title: 'an init container whose log knows why',
    end: { exitCode: null, beside: beside({}), lastLines: ['OSError: No space left on device'] },
    want: 'disk-full',
  },
  {
    title: 'an init container that could not be started',
    end: {
      exitCode: null,
      beside: beside({ exitCode: 128, reason: 'StartError', message: oci('exec: "/x": no such file or directory') }),
    },
    want: 'config',
  },
  {
    title: 'an init container of which nobody knows more: its exit code is none of the trainer contract',
    end: { exitCode: null, beside: beside({ exitCode: 64 }) },
    want: 'unknown',
  },
  {
    title: 'a sidecar out of memory, and a trainer that ended with 0 and proves nothing',
    end: { exitCode: 0, beside: beside({ name: 'side', isInit: false, exitCode: 137, reason: 'OOMKilled' }) },
    want: 'config',
  },
  {
    title: 'a sidecar that failed, and a trainer that failed of its own',
    end: { exitCode: 134, beside: beside({ name: 'side', isInit: false }) },
    want: 'crashed',
  },
  {
    title: 'exit 137 of a pod that somebody deleted: its grace ran out',
    end: { exitCode: 137, reason: 'PodDeleted' },
    want: 'interrupted',
  },
  {
    title: 'a pod that somebody deleted as its log said that its GPU was full',
    end: { exitCode: 1, reason: 'PodDeleted', lastLines: ['torch.OutOfMemoryError: CUDA out of memory.'] },
    want: 'gpu-oom',
  },
  {
    title: 'a Job whose pods are gone with their words',
    end: { exitCode: null, reason: 'BackoffLimitExceeded' },
    want: 'killed',
  },
  { title: 'a shell whose program is not there', end: { exitCode: 127 }, want: 'config' },
  { title: 'a shell whose program may not be run', end: { exitCode: 126 }, want: 'config' },
])('$title: $want', ({ end, want }) => {
  expect(verdictOf(end).class).toBe(want);
});

test('a pod that vanished is the cause, and the peers that lost their connection to it are not', () => {
  const verdict = verdictOf(
    { exitCode: 1, endedAt: '2026-11-30T10:00:01Z', lastLines: ['RuntimeError: Connection closed by peer'] },
    { exitCode: null, endedAt: null, reason: 'PodVanished', node: 'gpu-7' },
  );
  expect(verdict).toMatchObject({ class: 'node-lost', rank: 1, node: 'gpu-7' });
});

test('137 after Temper’s own stop, whose grace ran out, is of the class of the stop', () => {
  const seen = evidence().withoutResult().ranks({ exitCode: 137, reason: 'Error' });
  expect(classify(seen.but({ stoppedByTemper: 'stalled' }).build())).toMatchObject({ class: 'stalled' });
  expect(classify(seen.but({ stoppedByTemper: 'cancel' }).build())).toMatchObject({ class: 'interrupted' });
});
