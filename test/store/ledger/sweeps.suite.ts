/** Sweeps, and the champions they look at. On any database. */
import type { SweepOutcome, SweepReport } from '../../../decisions/sweep.ts';
import { type FreshLedger, phase } from './ledgers.ts';

export function sweeps(freshLedger: () => Promise<FreshLedger>): void {
  let fresh: FreshLedger;
  beforeEach(async () => {
    fresh = await freshLedger();
  });
  afterEach(() => fresh.close());

  const at = (day: number) => `2026-11-${String(day)}T03:00:00.000Z`;
  const report = (outcome: SweepOutcome): SweepReport => ({
    ...{ outcome, evaluated: 1, hours: 0.5, rows: [], comparedWith: null, regressions: [], skipped: [] },
    ...{ nights: { overlap: 0, missed: 0 }, clock: [] },
  });
  const night = async (day: number, outcome?: SweepOutcome, name = 'nightly') => {
    const runId = `run-${String(day)}`;
    await fresh.ledger.openSweep({ runId, workflowId: `${name}-${String(day)}`, name, plan: { day }, at: at(day) });
    if (outcome) await fresh.ledger.recordSweepEnd({ runId, report: report(outcome), at: at(day) });
  };

  test('the first plan and the first end stay, also for two connections at once', async () => {
    await night(10);
    const again = await fresh.again();
    const wish = { runId: 'run-10', workflowId: 'other', name: 'other', plan: { day: 99 }, at: at(11) };
    expect(await again.openSweep(wish)).toMatchObject({ name: 'nightly', plan: { day: 10 }, report: null });
    const end = (ledger: typeof again, outcome: SweepOutcome) =>
      ledger.recordSweepEnd({ runId: 'run-10', report: report(outcome), at: at(10) });
    const [one, other] = await Promise.all([end(fresh.ledger, 'completed'), end(again, 'cancelled')]);
    expect(one.report).toEqual(other.report);
    expect(await fresh.ledger.sweep('run-10')).toEqual(one);
    expect(await fresh.ledger.sweep('run-11')).toBeNull();
  });

  test('the last of its name that came to its end is found behind those that did not', async () => {
    await night(10, 'completed');
    await night(11, 'cancelled');
    await night(12);
    await night(13, 'completed', 'weekly');
    const of = { name: 'nightly', startedAt: at(14), outcomes: ['completed'] } as const;
    expect(await fresh.ledger.sweepBefore(of)).toMatchObject({ runId: 'run-10', plan: { day: 10 } });
    const any = { ...of, outcomes: ['completed', 'cancelled', 'failed'] } as const;
    expect(await fresh.ledger.sweepBefore(any)).toMatchObject({ runId: 'run-11' });
    expect(await fresh.ledger.sweepBefore({ ...of, startedAt: at(10) })).toBeNull();
  });

  test('one is found by its workflow id, and the newest by its name', async () => {
    await night(10, 'completed');
    await night(11, 'cancelled');
    await night(13, 'completed', 'weekly');
    const found = async (named: string) => (await fresh.ledger.sweepNamed(named))?.runId;
    expect([await found('nightly-10'), await found('nightly'), await found('weekly'), await found('night')]).toEqual([
      ...['run-10', 'run-11', 'run-13'],
      undefined,
    ]);
    expect(await fresh.ledger.sweepNames(2)).toEqual(['weekly', 'nightly']);
    const byHand = { runId: 'by-hand', workflowId: 'weekly', name: 'weekly', plan: {}, at: at(12) };
    await fresh.ledger.openSweep(byHand); // its workflow id is the name
    expect(await found('weekly')).toBe('run-13');
  });

  test('of each pipeline the phase that ended with a checkpoint last, the newest first', async () => {
    const done = { state: 'completed', promoted: 'a' } as const;
    await fresh.ledger.upsertPhase(phase({ ...done, at: at(10) }));
    await fresh.ledger.upsertPhase(phase({ ...done, phase: 'drgrpo', position: 2, promoted: 'b', at: at(11) }));
    await fresh.ledger.upsertPhase(phase({ phase: 'orpo', position: 3, state: 'running', at: at(12) }));
    const other = { workflowId: 'other', runId: 'run-2' };
    for (const [position, name] of ['base', 'sft'].entries())
      await fresh.ledger.upsertPhase(
        phase({ ...other, state: 'reused', phase: name, position, promoted: name, at: at(13) }),
      );
    const last = async (limit: number) =>
      (await fresh.ledger.lastFinishedPhases(limit)).map(({ workflowId, promoted }) => [workflowId, promoted]);
    expect(await last(10)).toEqual([
      ['other', 'sft'],
      ['demo', 'b'],
    ]);
    expect(await last(1)).toEqual([['other', 'sft']]);
  });
}
