/** What a person takes back counts no longer, once each, and stays. On any database. */
import type { OutsideScore } from '../../../decisions/outside-score.ts';
import type { Withdrawal } from '../../../decisions/withdrawal.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import { at, evaluation, type FreshLedger } from './ledgers.ts';

const own = evaluation();
const withdrawal = (change: Partial<Withdrawal> = {}): Withdrawal => ({
  ...{ id: 'e1', checkpoint: own.checkpoint, benchmark: own.benchmark, version: own.version },
  ...{ by: 'bob', note: 'wrong checkpoint', at },
  ...change,
});
const score: OutsideScore = {
  ...{ id: 'a1', checkpoint: own.checkpoint, benchmark: 'public', version: 1, score: 0.8, problems: 50, runs: 1 },
  ...{ deviation: null, standardError: null, place: null, runtime: null, source: '', by: 'ann', note: '' },
  ...{ corrects: null, at },
};

/** By the id that it has. */
const record = (ledger: Ledger, { id, ...said }: OutsideScore) => ledger.recordOutsideScore(said, () => ({ id }));

export function withdrawals(freshLedger: () => Promise<FreshLedger>): void {
  let fresh: FreshLedger;
  beforeEach(async () => {
    fresh = await freshLedger();
  });
  afterEach(() => fresh.close());
  const evaluated = async () => [...(await fresh.ledger.usesOf([own.checkpoint])).evaluated];

  test('an evaluation is found by no query, keeps its checkpoint no longer, and is there still', async () => {
    const { ledger } = fresh;
    await ledger.recordEvaluation({ evaluation: own, runId: '', jobName: 'samples.jsonl', at });
    expect(await evaluated()).toEqual([own.checkpoint]);
    expect(await ledger.withdraw(withdrawal(), own)).toEqual({ kind: 'withdrawn', withdrawal: withdrawal() });
    expect(await ledger.evaluationsOf([own.checkpoint])).toEqual([]);
    expect(await ledger.evaluationKeysOf([own.checkpoint])).toEqual([]);
    expect(await ledger.scoredEvaluationsOf({ checkpoints: [own.checkpoint], benchmarks: [own.benchmark] })).toEqual(
      [],
    );
    expect(await ledger.evaluationTotals({ limit: 9 })).toEqual([]);
    expect(await evaluated()).toEqual([]);
    const again = await ledger.recordEvaluation({ evaluation: own, runId: '', jobName: 'samples.jsonl', at });
    expect(again).toEqual({ recorded: false, evaluation: own });
    const { problems: _, ...key } = own;
    expect(await ledger.importedEvaluations()).toEqual([key]);
  });

  test('a score says that it is withdrawn', async () => {
    const { ledger } = fresh;
    await record(ledger, score);
    await ledger.withdraw(withdrawal({ id: 'a1', benchmark: 'public' }), null);
    expect(await ledger.outsideScoresOf([own.checkpoint])).toEqual([{ ...score, isWithdrawn: true }]);
    expect(await evaluated()).toEqual([]);
  });

  test('of several who withdraw at once the first is kept, and all are told by whom', async () => {
    const ledgers = [fresh.ledger, await fresh.again(), await fresh.again()];
    await record(fresh.ledger, score);
    const done = await Promise.all(
      ledgers.map((ledger, index) => ledger.withdraw(withdrawal({ id: 'a1', by: `user-${String(index)}` }), null)),
    );
    expect(done.map(({ kind }) => kind).sort()).toEqual(['before', 'before', 'withdrawn']);
    expect(new Set(done.map((one) => 'withdrawal' in one && one.withdrawal.by)).size).toBe(1);
  });

  test('what another score stands for is not withdrawn', async () => {
    await record(fresh.ledger, score);
    await record(fresh.ledger, { ...score, id: 'b2', corrects: 'a1', note: 'other split' });
    expect(await fresh.ledger.withdraw(withdrawal({ id: 'a1' }), null)).toEqual({ kind: 'corrected', by: 'b2' });
    expect(await fresh.ledger.withdrawal('a1')).toBeNull();
  });

  test('the newest stand first, of some checkpoints or of all, on one benchmark or on all', async () => {
    const { ledger } = fresh;
    const later = withdrawal({ id: 'e2', checkpoint: 'other', at: '2026-11-30T10:00:00.000Z' });
    await ledger.withdraw(withdrawal(), own);
    await ledger.withdraw(later, null);
    await ledger.withdraw(withdrawal({ id: 'e3', benchmark: 'public', at: '2026-11-28T10:00:00.000Z' }), null);
    const ids = async (of: Parameters<typeof ledger.withdrawalsOf>[0]) =>
      (await ledger.withdrawalsOf(of)).map(({ id }) => id);
    expect(await ids({ limit: 2 })).toEqual(['e2', 'e1']);
    expect(await ids({ checkpoints: ['other', own.checkpoint], limit: 9 })).toEqual(['e2', 'e1', 'e3']);
    expect(await ids({ checkpoints: [own.checkpoint], benchmark: 'public', limit: 9 })).toEqual(['e3']);
  });
}
