/** Scores from outside. Append only: a correction is a row of its own, and each row is corrected once at most. */
import type { Kysely } from 'kysely';
import { textType } from './text-type.ts';

export const outsideScores = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('outside_scores')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('checkpoint', text, (column) => column.notNull())
      .addColumn('benchmark', text, (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('told', text, (column) => column.notNull())
      .addColumn('recorded_by', text, (column) => column.notNull())
      .addColumn('note', text, (column) => column.notNull())
      .addColumn('corrects', text, (column) => column.unique())
      .addColumn('created_at', text, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('outside_scores_by_checkpoint').on('outside_scores').column('checkpoint').execute();
  },
};
