/** The newest evaluations of the whole ledger are found without reading the others. */
import type { Kysely } from 'kysely';

export const newestEvaluations = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.createIndex('evaluations_by_time').on('evaluations').columns(['created_at']).execute();
    await db.schema
      .createIndex('evaluations_by_benchmark')
      .on('evaluations')
      .columns(['benchmark', 'created_at'])
      .execute();
  },
};
