/**
 * Evidence from outside that a person took back. Append only: the evaluation or the score stays as it is, beside who, when and why.
 *
 * Covers what is withdrawn, once each, and never a score that another stands for. Does not cover what still counts (evaluations.ts,
 * outside-scores.ts leave it out).
 */
import type { Kysely, Selectable } from 'kysely';
import type { EvaluationKey } from '../../decisions/evaluation.ts';
import type { Withdrawal } from '../../decisions/withdrawal.ts';
import { idOf } from './evaluations.ts';
import type { LedgerTables } from './schema.ts';

export type Withdrawn =
  | { readonly kind: 'withdrawn' | 'before'; readonly withdrawal: Withdrawal }
  /** Nothing was written: the score of this id stands for it. */
  | { readonly kind: 'corrected'; readonly by: string };

export interface WithdrawalLedger {
  /** `evaluation`: what the id is of; null: of a score from outside. `before`: it was taken back already, as the withdrawal says. */
  withdraw(withdrawal: Withdrawal, evaluation: EvaluationKey | null): Promise<Withdrawn>;
  withdrawal(id: string): Promise<Withdrawal | null>;
  /** The newest first, at most `limit`: of these checkpoints or of all, on this benchmark or on all. */
  withdrawalsOf(filter: {
    readonly checkpoints?: readonly string[];
    readonly benchmark?: string | undefined;
    readonly limit: number;
  }): Promise<readonly Withdrawal[]>;
  /** Evaluations that no run of Temper made, withdrawn ones too. */
  importedEvaluations(): Promise<readonly EvaluationKey[]>;
}

/** Names in one IN list. */
const namesPerQuery = 500;

export function withdrawalLedger(db: Kysely<LedgerTables>): WithdrawalLedger {
  const found = async (of: Kysely<LedgerTables>, id: string) => {
    const row = await of.selectFrom('withdrawals').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : asWithdrawal(row);
  };
  const newest = ({ benchmark, limit }: Parameters<WithdrawalLedger['withdrawalsOf']>[0]) =>
    db
      .selectFrom('withdrawals')
      .selectAll()
      .$if(benchmark !== undefined, (query) => query.where('benchmark', '=', benchmark ?? ''))
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(limit);
  return {
    withdrawal: (id) => found(db, id),
    async withdraw(withdrawal, evaluation) {
      // A correction at the same moment must not be missed.
      const transaction = db.transaction().setIsolationLevel('serializable');
      return await transaction.execute(async (within): Promise<Withdrawn> => {
        const before = await found(within, withdrawal.id);
        if (before !== null) return { kind: 'before', withdrawal: before };
        const correction = within.selectFrom('outside_scores').select('id').where('corrects', '=', withdrawal.id);
        const by = (await correction.executeTakeFirst())?.id;
        if (by !== undefined) return { kind: 'corrected', by };
        await within.insertInto('withdrawals').values(rowOf(withdrawal, evaluation)).execute();
        return { kind: 'withdrawn', withdrawal };
      });
    },
    async withdrawalsOf(filter) {
      const { checkpoints, limit } = filter;
      if (checkpoints === undefined) return (await newest(filter).execute()).map(asWithdrawal);
      const rows: Selectable<LedgerTables['withdrawals']>[] = [];
      for (let start = 0; start < checkpoints.length; start += namesPerQuery) {
        const part = checkpoints.slice(start, start + namesPerQuery);
        rows.push(...(await newest(filter).where('checkpoint', 'in', part).execute()));
      }
      return rows
        .map(asWithdrawal)
        .sort((one, other) => (one.at < other.at ? 1 : -1))
        .slice(0, limit);
    },
    async importedEvaluations() {
      const imported = db.selectFrom('evaluations').select(['checkpoint', 'benchmark', 'version', 'seed']);
      return await imported.where('run_id', '=', '').execute();
    },
  };
}

function rowOf(
  { id, checkpoint, benchmark, version, by, note, at }: Withdrawal,
  evaluation: EvaluationKey | null,
): LedgerTables['withdrawals'] {
  const of = { id, evaluation_id: evaluation === null ? null : idOf(evaluation), checkpoint, benchmark, version };
  return { ...of, withdrawn_by: by, note, created_at: at };
}

function asWithdrawal(row: Selectable<LedgerTables['withdrawals']>): Withdrawal {
  const { id, checkpoint, benchmark, version, withdrawn_by: by, note, created_at: at } = row;
  return { id, checkpoint, benchmark, version, by, note, at };
}
