/** Evaluations, exactly once. On any database. */
import { evaluation, type FreshLedger, at, problem } from './ledgers.ts';

export function evaluations(freshLedger: () => Promise<FreshLedger>): void {
  let fresh: FreshLedger;
  beforeEach(async () => {
    fresh = await freshLedger();
  });
  afterEach(() => fresh.close());

  const record = (more = {}) => ({ evaluation: evaluation(more), runId: 'run-1', jobName: 't-1', at });

  test('comes back as it was recorded, problems in their order', async () => {
    expect(await fresh.ledger.recordEvaluation(record())).toMatchObject({ recorded: true });
    expect(await fresh.ledger.evaluationsOf([evaluation().checkpoint])).toEqual([evaluation()]);
  });

  test('the type of a problem comes back where it has one', async () => {
    const problems = [problem('47+38', { type: 'with carry' }), problem('1+1')];
    await fresh.ledger.recordEvaluation(record({ problems }));
    expect((await fresh.ledger.evaluationsOf([evaluation().checkpoint]))[0]?.problems).toEqual(problems);
  });

  test('a second record of the key changes nothing and answers with the first', async () => {
    await fresh.ledger.recordEvaluation(record());
    const second = await fresh.ledger.recordEvaluation(record({ problems: [problem('other', { correct: 2 })] }));
    expect(second).toEqual({ recorded: false, evaluation: evaluation() });
    expect(await fresh.ledger.evaluationCountOf('run-1')).toBe(1);
  });

  test('two connections at once record it once', async () => {
    const ledgers = [fresh.ledger, await fresh.again(), await fresh.again()];
    const done = await Promise.all(ledgers.map((ledger) => ledger.recordEvaluation(record())));
    expect(done.filter(({ recorded }) => recorded)).toHaveLength(1);
    expect(await fresh.ledger.evaluationsOf([evaluation().checkpoint])).toEqual([evaluation()]);
  });

  test('another seed, version, benchmark or checkpoint is another evaluation', async () => {
    for (const more of [{}, { seed: 8 }, { version: 2 }, { benchmark: 'subtraction' }, { checkpoint: 'other' }]) {
      expect((await fresh.ledger.recordEvaluation(record(more))).recorded).toBe(true);
    }
    expect(await fresh.ledger.evaluationKeysOf(['other', evaluation().checkpoint])).toHaveLength(5);
    expect(await fresh.ledger.evaluationKeysOf([])).toEqual([]);
  });

  test('one that breaks in the middle leaves nothing', async () => {
    const doubled = record({ problems: [problem('same'), problem('same')] });
    await expect(fresh.ledger.recordEvaluation(doubled)).rejects.toThrow(/unique/i);
    expect(await fresh.ledger.evaluationKeysOf([evaluation().checkpoint])).toEqual([]);
  });

  test('thousands of problems fit', async () => {
    const problems = Array.from({ length: 3000 }, (_, index) => problem(`problem ${String(index)}`));
    await fresh.ledger.recordEvaluation(record({ problems }));
    expect((await fresh.ledger.evaluationsOf([evaluation().checkpoint]))[0]?.problems).toEqual(problems);
  });
}
