/** When a pod counts as lost with its node, and what that means for its job. */
import { nextLossAt, statusOfJob } from '../../k8s/job-state.ts';
import type { SeenPod } from '../../k8s/kube-types.ts';
import { condition, job, made, now, pod, running, started, terminated } from './job-builders.ts';

/** The containers ran when the node last spoke; `at`: when the node controller gave the pod up as not ready. */
const notReady = (at: string, reason?: string) => [
  { type: 'ContainersReady', status: 'True', lastTransitionTime: started },
  { type: 'Ready', status: 'False', lastTransitionTime: at, reason },
];
const goes = (of: SeenPod, at: string): SeenPod => ({ ...of, metadata: { ...of.metadata, deletionTimestamp: at } });
const stopped = (changes: { active?: number; terminating?: number; condition?: string; pods?: number } = {}) => {
  const { condition: type = 'Suspended', pods = 1, ...status } = changes;
  return job({
    pods,
    spec: { suspend: true },
    annotations: { 'temper.dev/stop-reason': 'node-lost' },
    status: { ...status, conditions: [condition(type)] },
  });
};

test.each<{ title: string; pod: SeenPod; lost: boolean; next: string | null }>([
  {
    title: 'its node has not answered for a minute',
    pod: pod({ state: running, conditions: notReady('2026-11-29T10:07:00Z') }),
    lost: true,
    next: null,
  },
  {
    title: 'its node has not answered for less: it may come back',
    pod: pod({ state: running, conditions: notReady('2026-11-29T10:07:01Z') }),
    lost: false,
    next: '2026-11-29T10:08:01.000Z',
  },
  {
    title: 'not ready, because a gate of the site is not: its node lives',
    pod: pod({ state: running, conditions: notReady('2026-11-29T10:00:00Z', 'ReadinessGatesNotReady') }),
    lost: false,
    next: null,
  },
  {
    title: 'not ready, because its container is not: its node lives',
    pod: pod({
      state: running,
      conditions: notReady('2026-11-29T10:00:00Z').map((each) => ({ ...each, status: 'False' })),
    }),
    lost: false,
    next: null,
  },
  {
    title: 'it was to be gone a minute ago, its grace included',
    pod: goes(pod({ state: { waiting: { reason: 'ContainerCreating' } } }), '2026-11-29T10:06:30Z'),
    lost: true,
    next: null,
  },
  {
    title: 'it has grace left to save in',
    pod: goes(pod({ state: running }), '2026-11-29T10:17:00Z'),
    lost: false,
    next: '2026-11-29T10:18:00.000Z',
  },
  {
    title: 'it has ended: its node has seen to it',
    pod: pod({ phase: 'Failed', state: terminated(1), conditions: notReady('2026-11-29T10:00:00Z') }),
    lost: false,
    next: null,
  },
])('a lost node: $title', ({ pod: one, lost, next }) => {
  const status = statusOfJob({ job: job(), pods: [one] }, now);
  expect('lostNode' in status ? status.lostNode : null).toBe(lost ? 'node-0' : null);
  expect(nextLossAt([one], now)?.toISOString() ?? null).toBe(next);
});

test('a stopped job is over when all it has left is on nodes that do not answer, and says so of them alone', () => {
  const left = pod({ index: 1, state: running, conditions: notReady(made) });
  const saves = pod({ state: running });
  const saved = pod({ phase: 'Failed', state: terminated(75) });
  expect(statusOfJob({ job: stopped({ active: 2, pods: 2 }), pods: [saves, left] }, now).state).toBe('stopping');
  const over = statusOfJob({ job: stopped({ terminating: 1, pods: 2 }), pods: [saved, left] }, now);
  expect(over).toMatchObject({
    state: 'ended',
    stopRequested: 'node-lost',
    ranks: [
      { rank: 0, exitCode: 75, reason: 'Error' },
      { rank: 1, exitCode: null, reason: 'NodeUnreachable', node: 'node-1' },
    ],
  });
});

test('it is not over while the controller knows of a pod that nobody here has seen, or has not begun to stop it', () => {
  const left = pod({ state: running, conditions: notReady(made) });
  expect(statusOfJob({ job: stopped({ active: 1, terminating: 1, pods: 2 }), pods: [left] }, now).state).toBe(
    'stopping',
  );
  expect(statusOfJob({ job: stopped({ active: 1, condition: 'Other' }), pods: [left] }, now).state).toBe('stopping');
});

test('a job that was failing already is never suspended: stopped, it is over with its lost pod', () => {
  const left = pod({ state: running, conditions: notReady(made) });
  expect(statusOfJob({ job: stopped({ terminating: 1, condition: 'FailureTarget' }), pods: [left] }, now).state).toBe(
    'ended',
  );
});
