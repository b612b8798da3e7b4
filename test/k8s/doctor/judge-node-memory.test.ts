import { judgeNodeMemory, type NodeMemory } from '../../../k8s/doctor/judge-node-memory.ts';

const suspect = {
  node: 'gpu-7',
  what: 'Xid 79 (GPU has fallen off the bus)',
  times: 2,
  at: '2026-11-29T03:12:00.000Z',
  until: '2026-12-02T03:12:00.000Z',
  attempt: 'demo/sft a2',
};
const known = (suspects = [suspect], cluster: string | null = 'east'): NodeMemory => ({
  kind: 'known',
  cluster,
  suspects,
});
const judge = (memory: NodeMemory) => judgeNodeMemory(memory, 'east', { context: 'prod' });

test('a node that failed is told with what, when, how often, until when, and the command that cordons it', () => {
  expect(judge(known())).toEqual([
    {
      name: 'node memory',
      verdict: 'warning',
      what: 'gpu-7: Xid 79 (GPU has fallen off the bus) at 2026-11-29 03:12 UTC, 2 times, under demo/sft a2; jobs keep away from it where they can until 2026-12-02 03:12 UTC',
      mend: {
        change: 'take it out of service until it is mended, then `temper nodes forget gpu-7`',
        command: 'kubectl --context prod cordon gpu-7',
      },
    },
  ]);
});

test('many are counted', () => {
  const checks = judge(known(Array.from({ length: 11 }, () => suspect)));
  expect([checks.length, checks.at(-1)?.what]).toEqual([9, '3 more nodes failed lately: `temper nodes` lists them']);
});

test.each<{ title: string; memory: NodeMemory; want: [string, string] }>([
  { title: 'none', memory: known([]), want: ['ok', 'no node failed lately'] },
  {
    title: 'of another cluster',
    memory: known([suspect], 'west'),
    want: [
      'not-checked',
      'the worker that answers works for another cluster: start one for this profile, or name the task queue of the one that there is (TEMPER_TASK_QUEUE)',
    ],
  },
  {
    title: 'of no cluster',
    memory: known([], null),
    want: [
      'not-checked',
      'the worker that answers runs jobs on its own machine: start one for this profile, or name the task queue of the one that there is (TEMPER_TASK_QUEUE)',
    ],
  },
  {
    title: 'when nobody could be asked',
    memory: { kind: 'unknown', why: 'no worker polls' },
    want: ['not-checked', 'which nodes failed lately a worker knows: no worker polls'],
  },
])('nodes $title', ({ memory, want }) => {
  expect(judge(memory).map(({ verdict, what }) => [verdict, what])).toEqual([want]);
});
