/** What people were told, or were to be told: a row per notification. */
import type { Kysely } from 'kysely';
import { textType } from './text-type.ts';

export const notifications = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('notifications')
      .addColumn('key', text, (column) => column.primaryKey())
      .addColumn('run_id', text, (column) => column.notNull())
      .addColumn('phase', text, (column) => column.notNull())
      .addColumn('event', text, (column) => column.notNull())
      .addColumn('cause', text, (column) => column.notNull())
      .addColumn('tries', 'integer', (column) => column.notNull())
      .addColumn('unanswered', 'integer', (column) => column.notNull())
      .addColumn('sent_at', text)
      .addColumn('problem', text)
      .addColumn('refused', 'integer', (column) => column.notNull())
      .addColumn('created_at', text, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('notifications_by_run')
      .on('notifications')
      .columns(['run_id', 'phase', 'created_at'])
      .execute();
  },
};
