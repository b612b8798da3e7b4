/** The type of a problem, where its benchmark has types. Older outcomes have none. */
import type { Kysely } from 'kysely';
import { textType } from './text-type.ts';

export const problemTypes = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('outcomes').addColumn('type', textType(db)).execute();
  },
};
