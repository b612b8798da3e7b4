/** What the name and version of a benchmark stand for. Older evaluations say nothing of it: the next one decides. */
import type { Kysely } from 'kysely';
import { textType } from './text-type.ts';

export const benchmarks = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema
      .createTable('benchmarks')
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('definition', text, (column) => column.notNull())
      .addColumn('created_at', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('benchmarks_key', ['name', 'version'])
      .execute();
  },
};
