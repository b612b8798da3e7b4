import { nodesText } from '../../../workers/terminal/nodes-text.ts';
import type { Nodes } from '../../../workflows/contract-questions.ts';

const suspect = {
  node: 'gpu-7',
  what: 'Xid 79 (GPU has fallen off the bus)',
  times: 2,
  at: '2026-11-29T03:12:00.000Z',
  until: '2026-12-02T03:12:00.000Z',
  attempt: 'demo/sft a2',
};
const answer = (change: Partial<Nodes>): Nodes => ({
  answer: 'nodes',
  cluster: 'east',
  suspects: [],
  forgotten: [],
  ...change,
});
const forgotten = [{ node: 'gpu-9', by: 'ada', at: '2026-11-29T08:00:00.000Z' }];

test.each<{ title: string; answer: Nodes; want: readonly string[] }>([
  { title: 'none', answer: answer({}), want: ['Jobs keep away from no node.'] },
  {
    title: 'one machine',
    answer: answer({ cluster: null }),
    want: ['The jobs of this worker run on one machine: there is no node to choose.'],
  },
  {
    title: 'one that was mended',
    answer: answer({ forgotten }),
    want: ['Jobs keep away from no node.', '', 'ada said at 2026-11-29 08:00 UTC that gpu-9 is mended.'],
  },
  {
    title: 'one that failed',
    answer: answer({ suspects: [suspect] }),
    want: [
      'node   what failed                          last (UTC)        times  until (UTC)       attempt',
      '─────  ───────────────────────────────────  ────────────────  ─────  ────────────────  ───────────',
      'gpu-7  Xid 79 (GPU has fallen off the bus)  2026-11-29 03:12      2  2026-12-02 03:12  demo/sft a2',
      '',
      'Jobs keep away from these where they can. `temper nodes forget NODE` trusts one again.',
    ],
  },
])('$title', ({ answer: given, want }) => {
  expect(nodesText(given).split('\n')).toEqual(want);
});
