/** What a Job and its pods, as a real API server sends them, mean for a job. */
import type { JobStatus } from '../../activities/backend.ts';
import { statusOfJob } from '../../k8s/job-state.ts';
import type { SeenPod, SentJob } from '../../k8s/kube-types.ts';
import {
  at,
  condition,
  ended,
  failed,
  job,
  made,
  now,
  pod,
  running,
  started,
  terminated,
  time,
} from './job-builders.ts';

test.each<{ title: string; job: SentJob; pods: SeenPod[]; want: Partial<JobStatus> }>([
  { title: 'no pod yet', job: job(), pods: [], want: { state: 'queued', reason: 'no pod was made yet', since: made } },
  {
    title: 'no node has room',
    job: job(),
    pods: [
      {
        ...pod({ phase: 'Pending' }),
        status: {
          phase: 'Pending',
          conditions: [
            {
              type: 'PodScheduled',
              status: 'False',
              reason: 'Unschedulable',
              message: '0/1 nodes are available: 1 Insufficient nvidia.com/gpu.',
            },
          ],
        },
      },
    ],
    want: { state: 'queued', reason: 'Unschedulable: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu.' },
  },
  {
    title: 'an image that cannot be pulled',
    job: job(),
    pods: [
      pod({
        phase: 'Pending',
        state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' } },
      }),
    ],
    want: { state: 'starting', reason: 'ImagePullBackOff: Back-off pulling image "x"' },
  },
  {
    title: 'a queue that has not let it in',
    job: job({ spec: { suspend: true } }),
    pods: [],
    want: { state: 'queued' },
  },
  {
    title: 'its one pod runs',
    job: job(),
    pods: [pod({ state: running })],
    want: { state: 'running', since: started },
  },
  {
    title: 'one of two pods runs: the job does not yet',
    job: job({ pods: 2 }),
    pods: [
      pod({ state: running }),
      pod({ index: 1, phase: 'Pending', state: { waiting: { reason: 'ContainerCreating' } } }),
    ],
    want: { state: 'starting', reason: 'ContainerCreating' },
  },
  {
    title: 'one of two pods has failed and the other still ends: not over',
    job: job({ pods: 2, status: { conditions: [condition('FailureTarget', 'PodFailurePolicy')], active: 1 } }),
    pods: [pod({ state: terminated(1), phase: 'Failed' }), pod({ index: 1, state: running })],
    want: { state: 'running' },
  },
  {
    title: 'asked to stop, and its pod saves',
    job: job({ spec: { suspend: true }, annotations: { 'temper.dev/stop-reason': 'cancel' }, status: { active: 1 } }),
    pods: [pod({ state: running })],
    want: { state: 'stopping', reason: 'cancel' },
  },
  {
    title: 'asked to stop, and its pod has ended',
    job: job({
      spec: { suspend: true },
      annotations: { 'temper.dev/stop-reason': 'stalled' },
      status: { conditions: [condition('Suspended', 'JobSuspended')] },
    }),
    pods: [pod({ state: terminated(75), phase: 'Failed' })],
    want: { state: 'ended', stopRequested: 'stalled', startedAt: started },
  },
  {
    title: 'asked to stop before its pod had a node: the pod is gone, and never ran',
    job: job({
      spec: { suspend: true },
      annotations: { 'temper.dev/stop-reason': 'cancel' },
      status: { conditions: [condition('Suspended', 'JobSuspended')] },
    }),
    pods: [{ ...pod({ phase: 'Pending' }), isGone: true }],
    want: { state: 'ended', stopRequested: 'cancel', startedAt: null },
  },
])('$title', ({ job: of, pods, want }) => {
  expect(statusOfJob({ job: of, pods }, now)).toMatchObject(want);
});

test.each<{ title: string; job: SentJob; pods: SeenPod[]; want: readonly object[] }>([
  {
    title: 'killed for its memory, whatever the exit code',
    job: job(failed),
    pods: [pod({ phase: 'Failed', state: terminated(9, 'OOMKilled') })],
    want: [{ rank: 0, exitCode: 9, reason: 'OOMKilled', node: 'node-0', endedAt: ended }],
  },
  {
    title: 'preempted: the condition says more than the exit code',
    job: job(failed),
    pods: [
      pod({
        phase: 'Failed',
        state: terminated(137),
        conditions: [condition('DisruptionTarget', 'PreemptionByScheduler', 'preempting to make room')],
      }),
    ],
    want: [{ exitCode: 137, reason: 'PreemptionByScheduler', message: 'preempting to make room', lastLines: [] }],
  },
  {
    title: 'what a trainer said in its termination message',
    job: job(failed),
    pods: [pod({ phase: 'Failed', state: terminated(1, 'Error', { message: 'Traceback\nValueError: no' }) })],
    want: [{ lastLines: ['Traceback', 'ValueError: no'] }],
  },
  {
    title: 'each rank, of two pods of one rank the later',
    job: job({ pods: 2, ...failed }),
    pods: [
      pod({ index: 1, phase: 'Failed', state: terminated(143) }),
      pod({ phase: 'Failed', state: terminated(1), made: '2026-11-29T10:01:00Z' }),
      pod({ phase: 'Failed', state: terminated(139) }),
    ],
    want: [
      { rank: 0, exitCode: 1 },
      { rank: 1, exitCode: 143, node: 'node-1' },
    ],
  },
  {
    title: 'each with its role, where pods have roles',
    job: job({ pods: 3, annotations: { 'temper.dev/roles': '{"trainer":1,"engine":2}' }, ...failed }),
    pods: [0, 1, 2].map((index) => pod({ index, phase: 'Failed', state: terminated(1) })),
    want: [
      { rank: 0, role: { name: 'trainer', index: 0 } },
      { rank: 1, role: { name: 'engine', index: 0 } },
      { rank: 2, role: { name: 'engine', index: 1 } },
    ],
  },
  {
    title: 'what the controller ended with the one that failed is told from what a person deleted before',
    job: job({ pods: 3, status: { conditions: [at('FailureTarget', 5), at('Failed', 20)] } }),
    pods: [
      pod({ phase: 'Failed', state: terminated(137, 'Error', { finishedAt: time(4) }), deletedAt: time(4) }),
      pod({
        index: 1,
        phase: 'Failed',
        state: terminated(137, 'Error', { finishedAt: time(15) }),
        deletedAt: time(16),
      }),
      pod({
        index: 2,
        phase: 'Failed',
        state: terminated(9, 'OOMKilled', { finishedAt: time(5) }),
        deletedAt: time(6),
      }),
    ],
    want: [{ reason: 'Error' }, { reason: 'taken-along' }, { reason: 'OOMKilled' }],
  },
  {
    title:
      'one that was asked to end before the Job was decided was deleted; one that had ended unasked was not, nor taken along',
    job: job({ pods: 2, status: { conditions: [at('FailureTarget', 5), at('Failed', 20)] } }),
    pods: [
      {
        ...pod({ phase: 'Failed', state: terminated(137, 'Error', { finishedAt: time(8) }), deletedAt: time(8) }),
        endingSince: time(3),
      },
      {
        ...pod({
          index: 1,
          phase: 'Failed',
          state: terminated(139, 'Error', { finishedAt: time(5) }),
          deletedAt: time(5),
        }),
        endedUnasked: true,
      },
    ],
    want: [{ reason: 'PodDeleted' }, { reason: 'Error', exitCode: 139 }],
  },
  {
    title: 'of pods that are gone without an end, one was deleted by force, and one went with its node',
    job: job({ pods: 2, status: { conditions: [at('FailureTarget', 5), at('Failed', 20)] } }),
    pods: [
      { ...pod({ state: running, deletedAt: time(3) }), isGone: true, endingSince: time(3) },
      { ...pod({ index: 1, state: running }), isGone: true },
    ],
    want: [
      { reason: 'PodDeleted', exitCode: null },
      { reason: 'PodVanished', exitCode: null, node: 'node-1' },
    ],
  },
  {
    title: 'no pod was ever seen: the controller’s own word',
    job: job({
      status: {
        conditions: [condition('Failed', 'DeadlineExceeded', 'Job was active longer than specified deadline')],
      },
    }),
    pods: [],
    want: [{ exitCode: null, reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' }],
  },
])('an end: $title', ({ job: of, pods, want }) => {
  expect(statusOfJob({ job: of, pods }, now)).toMatchObject({ state: 'ended', ranks: want });
});

/** As a kubelet tells of a container that it cannot find when its pod goes (Kubernetes 1.36). */
const unknownEnd = {
  terminated: {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
    startedAt: null,
    finishedAt: null,
  },
};

test('a container that was never made has no exit and no words', () => {
  expect(statusOfJob({ job: job(failed), pods: [pod({ phase: 'Failed', state: unknownEnd })] }, now)).toMatchObject({
    startedAt: null,
    ranks: [{ exitCode: null, signal: null, reason: null, lastLines: [] }],
  });
});

test('a container that ran, and that its node cannot find any more, keeps what the node says', () => {
  const lost = pod({ phase: 'Failed', state: unknownEnd });
  const [status] = lost.status?.containerStatuses ?? [];
  const made = {
    ...lost,
    status: { ...lost.status, containerStatuses: status && [{ ...status, containerID: 'containerd://0a1b' }] },
  } as SeenPod;
  expect(statusOfJob({ job: job(failed), pods: [made] }, now)).toMatchObject({
    ranks: [{ exitCode: 137, reason: 'ContainerStatusUnknown' }],
  });
});

test('a container that could not be started never began', () => {
  const unstarted = {
    terminated: { exitCode: 128, reason: 'StartError', startedAt: '1970-01-01T00:00:00Z', finishedAt: ended },
  };
  expect(statusOfJob({ job: job(failed), pods: [pod({ phase: 'Failed', state: unstarted })] }, now)).toMatchObject({
    state: 'ended',
    startedAt: null,
  });
});
