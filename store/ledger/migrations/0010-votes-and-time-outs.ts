/** What a problem's vote scored, and how many of its samples were not done in time. Older outcomes have neither. */
import type { Kysely } from 'kysely';

export const votesAndTimeOuts = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('outcomes').addColumn('voted', 'double precision').execute();
    await db.schema.alterTable('outcomes').addColumn('timed_out', 'integer').execute();
  },
};
