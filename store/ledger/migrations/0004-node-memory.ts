/** On which node of which cluster a failure happened, and nodes that a person said are mended. Older incidents name none. */
import type { Kysely } from 'kysely';
import { textType } from './text-type.ts';

export const nodeMemory = {
  async up(db: Kysely<unknown>): Promise<void> {
    const text = textType(db);
    await db.schema.alterTable('incidents').addColumn('cluster', text).execute();
    await db.schema.alterTable('incidents').addColumn('node', text).execute();
    await db.schema.createIndex('incidents_by_cluster').on('incidents').columns(['cluster', 'created_at']).execute();
    await db.schema
      .createTable('forgotten_nodes')
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('node', text, (column) => column.notNull())
      .addColumn('forgotten_by', text, (column) => column.notNull())
      .addColumn('created_at', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('forgotten_nodes_key', ['cluster', 'created_at', 'node'])
      .execute();
  },
};
