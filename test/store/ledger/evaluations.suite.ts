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

  test('what a vote scored and what timed out come back, and the mean is over votes', async () => {
    const problems = [problem('1+1', { voted: 0.5, timedOut: 1 }), problem('2+2', { voted: 1 }), problem('3+3')];
    await fresh.ledger.recordEvaluation(record({ problems }));
    expect((await fresh.ledger.evaluationsOf([evaluation().checkpoint]))[0]?.problems).toEqual(problems);
    const of = { checkpoints: [evaluation().checkpoint], benchmarks: [evaluation().benchmark] };
    expect((await fresh.ledger.scoredEvaluationsOf(of))[0]?.problems).toMatchObject([
      { voted: 0.5, timedOut: 1 },
      { voted: 1 },
      { problem: '3+3' },
    ]);
    const [total] = await fresh.ledger.evaluationTotals({ limit: 1 });
    expect(total?.mean).toBeCloseTo(2 / 3, 10);
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

  describe('totals', () => {
    const all = (correct: number) => [problem('1+1', { correct }), problem('2+2', { correct, samples: 4 })];
    beforeEach(async () => {
      const seen = [
        record({ problems: all(1) }),
        { ...record({ seed: 8, problems: all(2) }), at: '2027-01-02T00:00:00.000Z', runId: 'run-2' },
        {
          ...record({ checkpoint: 'other', benchmark: 'zeta', problems: [problem('3+3')] }),
          at: '2027-01-03T00:00:00.000Z',
        },
      ];
      for (const one of seen) await fresh.ledger.recordEvaluation(one);
    });

    test('are of the newest evaluations, or of some checkpoints, a benchmark or a run', async () => {
      const shown = async (filter: Parameters<typeof fresh.ledger.evaluationTotals>[0]) =>
        (await fresh.ledger.evaluationTotals(filter)).map(({ benchmark, seed, problems, mean }) => [
          `${benchmark} ${String(seed)}`,
          problems,
          mean,
        ]);
      const [first, second, other] = [
        ['addition 7', 2, 0.375],
        ['addition 8', 2, 0.75],
        ['zeta 7', 1, 0.5],
      ];
      expect(await shown({ limit: 2 })).toEqual([other, second]);
      expect(await shown({ limit: 9, benchmark: 'addition' })).toEqual([second, first]);
      expect(await shown({ limit: 9, checkpoints: ['other'] })).toEqual([other]);
      expect(await shown({ limit: 9, checkpoints: [] })).toEqual([]);
      expect(await shown({ limit: 9, runId: 'run-2' })).toEqual([second]);
    });

    test('count the problems that any of some evaluations has', async () => {
      const keys = await fresh.ledger.evaluationTotals({ limit: 9 });
      expect(await fresh.ledger.problemCountOf(keys)).toBe(3);
      expect(await fresh.ledger.problemCountOf(keys.filter(({ benchmark }) => benchmark === 'addition'))).toBe(2);
    });

    test('name the benchmarks there are', async () => {
      expect(await fresh.ledger.evaluatedBenchmarks()).toEqual(['addition', 'zeta']);
    });
  });

  test('thousands of problems fit', async () => {
    const problems = Array.from({ length: 3000 }, (_, index) => problem(`problem ${String(index)}`));
    await fresh.ledger.recordEvaluation(record({ problems }));
    expect((await fresh.ledger.evaluationsOf([evaluation().checkpoint]))[0]?.problems).toEqual(problems);
  });
}
