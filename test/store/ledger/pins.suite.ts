/** Pins and prunings of one checkpoint, whichever comes first. On any database. */
import type { DecisionRecord } from '../../../store/ledger/decisions.ts';
import { at, checkpoint, type FreshLedger } from './ledgers.ts';

export function pins(freshLedger: () => Promise<FreshLedger>): void {
  let fresh: FreshLedger;
  beforeEach(async () => {
    fresh = await freshLedger();
    for (const step of [5, 10]) await fresh.ledger.recordCheckpoint(checkpoint(step));
  });
  afterEach(() => fresh.close());

  const five = checkpoint(5).id;
  const ten = checkpoint(10).id;
  const decision = (question: string, answer: unknown): DecisionRecord => ({
    key: `${question}/${JSON.stringify(answer)}`,
    runId: 'run-1',
    phase: 'sft',
    attempt: null,
    question,
    answer,
    evidence: null,
    at,
  });
  const giveUp = (ledger = fresh.ledger, ids: readonly string[] = [five, ten]) =>
    ledger.giveUpCheckpoints(ids, (ids) => decision('prune', ids), at);
  const decided = async () =>
    (await fresh.ledger.decisionsOf({ runId: 'run-1' })).map(({ question, answer }) => [question, answer]);

  test('a pin comes with its decision, once; so does its end', async () => {
    const { ledger } = fresh;
    expect(await ledger.pinCheckpoint(five, decision('pin', five))).toEqual({ changed: true });
    expect(await ledger.pinCheckpoint(five, decision('pin', 'again'))).toEqual({ changed: false });
    expect(await ledger.checkpoint(five)).toMatchObject({ pinned: true });
    expect(await ledger.unpinCheckpoint(five, decision('unpin', five))).toEqual({ changed: true });
    expect(await ledger.unpinCheckpoint(five)).toEqual({ changed: false });
    expect(await ledger.checkpoint(five)).toMatchObject({ pinned: false, prunedAt: null });
    expect(await decided()).toEqual([
      ['pin', five],
      ['unpin', five],
    ]);
  });

  test('what was pinned is not given up', async () => {
    await fresh.ledger.pinCheckpoint(ten);
    expect(await giveUp()).toEqual({ go: [five], fresh: [five] });
    expect(await decided()).toEqual([['prune', [five]]]);
    expect(await fresh.ledger.checkpoint(ten)).toMatchObject({ pinned: true, prunedAt: null });
  });

  test('what was given up is not pinned, and is written down once, however often it is given up', async () => {
    expect(await giveUp()).toEqual({ go: [ten, five], fresh: [ten, five] });
    expect(await giveUp(fresh.ledger, [five, 'torn'])).toEqual({ go: [five, 'torn'], fresh: ['torn'] });
    await expect(fresh.ledger.pinCheckpoint(five, decision('pin', five))).rejects.toThrow(
      `checkpoint "${five}" was given up to pruning at ${at}: it cannot be pinned`,
    );
    expect(await fresh.ledger.checkpoint(five)).toMatchObject({ pinned: false, prunedAt: at });
    expect(await decided()).toEqual([
      ['prune', [ten, five]],
      ['prune', ['torn']],
    ]);
  });

  test('what could not be deleted may be pinned again', async () => {
    await giveUp();
    await fresh.ledger.takeBackCheckpoints([five], decision('not-pruned', five));
    expect(await fresh.ledger.pinCheckpoint(five)).toEqual({ changed: true });
    expect((await fresh.ledger.checkpoint(ten))?.prunedAt).toBe(at);
    expect((await decided()).map(([question]) => question)).toEqual(['not-pruned', 'prune']);
  });

  test('of a pin and a pruning at the same moment exactly one comes about', async () => {
    const other = await fresh.again();
    for (let step = 20; step < 30; step += 1) {
      const { id } = await fresh.ledger.recordCheckpoint(checkpoint(step));
      const [pinned, given] = await Promise.all([
        fresh.ledger.pinCheckpoint(id).then(
          () => true,
          () => false,
        ),
        giveUp(other, [id]),
      ]);
      expect([pinned, given.go]).toEqual(pinned ? [true, []] : [false, [id]]);
    }
  });

  test('what an adapter lies on is in use, though nothing says it was made from it', async () => {
    const { ledger } = fresh;
    const base = await ledger.recordCheckpoint(
      checkpoint(320, { id: 'base', path: '/store/base', parent: null, base: null }),
    );
    expect((await ledger.usesOf([base.id, five])).parents).toEqual(new Set([base.id]));
    expect(await ledger.checkpointAt('/store/base')).toMatchObject({ id: 'base' });
    expect(await ledger.checkpointAt('/store/other')).toBeNull();
  });
}
