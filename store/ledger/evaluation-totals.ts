/**
 * How evaluations did over all their problems, without the problems: what is looked at before any of them is loaded.
 *
 * Does not cover intervals or anything else that needs the problems (decisions/leaderboard.ts).
 */
import { type Kysely, sql } from 'kysely';
import { compareText } from '../../decisions/compare-text.ts';
import type { EvaluationKey } from '../../decisions/evaluation.ts';
import { chunks, countsStill, idOf, namesPerQuery } from './evaluations.ts';
import type { LedgerTables } from './schema.ts';

export interface EvaluationTotal extends EvaluationKey {
  readonly problems: number;
  /** Share of samples that are correct, or what their votes scored, as the mean over problems. */
  readonly mean: number;
}

export interface EvaluationTotalsLedger {
  /** The newest first, at most `limit`: of these checkpoints or of all, on this benchmark or on all, made by this run or by any. What was taken back is left out. */
  evaluationTotals(filter: {
    readonly runId?: string;
    readonly checkpoints?: readonly string[];
    readonly benchmark?: string | undefined;
    readonly limit: number;
  }): Promise<readonly EvaluationTotal[]>;
  /** How many problems there are that any of these evaluations has. */
  problemCountOf(evaluations: readonly EvaluationKey[]): Promise<number>;
  /** Names of benchmarks that anything was evaluated on. */
  evaluatedBenchmarks(): Promise<readonly string[]>;
}

type TotalsFilter = Parameters<EvaluationTotalsLedger['evaluationTotals']>[0];

type Row = EvaluationKey & { readonly id: string; readonly created_at: string };

export function evaluationTotalsLedger(db: Kysely<LedgerTables>): EvaluationTotalsLedger {
  const newest = ({ runId, benchmark, limit }: TotalsFilter) =>
    db
      .selectFrom('evaluations')
      .select(['id', 'checkpoint', 'benchmark', 'version', 'seed', 'created_at'])
      .where(countsStill)
      .$if(benchmark !== undefined, (query) => query.where('benchmark', '=', benchmark ?? ''))
      .$if(runId !== undefined, (query) => query.where('run_id', '=', runId ?? ''))
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(limit);

  async function rowsOf({ checkpoints, ...filter }: TotalsFilter): Promise<readonly Row[]> {
    if (checkpoints === undefined) return await newest(filter).execute();
    const { limit } = filter;
    const rows: Row[] = [];
    for (const part of chunks(checkpoints, namesPerQuery))
      rows.push(...(await newest(filter).where('checkpoint', 'in', part).execute()));
    return rows
      .sort((one, other) => compareText(other.created_at, one.created_at) || compareText(one.id, other.id))
      .slice(0, limit);
  }

  return {
    async evaluationTotals(filter) {
      const rows = await rowsOf(filter);
      const totals = await totalsOf(
        db,
        rows.map(({ id }) => id),
      );
      return rows.map(({ id, checkpoint, benchmark: name, version, seed }) => {
        const total = totals.get(id) ?? { problems: 0, mean: 0 };
        return { checkpoint, benchmark: name, version, seed, ...total };
      });
    },
    async problemCountOf(evaluations) {
      const names = new Set<string>();
      for (const part of chunks(evaluations.map(idOf), namesPerQuery)) {
        const rows = await db
          .selectFrom('outcomes')
          .select('problem')
          .distinct()
          .where('evaluation_id', 'in', part)
          .execute();
        for (const { problem } of rows) names.add(problem);
      }
      return names.size;
    },
    async evaluatedBenchmarks() {
      const rows = await db.selectFrom('evaluations').select('benchmark').distinct().orderBy('benchmark').execute();
      return rows.map(({ benchmark }) => benchmark);
    },
  };
}

async function totalsOf(db: Kysely<LedgerTables>, ids: readonly string[]) {
  const totals = new Map<string, { problems: number; mean: number }>();
  for (const part of chunks(ids, namesPerQuery)) {
    const rows = await db
      .selectFrom('outcomes')
      .where('evaluation_id', 'in', part)
      .groupBy('evaluation_id')
      .select(({ fn }) => [
        'evaluation_id',
        fn.countAll().as('problems'),
        sql<number | string | null>`avg(coalesce(voted, 1.0 * correct / nullif(samples, 0)))`.as('mean'),
      ])
      .execute();
    for (const row of rows)
      totals.set(row.evaluation_id, { problems: Number(row.problems), mean: Number(row.mean ?? 0) });
  }
  return totals;
}
