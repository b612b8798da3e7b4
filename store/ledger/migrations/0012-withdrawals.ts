/** Evidence from outside that a person took back. Append only: what was recorded stays, and counts no longer. */
import type { Kysely } from 'kysely';
import { textType } from './text-type.ts';

export const withdrawals = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('withdrawals')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('evaluation_id', text, (column) => column.unique())
      .addColumn('checkpoint', text, (column) => column.notNull())
      .addColumn('benchmark', text, (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('withdrawn_by', text, (column) => column.notNull())
      .addColumn('note', text, (column) => column.notNull())
      .addColumn('created_at', text, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('withdrawals_by_checkpoint').on('withdrawals').column('checkpoint').execute();
    await db.schema.createIndex('withdrawals_by_time').on('withdrawals').column('created_at').execute();
  },
};
