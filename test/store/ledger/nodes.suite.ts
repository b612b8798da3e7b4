/** Nodes that failed, and nodes that were forgotten. On any database. */
import { evidence, incident } from '../../support/builders.ts';
import type { FreshLedger } from './ledgers.ts';

export function nodes(freshLedger: () => Promise<FreshLedger>): void {
  let fresh: FreshLedger;
  beforeEach(async () => {
    fresh = await freshLedger();
  });
  afterEach(() => fresh.close());

  const at = (hour: number) => `2026-11-29T${String(hour).padStart(2, '0')}:00:00.000Z`;
  const failed = async (
    attempt: number,
    more: { cluster?: string; node?: string; name?: 'hardware' | 'preempted' } = {},
  ) => {
    const { cluster, node = 'gpu-7', name = 'hardware' } = more;
    await fresh.ledger.recordIncident({
      workflowId: 'demo',
      runId: 'run-1',
      phase: 'sft',
      incident: incident(name).on(node).build(attempt),
      evidence: evidence().build(),
      at: at(attempt),
      cluster,
    });
  };
  const seen = async (since: string) => {
    const found = await fresh.ledger.nodeFailures({ cluster: 'east', since, classes: ['hardware', 'killed'] });
    return found.map(({ node, attempt }) => [node, attempt]);
  };

  test('failures of a cluster are found by their class and time, the newest first, and of no other cluster', async () => {
    await failed(1, { cluster: 'east' });
    await failed(2, { cluster: 'west' });
    await failed(3, { cluster: 'east', name: 'preempted' });
    await failed(4, { cluster: 'east', node: 'gpu-9' });
    await failed(5);
    await failed(6, { cluster: 'east', node: '' });
    expect(await seen(at(0))).toEqual([
      ['gpu-9', 4],
      ['gpu-7', 1],
    ]);
    expect(await seen(at(2))).toEqual([['gpu-9', 4]]);
    expect(await fresh.ledger.nodeFailures({ cluster: 'east', since: at(4), classes: ['hardware'] })).toEqual([
      {
        node: 'gpu-9',
        class: 'hardware',
        rootCause: 'hardware',
        because: { rule: 'no-result' },
        pipeline: 'demo',
        phase: 'sft',
        attempt: 4,
        at: at(4),
      },
    ]);
  });

  test('failures whose node nobody knows leave room for those with one, however many they are', async () => {
    let attempt = 0;
    for (const node of ['gpu-9', '', '', '']) await failed((attempt += 1), { cluster: 'east', node });
    const found = await fresh.ledger.nodeFailures({ cluster: 'east', since: at(0), classes: ['hardware'], most: 3 });
    expect(found.map(({ node }) => node)).toEqual(['gpu-9']);
  });

  test('a node is forgotten with who said so, once', async () => {
    const { ledger } = fresh;
    const node = { cluster: 'east', node: 'gpu-7', by: 'ada', at: at(5) };
    await ledger.forgetNode(node);
    await ledger.forgetNode(node);
    await ledger.forgetNode({ ...node, cluster: 'west' });
    expect(await ledger.forgottenNodes({ cluster: 'east', since: at(1) })).toEqual([
      { node: 'gpu-7', by: 'ada', at: at(5) },
    ]);
    expect(await ledger.forgottenNodes({ cluster: 'east', since: at(6) })).toEqual([]);
  });
}
