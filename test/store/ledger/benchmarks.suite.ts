/** What benchmarks mean. On any database. */
import { at, type FreshLedger } from './ledgers.ts';

export function benchmarks(freshLedger: () => Promise<FreshLedger>): void {
  let fresh: FreshLedger;
  beforeEach(async () => {
    fresh = await freshLedger();
  });
  afterEach(() => fresh.close());

  const claim = (definition: string, version = 1) =>
    fresh.ledger.claimBenchmark({ name: 'addition', version, definition, at });

  test('what a name and version meant first stays, and each version is its own', async () => {
    expect(await fresh.ledger.definitionOf({ name: 'addition', version: 1 })).toBeNull();
    expect(await claim('{"samples":1}')).toBe('{"samples":1}');
    expect(await claim('{"samples":4}')).toBe('{"samples":1}');
    expect(await claim('{"samples":4}', 2)).toBe('{"samples":4}');
    expect(await fresh.ledger.definitionOf({ name: 'addition', version: 1 })).toBe('{"samples":1}');
  });

  test('of two that claim at once, both hear of the same one', async () => {
    const other = await fresh.again();
    const [mine, theirs] = await Promise.all([
      claim('{"samples":1}'),
      other.claimBenchmark({ name: 'addition', version: 1, definition: '{"samples":2}', at }),
    ]);
    expect(theirs).toBe(mine);
  });
}
