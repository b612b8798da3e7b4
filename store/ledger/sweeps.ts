/**
 * Sweeps in the ledger: one row per run, with what it looks at from its start on, and its report once it has ended. The first of both stays.
 *
 * Histories of workflows expire: what tonight's sweep is compared with is found here. Does not cover its evaluations (evaluations.ts).
 */
import type { Kysely, Selectable } from 'kysely';
import type { SweepOutcome, SweepReport } from '../../decisions/sweep.ts';
import type { LedgerTables } from './schema.ts';

export interface NewSweep<Plan = unknown> {
  /** Of the first run, where its workflow goes on as a new one. */
  readonly runId: string;
  readonly workflowId: string;
  readonly name: string;
  /** What was resolved and chosen at its start, kept as JSON. */
  readonly plan: Plan;
  /** ISO 8601. */
  readonly at: string;
}

export interface SweepRecord<Plan = unknown> extends Omit<NewSweep<Plan>, 'at'> {
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly report: SweepReport | null;
}

export interface SweepLedger {
  /** Doing it again changes nothing, and answers with what was opened first. */
  openSweep<Plan>(sweep: NewSweep<Plan>): Promise<SweepRecord<Plan>>;
  sweep(runId: string): Promise<SweepRecord | null>;
  /** The one that began last, of those with this workflow id or name. */
  sweepNamed(named: string): Promise<SweepRecord | null>;
  /** Of those that began last, each once. */
  sweepNames(limit: number): Promise<readonly string[]>;
  /** The newest of this name that began before, of those that ended like this. */
  sweepBefore(of: {
    readonly name: string;
    readonly startedAt: string;
    readonly outcomes: readonly SweepOutcome[];
  }): Promise<SweepRecord | null>;
  /** The first end stays. */
  recordSweepEnd(end: {
    readonly runId: string;
    readonly report: SweepReport;
    readonly at: string;
  }): Promise<SweepRecord>;
}

function asRecord(row: Selectable<LedgerTables['sweeps']>): SweepRecord {
  return {
    runId: row.run_id,
    workflowId: row.workflow_id,
    name: row.name,
    plan: JSON.parse(row.plan) as unknown,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    report: row.report === null ? null : (JSON.parse(row.report) as SweepReport),
  };
}

export function sweepLedger(db: Kysely<LedgerTables>): SweepLedger {
  const find = (runId: string) => db.selectFrom('sweeps').selectAll().where('run_id', '=', runId);
  return {
    async openSweep<Plan>({ runId, workflowId, name, plan, at }: NewSweep<Plan>) {
      await db
        .insertInto('sweeps')
        .values({
          ...{ run_id: runId, workflow_id: workflowId, name, plan: JSON.stringify(plan) },
          ...{ started_at: at, ended_at: null, outcome: null, report: null },
        })
        .onConflict((conflict) => conflict.column('run_id').doNothing())
        .execute();
      return asRecord(await find(runId).executeTakeFirstOrThrow()) as SweepRecord<Plan>;
    },
    async sweep(runId) {
      const row = await find(runId).executeTakeFirst();
      return row === undefined ? null : asRecord(row);
    },
    async sweepNamed(named) {
      const row = await db
        .selectFrom('sweeps')
        .selectAll()
        .where((of) => of.or([of('workflow_id', '=', named), of('name', '=', named)]))
        .orderBy('started_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : asRecord(row);
    },
    async sweepNames(limit) {
      const rows = await db.selectFrom('sweeps').select('name').orderBy('started_at', 'desc').limit(limit).execute();
      return [...new Set(rows.map(({ name }) => name))];
    },
    async sweepBefore({ name, startedAt, outcomes }) {
      const row = await db
        .selectFrom('sweeps')
        .selectAll()
        .where('name', '=', name)
        .where('outcome', 'in', outcomes)
        .where('started_at', '<', startedAt)
        .orderBy('started_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : asRecord(row);
    },
    async recordSweepEnd({ runId, report, at }) {
      await db
        .updateTable('sweeps')
        .set({ ended_at: at, outcome: report.outcome, report: JSON.stringify(report) })
        .where('run_id', '=', runId)
        .where('ended_at', 'is', null)
        .execute();
      return asRecord(await find(runId).executeTakeFirstOrThrow());
    },
  };
}
