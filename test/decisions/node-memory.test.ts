import { type NodeFailure, suspectNodes, whySuspect } from '../../decisions/node-memory.ts';

const now = new Date('2026-11-29T12:00:00.000Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000).toISOString();

function failure(hours: number, change: Partial<NodeFailure> = {}): NodeFailure {
  const line = 'NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.';
  return {
    node: 'gpu-7',
    class: 'hardware',
    rootCause: 'Xid',
    because: { rule: 'log-line', rank: 0, line },
    pipeline: 'demo',
    phase: 'sft',
    attempt: 1,
    at: hoursAgo(hours),
    ...change,
  };
}
const killed = (hours: number, change: Partial<NodeFailure> = {}) =>
  failure(hours, {
    class: 'killed',
    rootCause: 'SIGKILL',
    because: { rule: 'signal', rank: 0, signal: 'SIGKILL' },
    ...change,
  });
const untils = (...failures: NodeFailure[]) =>
  suspectNodes(failures, [], now).map(({ node, until }) => [node, (Date.parse(until) - now.getTime()) / 3_600_000]);

test.each<{ title: string; seen: NodeFailure[]; want: [string, number][] }>([
  { title: 'broken hardware is avoided for a day', seen: [failure(1)], want: [['gpu-7', 23]] },
  { title: 'and no longer', seen: [failure(24)], want: [] },
  { title: 'for three days after the second time', seen: [failure(100), failure(1)], want: [['gpu-7', 71]] },
  { title: 'for a week after the third', seen: [failure(300), failure(200), failure(1)], want: [['gpu-7', 167]] },
  { title: 'and never longer', seen: [1, 2, 3, 4, 5].map((hours) => failure(hours)), want: [['gpu-7', 167]] },
  { title: 'one kill says nothing of a node', seen: [killed(1)], want: [] },
  {
    title: 'two of different pipelines do',
    seen: [killed(2), killed(1, { pipeline: 'other' })],
    want: [['gpu-7', 23]],
  },
  { title: 'also two of one phase', seen: [killed(2), killed(1)], want: [['gpu-7', 23]] },
  { title: 'not two that lie days apart', seen: [killed(30), killed(1)], want: [] },
  {
    title: 'not where the same cause followed the phase to another node',
    seen: [killed(3), killed(2), killed(1, { node: 'gpu-9' })],
    want: [],
  },
  {
    title: 'but where another phase failed elsewhere',
    seen: [killed(3), killed(2), killed(1, { node: 'gpu-9', phase: 'orpo' })],
    want: [['gpu-7', 22]],
  },
  {
    title: 'the node that failed last comes first',
    seen: [failure(3), failure(2, { node: 'a' })],
    want: [
      ['a', 22],
      ['gpu-7', 21],
    ],
  },
])('$title', ({ seen, want }) => {
  expect(untils(...seen)).toEqual(want);
});

test('what was forgotten counts no more, and what comes after it does', () => {
  const forgotten = [{ node: 'gpu-7', by: 'ada', at: hoursAgo(2) }];
  expect(suspectNodes([failure(3)], forgotten, now)).toEqual([]);
  expect(suspectNodes([failure(3), failure(1)], forgotten, now)).toMatchObject([{ node: 'gpu-7', times: 1 }]);
  expect(suspectNodes([failure(3)], [{ ...forgotten[0], node: 'gpu-9', by: '', at: hoursAgo(2) }], now)).toHaveLength(
    1,
  );
});

test('it is told in the field’s words, with when, how often and of whom', () => {
  const [first] = suspectNodes([failure(200), failure(1, { attempt: 4 })], [], now);
  expect(first && [whySuspect(first), first.attempt]).toEqual([
    'Xid 79 (GPU has fallen off the bus) at 2026-11-29 11:00 UTC, 2 times',
    'demo/sft a4',
  ]);
  const [kill] = suspectNodes([killed(2), killed(1)], [], now);
  expect(kill && whySuspect(kill)).toBe('killed at 2026-11-29 11:00 UTC, 2 times');
});

test('of very many only the newest are kept away from, so that a job stays small', () => {
  const many = Array.from({ length: 200 }, (_, index) => failure(1 + index / 100, { node: `gpu-${String(index)}` }));
  const suspects = suspectNodes(many, [], now);
  expect([suspects.length, suspects[0]?.node]).toEqual([64, 'gpu-0']);
});
