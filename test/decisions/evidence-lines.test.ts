import { linesOfEvidence, rankEndsInOrder } from '../../decisions/evidence-lines.ts';
import type { JobEvidence } from '../../decisions/job-evidence.ts';
import { rankEnd } from '../support/builders.ts';

const at = '2026-11-29T03:12:00.000Z';
const ended = {
  kind: 'ended',
  exitCode: 137,
  signal: null,
  reason: 'OOMKilled',
  message: 'step 417\nstep 418\n',
  startedAt: at,
  endedAt: at,
} as const;
const cluster: JobEvidence = {
  uid: 'u',
  at,
  conditions: [
    { type: 'Failed', status: 'True', reason: 'PodFailurePolicy', message: 'Container trainer\nfailed', since: at },
  ],
  pods: [
    {
      name: 't-demo-0-x',
      rank: 0,
      node: 'gpu-7',
      phase: 'Failed',
      reason: 'Evicted',
      message: 'The node was low on resource: memory.',
      isGone: true,
      endingSince: null,
      conditions: [
        { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: null, since: at },
      ],
      containers: [
        { name: 'fetch', isInit: true, restarts: 0, state: null, before: null },
        { name: 'trainer', isInit: false, restarts: 1, state: ended, before: { kind: 'running', startedAt: at } },
      ],
    },
    {
      name: 't-demo-1-y',
      rank: 1,
      node: '',
      phase: 'Pending',
      reason: null,
      message: null,
      isGone: false,
      endingSince: null,
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes', since: at }],
      containers: [
        {
          name: 'trainer',
          isInit: false,
          restarts: 0,
          state: { kind: 'waiting', reason: 'ErrImagePull', message: 'not found' },
          before: null,
        },
      ],
    },
  ],
  events: [
    {
      type: 'Warning',
      reason: 'Evicted',
      message: 'low on memory',
      pod: 't-demo-0-x',
      firstAt: at,
      lastAt: at,
      count: 3,
    },
    {
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'Created pod',
      pod: null,
      firstAt: at,
      lastAt: at,
      count: 1,
    },
  ],
  omitted: { pods: 2, events: 1 },
};

test('each rank is told with its end, its word and its last lines; then the job, its pods, containers and events', () => {
  const ranks = [
    rankEnd({ rank: 5, node: 'gpu-7', exitCode: 134, endedAt: at, lastLines: ['terminate called', 'Watchdog'] }),
    rankEnd({
      rank: 0,
      node: 'gpu-8',
      exitCode: null,
      signal: 'SIGKILL',
      endedAt: null,
      reason: 'OOMKilled',
      message: 'over\nits limit',
    }),
    rankEnd({ rank: 6, node: '', exitCode: null, endedAt: null, role: { name: 'engine', index: 1 } }),
  ];
  expect(linesOfEvidence({ ranks, cluster })).toEqual([
    'rank 5, node gpu-7: exit code 134 (SIGABRT), at 03:12:00',
    '  | terminate called',
    '  | Watchdog',
    'rank 0, node gpu-8: ended by SIGKILL, OOMKilled: over its limit',
    'engine 1 (rank 6): nobody saw it end',
    'job: Failed, PodFailurePolicy: Container trainer failed',
    'pod t-demo-0-x, rank 0, node gpu-7: Failed, Evicted: The node was low on resource: memory., gone',
    '  DisruptionTarget, TerminationByKubelet',
    '  init container fetch: nothing is known',
    '  container trainer before: running since 03:12:00',
    '  container trainer, started again 1 times: exit code 137 (OOMKilled) at 03:12:00',
    '    | step 417',
    '    | step 418',
    'pod t-demo-1-y, rank 1, never on a node: Pending',
    '  PodScheduled is False, Unschedulable: 0/1 nodes',
    '  container trainer: waiting, ErrImagePull: not found',
    'event 03:12:00 Warning of pod t-demo-0-x: Evicted: low on memory (3 times)',
    'event 03:12:00 Normal of job: SuccessfulCreate: Created pod',
    '… and 2 pods and 1 events more were not kept',
  ]);
});

test('the blamed rank comes first with all its words, the others with their last five; 64 at most', () => {
  const words = Array.from({ length: 40 }, (_, index) => `line ${String(index)}`);
  const ranks = Array.from({ length: 100 }, (_, rank) => rankEnd({ rank, lastLines: words }));
  const ordered = rankEndsInOrder(ranks, 5);
  expect(ordered.slice(0, 3).map(({ rank, lastLines }) => [rank, lastLines.length])).toEqual([
    [5, 40],
    [0, 5],
    [1, 5],
  ]);
  expect([ordered.length, ordered[1]?.lastLines.at(-1)]).toEqual([64, 'line 39']);
});
