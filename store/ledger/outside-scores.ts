/**
 * Scores from outside in the ledger. Append only: the first record of an id stays, a correction is a row of its own, and each row is
 * corrected once at most. What was taken back (withdrawals.ts) says so.
 *
 * Does not cover which of them count (decisions/outside-score.ts).
 */
import type { ExpressionBuilder, Kysely, Selectable } from 'kysely';
import { TemperError } from '../../decisions/errors.ts';
import type { OutsideScore, ToldScore } from '../../decisions/outside-score.ts';
import type { LedgerTables } from './schema.ts';

/** `before`: nothing was written, `score` counts already; `corrected`: nothing was written, `score` stands for what this corrects. */
export interface RecordedOutsideScore {
  readonly kind: 'recorded' | 'before' | 'corrected';
  readonly score: OutsideScore;
}

export interface OutsideScoreLedger {
  /**
   * `asWhich`: the id that it gets, or the score that it counts by already; of all that its checkpoint has, with what corrects those, of
   * whichever checkpoint, whoever records or withdraws at the same moment. The first record of an id stays.
   */
  recordOutsideScore(
    said: Omit<OutsideScore, 'id'>,
    asWhich: (own: readonly OutsideScore[]) => { readonly id: string } | { readonly counted: OutsideScore },
  ): Promise<RecordedOutsideScore>;
  outsideScore(id: string): Promise<OutsideScore | null>;
  /** In the order they came; corrected and withdrawn ones, which say so, included. */
  outsideScoresOf(checkpoints: readonly string[]): Promise<readonly OutsideScore[]>;
  /** Of all checkpoints that have one on this benchmark, or on any; those scored last, the newest first, at most `limit`. */
  checkpointsScoredOutside(filter: {
    readonly benchmark?: string | undefined;
    readonly limit: number;
  }): Promise<readonly string[]>;
  /** Names of benchmarks that anything was scored on outside. */
  benchmarksScoredOutside(): Promise<readonly string[]>;
}

/** Names in one IN list. */
const namesPerQuery = 500;

export function outsideScoreLedger(db: Kysely<LedgerTables>): OutsideScoreLedger {
  const found = async (column: 'id' | 'corrects', id: string) => {
    const row = await db.selectFrom('outside_scores').selectAll().where(column, '=', id).executeTakeFirst();
    return row === undefined ? null : asScore(row);
  };
  return {
    outsideScore: (id) => found('id', id),
    async recordOutsideScore(said, asWhich) {
      const transaction = db.transaction().setIsolationLevel('serializable');
      const done = await transaction.execute(async (within): Promise<RecordedOutsideScore | string> => {
        const own = await scoresOf(within, 'checkpoint', [said.checkpoint]);
        const which = asWhich(await withCorrections(within, own));
        if ('counted' in which) return { kind: 'before', score: which.counted };
        const score = { ...said, id: which.id };
        return (await isInserted(within, score)) ? { kind: 'recorded', score } : which.id;
      });
      if (typeof done !== 'string') return done;
      const before = await found('id', done);
      if (before !== null) return { kind: 'before', score: before };
      const other = said.corrects === null ? null : await found('corrects', said.corrects);
      if (other !== null) return { kind: 'corrected', score: other };
      throw new TemperError('ledger-conflict', `score "${done}" was neither recorded nor there before`);
    },
    async outsideScoresOf(checkpoints) {
      const scores: OutsideScore[] = [];
      for (let start = 0; start < checkpoints.length; start += namesPerQuery) {
        scores.push(...(await scoresOf(db, 'checkpoint', checkpoints.slice(start, start + namesPerQuery))));
      }
      return scores;
    },
    async checkpointsScoredOutside({ benchmark, limit }) {
      const query = db
        .selectFrom('outside_scores')
        .select(({ fn }) => ['checkpoint', fn.max('created_at').as('newest')])
        .groupBy('checkpoint');
      const rows = await (benchmark === undefined ? query : query.where('benchmark', '=', benchmark))
        .orderBy('newest', 'desc')
        .orderBy('checkpoint')
        .limit(limit)
        .execute();
      return rows.map(({ checkpoint }) => checkpoint);
    },
    async benchmarksScoredOutside() {
      const rows = await db.selectFrom('outside_scores').select('benchmark').distinct().orderBy('benchmark').execute();
      return rows.map(({ benchmark }) => benchmark);
    },
  };
}

/** For a query of scores: not those that a person took back. */
export function standsStill(query: ExpressionBuilder<LedgerTables, 'outside_scores'>) {
  const withdrawn = query.selectFrom('withdrawals').select('withdrawals.id');
  return query.not(query.exists(withdrawn.whereRef('withdrawals.id', '=', 'outside_scores.id')));
}

async function isInserted(db: Kysely<LedgerTables>, score: OutsideScore): Promise<boolean> {
  const inserted = await db
    .insertInto('outside_scores')
    .values(rowOf(score))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

/** What corrects them elsewhere, and what corrects that, is among them. */
async function withCorrections(
  db: Kysely<LedgerTables>,
  scores: readonly OutsideScore[],
): Promise<readonly OutsideScore[]> {
  const there = new Set(scores.map(({ corrects }) => corrects));
  const corrected = scores.filter(({ id, isCorrected }) => isCorrected && !there.has(id)).map(({ id }) => id);
  const later = corrected.length === 0 ? [] : await scoresOf(db, 'corrects', corrected.slice(0, namesPerQuery));
  return later.length === 0 ? scores : await withCorrections(db, [...scores, ...later]);
}

async function scoresOf(
  db: Kysely<LedgerTables>,
  column: 'checkpoint' | 'corrects',
  names: readonly string[],
): Promise<readonly OutsideScore[]> {
  const rows = await db
    .selectFrom('outside_scores')
    .selectAll()
    .select((query) =>
      query
        .exists(
          query
            .selectFrom('outside_scores as later')
            .select('later.id')
            .whereRef('later.corrects', '=', 'outside_scores.id'),
        )
        .as('isCorrected'),
    )
    .select((query) => query.not(standsStill(query)).as('isWithdrawn'))
    .where(column, 'in', names)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...asScore(row),
    ...(row.isCorrected && { isCorrected: true as const }),
    ...(row.isWithdrawn && { isWithdrawn: true as const }),
  }));
}

function rowOf({ id, by, note, corrects, at, ...told }: OutsideScore): LedgerTables['outside_scores'] {
  const { checkpoint, benchmark, version } = told;
  const text = JSON.stringify(told);
  return { id, checkpoint, benchmark, version, told: text, recorded_by: by, note, corrects, created_at: at };
}

function asScore(row: Selectable<LedgerTables['outside_scores']>): OutsideScore {
  const { id, note, corrects } = row;
  return { ...(JSON.parse(row.told) as ToldScore), id, by: row.recorded_by, note, corrects, at: row.created_at };
}
