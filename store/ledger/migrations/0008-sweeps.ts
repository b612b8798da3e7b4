/** Sweeps: a row per run, with what it looks at and what came of it. */
import type { Kysely } from 'kysely';
import { textType } from './text-type.ts';

export const sweeps = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('sweeps')
      .addColumn('run_id', text, (column) => column.primaryKey())
      .addColumn('workflow_id', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('plan', text, (column) => column.notNull())
      .addColumn('started_at', text, (column) => column.notNull())
      .addColumn('ended_at', text)
      .addColumn('outcome', text)
      .addColumn('report', text)
      .execute();
    await db.schema.createIndex('sweeps_by_name').on('sweeps').columns(['name', 'outcome', 'started_at']).execute();
    await db.schema.createIndex('phases_by_end').on('phases').columns(['updated_at', 'position']).execute();
    await db.schema.createIndex('phases_by_workflow').on('phases').columns(['workflow_id', 'updated_at']).execute();
  },
};
