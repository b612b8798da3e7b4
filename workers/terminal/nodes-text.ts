/** What `temper nodes` prints: the nodes that jobs keep away from, until when and why, and who forgot which. */
import type { SuspectNode } from '../../decisions/node-memory.ts';
import { minuteOf } from '../../decisions/utc-minute.ts';
import type { Nodes } from '../../workflows/contract-questions.ts';
import { coloured } from './colour.ts';
import { type Column, columnsText } from './columns.ts';

const columns: readonly Column<SuspectNode>[] = [
  { head: 'node', cell: ({ node }) => node },
  { head: 'what failed', cell: ({ what }) => what, paint: (text) => coloured('bad', text) },
  { head: 'last (UTC)', cell: ({ at }) => minuteOf(at) },
  { head: 'times', align: 'right', cell: ({ times }) => String(times) },
  { head: 'until (UTC)', cell: ({ until }) => minuteOf(until) },
  { head: 'attempt', cell: ({ attempt }) => attempt },
];

export function nodesText({ cluster, suspects, forgotten }: Nodes): string {
  if (cluster === null) return 'The jobs of this worker run on one machine: there is no node to choose.';
  const lines = forgotten.map(({ node, by, at }) =>
    coloured('quiet', `${by} said at ${minuteOf(at)} UTC that ${node} is mended.`),
  );
  const told = lines.length === 0 ? [] : ['', ...lines];
  if (suspects.length === 0) return ['Jobs keep away from no node.', ...told].join('\n');
  const advice = 'Jobs keep away from these where they can. `temper nodes forget NODE` trusts one again.';
  return [columnsText(columns, suspects), '', advice, ...told].join('\n');
}
