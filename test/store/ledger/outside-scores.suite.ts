/** Scores from outside, exactly once, corrected by further ones. On any database. */
import type { OutsideScore } from '../../../decisions/outside-score.ts';
import { at, type FreshLedger } from './ledgers.ts';

const score = (change: Partial<OutsideScore> = {}): OutsideScore => ({
  id: 'a1',
  checkpoint: 'demo/sft/a1/checkpoint-50',
  benchmark: 'public',
  version: 1,
  score: 0.8,
  problems: 50,
  runs: 2,
  deviation: 0.014,
  standardError: null,
  place: 3,
  runtime: 'kept',
  source: 'round 3',
  by: 'ann',
  note: '',
  corrects: null,
  at,
  ...change,
});

export function outsideScores(freshLedger: () => Promise<FreshLedger>): void {
  let fresh: FreshLedger;
  beforeEach(async () => {
    fresh = await freshLedger();
  });
  afterEach(() => fresh.close());

  test('comes back as it was recorded', async () => {
    expect(await fresh.ledger.recordOutsideScore(score())).toEqual({ recorded: true, score: score() });
    expect(await fresh.ledger.outsideScore('a1')).toEqual(score());
    expect(await fresh.ledger.outsideScoresOf(['other', score().checkpoint])).toEqual([score()]);
    expect(await fresh.ledger.outsideScoresOf([])).toEqual([]);
  });

  test('a second record of its id changes nothing and answers with the first, from three connections at once too', async () => {
    const ledgers = [fresh.ledger, await fresh.again(), await fresh.again()];
    const done = await Promise.all(ledgers.map((ledger) => ledger.recordOutsideScore(score())));
    expect(done.filter(({ recorded }) => recorded)).toHaveLength(1);
    const again = await fresh.ledger.recordOutsideScore(score({ by: 'bob', at: '2026-11-30T10:00:00.000Z' }));
    expect(again).toEqual({ recorded: false, score: score() });
  });

  test('what was scored outside is in use as what was evaluated', async () => {
    await fresh.ledger.recordOutsideScore(score());
    expect([...(await fresh.ledger.usesOf([score().checkpoint, 'other'])).evaluated]).toEqual([score().checkpoint]);
  });

  test('one is corrected once: who comes second is told by what', async () => {
    const first = score({ id: 'b2', corrects: 'a1', note: 'wrong split', score: 0.7 });
    await fresh.ledger.recordOutsideScore(score());
    expect(await fresh.ledger.recordOutsideScore(first)).toMatchObject({ recorded: true });
    const second = score({ id: 'c3', corrects: 'a1', note: 'no, mine', score: 0.9 });
    expect(await fresh.ledger.recordOutsideScore(second)).toEqual({ recorded: false, score: first });
    expect(await fresh.ledger.outsideScoresOf([score().checkpoint])).toEqual([
      { ...score(), isCorrected: true },
      first,
    ]);
  });

  test('a correction that is of another checkpoint is seen on what it corrects', async () => {
    await fresh.ledger.recordOutsideScore(score());
    await fresh.ledger.recordOutsideScore(score({ id: 'b2', checkpoint: 'other', corrects: 'a1', note: 'mixed up' }));
    expect(await fresh.ledger.outsideScoresOf([score().checkpoint])).toEqual([{ ...score(), isCorrected: true }]);
  });

  test('of two that would count one run, recorded at the same moment, one counts: the other is told by which', async () => {
    const ledgers = [fresh.ledger, await fresh.again()] as const;
    for (let round = 0; round < 12; round += 1) {
      const of = (id: string) => score({ id: `${id}${String(round)}`, checkpoint: `checkpoint-${String(round)}` });
      const countedBy = (own: readonly OutsideScore[]) => own[0] ?? null;
      const done = await Promise.all([
        ledgers[0].recordOutsideScore(of('mean'), countedBy),
        ledgers[1].recordOutsideScore(of('outcomes'), countedBy),
      ]);
      const [counted, ...others] = await fresh.ledger.outsideScoresOf([of('mean').checkpoint]);
      expect(others).toEqual([]);
      expect(done.map(({ recorded }) => recorded).sort()).toEqual([false, true]);
      expect(done.map((one) => one.score)).toEqual([counted, counted]);
    }
  });

  test('what was scored last stands first, of one benchmark or of all', async () => {
    const later = '2026-11-30T10:00:00.000Z';
    await fresh.ledger.recordOutsideScore(score());
    await fresh.ledger.recordOutsideScore(score({ id: 'b2', checkpoint: 'other', benchmark: 'panel', at: later }));
    const scored = (benchmark?: string, limit = 9) => fresh.ledger.checkpointsScoredOutside({ benchmark, limit });
    expect(await scored()).toEqual(['other', score().checkpoint]);
    expect(await scored(undefined, 1)).toEqual(['other']);
    expect(await scored('public')).toEqual([score().checkpoint]);
    expect(await fresh.ledger.benchmarksScoredOutside()).toEqual(['panel', 'public']);
  });
}
