/** How many GPUs the job of an attempt was opened with. Older attempts have none. */
import type { Kysely } from 'kysely';

export const gpusOfAttempts = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('attempts').addColumn('gpus', 'integer').execute();
  },
};
