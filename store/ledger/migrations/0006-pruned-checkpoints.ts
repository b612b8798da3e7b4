/** When a checkpoint was given up to pruning; checkpoints found by their path, and those that lie below an adapter. */
import type { Kysely } from 'kysely';
import { textType } from './text-type.ts';

export const prunedCheckpoints = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('checkpoints').addColumn('pruned_at', textType(db)).execute();
    await db.schema.createIndex('checkpoints_by_path').on('checkpoints').columns(['path']).execute();
    await db.schema.createIndex('checkpoints_by_base').on('checkpoints').columns(['base']).execute();
    await db.schema.createIndex('checkpoints_by_parent').on('checkpoints').columns(['parent_id']).execute();
    await db.schema.createIndex('phases_by_promoted').on('phases').columns(['promoted']).execute();
  },
};
