/** Scores from outside, exactly once, corrected by further ones. On any database. */
import type { OutsideScore } from '../../../decisions/outside-score.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
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

/** By the id that it has. */
const record = (ledger: Ledger, { id, ...said }: OutsideScore) => ledger.recordOutsideScore(said, () => ({ id }));

export function outsideScores(freshLedger: () => Promise<FreshLedger>): void {
  let fresh: FreshLedger;
  beforeEach(async () => {
    fresh = await freshLedger();
  });
  afterEach(() => fresh.close());

  test('comes back as it was recorded', async () => {
    expect(await record(fresh.ledger, score())).toEqual({ kind: 'recorded', score: score() });
    expect(await fresh.ledger.outsideScore('a1')).toEqual(score());
    expect(await fresh.ledger.outsideScoresOf(['other', score().checkpoint])).toEqual([score()]);
    expect(await fresh.ledger.outsideScoresOf([])).toEqual([]);
  });

  test('a second record of its id changes nothing and answers with the first, from three connections at once too', async () => {
    const ledgers = [fresh.ledger, await fresh.again(), await fresh.again()];
    const done = await Promise.all(ledgers.map((ledger) => record(ledger, score())));
    expect(done.map(({ kind }) => kind).sort()).toEqual(['before', 'before', 'recorded']);
    const again = await record(fresh.ledger, score({ by: 'bob', at: '2026-11-30T10:00:00.000Z' }));
    expect(again).toEqual({ kind: 'before', score: score() });
  });

  test('what was scored outside is in use as what was evaluated', async () => {
    await record(fresh.ledger, score());
    expect([...(await fresh.ledger.usesOf([score().checkpoint, 'other'])).evaluated]).toEqual([score().checkpoint]);
  });

  test('one is corrected once: who comes second is told by what', async () => {
    const first = score({ id: 'b2', corrects: 'a1', note: 'wrong split', score: 0.7 });
    await record(fresh.ledger, score());
    expect(await record(fresh.ledger, first)).toMatchObject({ kind: 'recorded' });
    const second = score({ id: 'c3', corrects: 'a1', note: 'no, mine', score: 0.9 });
    expect(await record(fresh.ledger, second)).toEqual({ kind: 'corrected', score: first });
    expect(await fresh.ledger.outsideScoresOf([score().checkpoint])).toEqual([
      { ...score(), isCorrected: true },
      first,
    ]);
  });

  test('a correction that is of another checkpoint is seen on what it corrects', async () => {
    await record(fresh.ledger, score());
    await record(fresh.ledger, score({ id: 'b2', checkpoint: 'other', corrects: 'a1', note: 'mixed up' }));
    expect(await fresh.ledger.outsideScoresOf([score().checkpoint])).toEqual([{ ...score(), isCorrected: true }]);
  });

  test('of two that would count one run, recorded at the same moment, one counts: the other is told by which', async () => {
    const ledgers = [fresh.ledger, await fresh.again()] as const;
    for (let round = 0; round < 12; round += 1) {
      const checkpoint = `checkpoint-${String(round)}`;
      const { id: _, ...said } = score({ checkpoint });
      const counting = (name: string) => (own: readonly OutsideScore[]) =>
        own[0] === undefined ? { id: `${name}${String(round)}` } : { counted: own[0] };
      const done = await Promise.all([
        ledgers[0].recordOutsideScore(said, counting('mean')),
        ledgers[1].recordOutsideScore(said, counting('outcomes')),
      ]);
      const [counted, ...others] = await fresh.ledger.outsideScoresOf([checkpoint]);
      expect(others).toEqual([]);
      expect(done.map(({ kind }) => kind).sort()).toEqual(['before', 'recorded']);
      expect(done.map((one) => one.score)).toEqual([counted, counted]);
    }
  });

  test('whoever records sees what corrects the scores of its checkpoint, of whichever checkpoint that is', async () => {
    const elsewhere = score({ id: 'b2', checkpoint: 'other', corrects: 'a1', note: 'mixed up' });
    const back = score({ id: 'c3', checkpoint: 'third', corrects: 'b2', note: 'mixed up again' });
    for (const one of [score(), elsewhere, back]) await record(fresh.ledger, one);
    let seen: readonly OutsideScore[] = [];
    const { id: _, ...said } = score();
    await fresh.ledger.recordOutsideScore(said, (own) => {
      seen = own;
      return { id: 'd4' };
    });
    expect(seen).toEqual([{ ...score(), isCorrected: true }, { ...elsewhere, isCorrected: true }, back]);
  });

  test('what was scored last stands first, of one benchmark or of all', async () => {
    const later = '2026-11-30T10:00:00.000Z';
    await record(fresh.ledger, score());
    await record(fresh.ledger, score({ id: 'b2', checkpoint: 'other', benchmark: 'panel', at: later }));
    const scored = (benchmark?: string, limit = 9) => fresh.ledger.checkpointsScoredOutside({ benchmark, limit });
    expect(await scored()).toEqual(['other', score().checkpoint]);
    expect(await scored(undefined, 1)).toEqual(['other']);
    expect(await scored('public')).toEqual([score().checkpoint]);
    expect(await fresh.ledger.benchmarksScoredOutside()).toEqual(['panel', 'public']);
  });
}
