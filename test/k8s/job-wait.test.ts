/** What a Job that does not run yet waits for, from pods and events as a real API server sends them. */
import type { JobStatus } from '../../activities/backend.ts';
import type { ClusterEvent } from '../../decisions/job-evidence.ts';
import { statusOfJob } from '../../k8s/job-state.ts';
import type { SeenPod, SentJob } from '../../k8s/kube-types.ts';
import { job, made, now, pod, running } from './job-builders.ts';

const clock = (minute: number) => `2026-11-29T10:0${String(minute)}:00Z`;
const creating = { waiting: { reason: 'ContainerCreating' } };
const initializing = { waiting: { reason: 'PodInitializing' } };
const waiting = (reason: string, message: string) => ({ waiting: { reason, message } });
const pending = (state: object, more: Parameters<typeof pod>[0] = {}) => pod({ phase: 'Pending', state, ...more });
const sandboxAt = (minute: number) => [
  { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: clock(minute) },
];
const noSandbox = [{ type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: made }];

function unplaced(message: string, index = 0): SeenPod {
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastTransitionTime: clock(2),
  };
  return { ...pod({ index }), spec: { containers: [] }, status: { phase: 'Pending', conditions: [condition] } };
}
function withInit(
  state: object,
  more: { readonly restartPolicy?: string; readonly restartCount?: number } = {},
): SeenPod {
  const one = pending(initializing, { conditions: sandboxAt(1) });
  const { restartPolicy, restartCount = 0 } = more;
  const spec = {
    containers: [],
    initContainers: [{ name: 'fetch', ...(restartPolicy && { restartPolicy }) }],
    nodeName: 'node-0',
  };
  const init = { name: 'fetch', image: 'i', imageID: '', ready: false, restartCount, state };
  return { ...one, spec, status: { ...one.status, initContainerStatuses: [init] } };
}
const claiming = (one: SeenPod): SeenPod => ({
  ...one,
  metadata: { ...one.metadata, namespace: 'training' },
  spec: { containers: [], volumes: [{ name: 'store', persistentVolumeClaim: { claimName: 'store' } }] },
});
const event = (reason: string, message: string, more: Partial<ClusterEvent> = {}): ClusterEvent => ({
  type: 'Warning',
  reason,
  message,
  pod: 'j-0',
  firstAt: clock(3),
  lastAt: clock(6),
  count: 4,
  ...more,
});
const refused = (message: string) =>
  event('FailedCreate', `Error creating: pods "j-0-x7k2p" is forbidden: ${message}`, { pod: null });

interface Case {
  readonly title: string;
  readonly job?: SentJob;
  readonly pods: readonly SeenPod[];
  readonly events?: readonly ClusterEvent[];
  readonly want: Partial<JobStatus>;
}

const begun = job({ status: { startTime: clock(1) } });
const pair = job({ pods: 2, status: { startTime: clock(1) } });
const quotaWords =
  'exceeded quota: gpus, requested: requests.nvidia.com/gpu=8, used: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=8';
const securityWords = 'violates PodSecurity "restricted:latest": hostPath volumes (volume "x")';
const noRoom = '0/2 nodes are available: 2 Insufficient nvidia.com/gpu.';
const backingOff = 'Back-off pulling image "registry.example/trainer:9": ErrImagePull: ';
const notFound =
  'rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/trainer:9": registry.example/trainer:9: not found';
const unreachable =
  'failed to resolve reference "registry.example/trainer:9": dial tcp: lookup registry.example: no such host';

test.each<Case>([
  {
    title: 'no pod was made, and nothing is said of why',
    job: begun,
    pods: [],
    want: { state: 'queued', waitsFor: 'starting', reason: 'no pod was made yet', since: clock(1) },
  },
  {
    title: 'a quota refuses its pods, in the quota’s own words',
    job: begun,
    pods: [],
    events: [refused(quotaWords)],
    want: { state: 'queued', waitsFor: 'quota', reason: quotaWords, since: clock(1) },
  },
  {
    title: 'an admission refuses its pods',
    job: begun,
    pods: [],
    events: [refused(quotaWords), refused(securityWords)],
    want: { state: 'queued', waitsFor: 'admission', reason: securityWords },
  },
  {
    title: 'its ServiceAccount is missing',
    job: begun,
    pods: [],
    events: [refused('error looking up service account training/trainer: serviceaccount "trainer" not found')],
    want: {
      waitsFor: 'admission',
      reason: 'error looking up service account training/trainer: serviceaccount "trainer" not found',
    },
  },
  {
    title: 'a webhook that does not answer just now may answer next',
    job: begun,
    pods: [],
    events: [
      event('FailedCreate', 'Error creating: Internal error occurred: failed calling webhook "x": connection refused', {
        pod: null,
      }),
    ],
    want: {
      state: 'queued',
      waitsFor: 'starting',
      reason: 'Internal error occurred: failed calling webhook "x": connection refused',
    },
  },
  {
    title: 'no node has room, since its scheduler first said so',
    pods: [unplaced(noRoom)],
    want: { state: 'queued', waitsFor: 'unschedulable', reason: `Unschedulable: ${noRoom}`, since: clock(2) },
  },
  {
    title: 'its claim is bound to no volume',
    pods: [unplaced('pod has unbound immediate PersistentVolumeClaims. not found')],
    want: {
      state: 'queued',
      waitsFor: 'claim',
      since: clock(2),
      reason: 'Unschedulable: pod has unbound immediate PersistentVolumeClaims',
    },
  },
  {
    title: 'its claim is bound to no volume, with its name and where the cause is told',
    pods: [claiming(unplaced('pod has unbound immediate PersistentVolumeClaims. not found'))],
    want: {
      waitsFor: 'claim',
      reason:
        'Unschedulable: pod has unbound immediate PersistentVolumeClaims: of store; kubectl -n training describe pvc store tells why',
    },
  },
  {
    title: 'its claim does not exist',
    pods: [unplaced('persistentvolumeclaim "store" not found')],
    want: { state: 'queued', waitsFor: 'claim' },
  },
  {
    title: 'one of its pods holds a place, the other finds none: since both are so',
    job: pair,
    pods: [pod({ state: running }), unplaced(noRoom, 1)],
    want: {
      state: 'queued',
      waitsFor: 'half-scheduled',
      since: clock(2),
      reason: `1 of its pods hold their places, 1 find none: Unschedulable: ${noRoom}`,
    },
  },
  {
    title: 'one of its pods runs, and a quota refuses the other',
    job: pair,
    pods: [pod({ state: running })],
    events: [refused(quotaWords)],
    want: { state: 'queued', waitsFor: 'half-scheduled', since: clock(1) },
  },
  {
    title: 'none of its pods finds a place: that is no half',
    job: pair,
    pods: [unplaced(noRoom), unplaced(noRoom, 1)],
    want: { state: 'queued', waitsFor: 'unschedulable' },
  },
  {
    title: 'an image that its registry does not have, since the first failure',
    pods: [pending(waiting('ImagePullBackOff', `${backingOff}${notFound}`), { conditions: sandboxAt(1) })],
    events: [
      event('Pulling', 'Pulling image', { type: 'Normal', firstAt: clock(1) }),
      event('Failed', 'Failed to pull image'),
    ],
    want: { state: 'starting', waitsFor: 'image-refused', reason: `ErrImagePull: ${notFound}`, since: clock(3) },
  },
  {
    title: 'an image that may not be pulled',
    pods: [
      pending(waiting('ErrImagePull', 'pull access denied, repository does not exist or may require authorization')),
    ],
    want: { state: 'starting', waitsFor: 'image-refused' },
  },
  {
    title: 'a registry that does not answer, on its node',
    pods: [pending(waiting('ImagePullBackOff', `${backingOff}${unreachable}`), { conditions: sandboxAt(1) })],
    want: { state: 'starting', waitsFor: 'image-pull', waitsOn: 'node-0', since: clock(1) },
  },
  {
    title: 'a large image that is being pulled: no error',
    pods: [pending(creating, { conditions: sandboxAt(1) })],
    events: [
      event('Pulling', 'Pulling image "registry.example/trainer:9"', {
        type: 'Normal',
        firstAt: clock(1),
        lastAt: clock(1),
      }),
    ],
    want: { state: 'starting', waitsFor: 'pulling', since: clock(1) },
  },
  {
    title: 'a secret of its environment that is missing, by name',
    pods: [pending(waiting('CreateContainerConfigError', 'secret "hf" not found'), { conditions: sandboxAt(1) })],
    want: {
      state: 'starting',
      waitsFor: 'config',
      reason: 'CreateContainerConfigError: secret "hf" not found',
      since: clock(1),
    },
  },
  {
    title: 'a name that is none of an image',
    pods: [pending(waiting('InvalidImageName', 'Failed to apply default image tag "A:B:C"'))],
    want: { state: 'starting', waitsFor: 'config' },
  },
  {
    title: 'a secret that is mounted and missing, by name: told in events alone',
    pods: [pending(creating, { conditions: noSandbox })],
    events: [event('FailedMount', 'MountVolume.SetUp failed for volume "hf" : secret "hf" not found')],
    want: {
      waitsFor: 'config',
      reason: 'FailedMount: MountVolume.SetUp failed for volume "hf" : secret "hf" not found',
      since: clock(3),
    },
  },
  {
    title: 'a volume that is not mounted: told in events alone',
    pods: [pending(creating, { conditions: noSandbox })],
    events: [event('FailedMount', 'MountVolume.SetUp failed for volume "store" : mount failed: exit status 32')],
    want: { state: 'starting', waitsFor: 'mount', waitsOn: 'node-0', since: clock(3) },
  },
  {
    title: 'a mount that went well at last: its sandbox is made',
    pods: [pending(creating, { conditions: sandboxAt(7) })],
    events: [event('FailedMount', 'MountVolume.SetUp failed for volume "store" : mount failed: exit status 32')],
    want: { state: 'starting', waitsFor: 'starting', since: clock(7) },
  },
  {
    title: 'a sandbox that is not made, after a mount that was late',
    pods: [pending(creating, { conditions: noSandbox })],
    events: [
      event('FailedMount', 'timed out', { lastAt: clock(4) }),
      event('FailedCreatePodSandBox', 'Failed to create pod sandbox: plugin type="cilium-cni" failed', {
        firstAt: clock(5),
      }),
    ],
    want: { state: 'starting', waitsFor: 'sandbox', waitsOn: 'node-0', since: clock(5) },
  },
  {
    title: 'its init container runs',
    pods: [withInit({ running: { startedAt: clock(2) } })],
    want: { state: 'starting', waitsFor: 'init', reason: 'fetch runs', since: clock(2) },
  },
  {
    title: 'a container beside the trainer that crashes again and again',
    pods: [
      withInit(waiting('CrashLoopBackOff', 'back-off 5m0s restarting failed container'), {
        restartPolicy: 'Always',
        restartCount: 6,
      }),
    ],
    want: {
      state: 'starting',
      waitsFor: 'init-crashing',
      reason: 'fetch (6 times): CrashLoopBackOff: back-off 5m0s restarting failed container',
    },
  },
  {
    title: 'the image of its init container',
    pods: [withInit(waiting('ErrImagePull', unreachable))],
    want: { state: 'starting', waitsFor: 'image-pull' },
  },
  {
    title: 'what one of two pods cannot mend, rather than what the other may yet do',
    job: pair,
    pods: [
      pending(creating),
      pending(waiting('CreateContainerConfigError', 'configmap "data" not found'), { index: 1 }),
    ],
    want: { waitsFor: 'config', reason: 'CreateContainerConfigError: configmap "data" not found' },
  },
])('$title', ({ job: of = job(), pods, events = [], want }) => {
  expect(statusOfJob({ job: of, pods, events }, now)).toMatchObject(want);
});

test('what was written down about a pod of before, or before this one had its node, says nothing of it', () => {
  const other = event('FailedMount', 'no', { pod: 'j-0-before' });
  const earlier = event('FailedMount', 'no', { firstAt: '2026-11-29T09:58:00Z', lastAt: '2026-11-29T09:59:00Z' });
  const pods = [pending(creating, { conditions: noSandbox })];
  const status = statusOfJob({ job: job(), pods, events: [other, earlier] }, now);
  expect(status).toMatchObject({ state: 'starting', waitsFor: 'starting', since: made });
});
