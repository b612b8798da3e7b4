/** Which checkpoints are in use by what the ledger knows: pinned, promoted, parents of others, evaluated. Reads only. */
import type { Kysely } from 'kysely';
import { countsStill } from './evaluations.ts';
import { standsStill } from './outside-scores.ts';
import type { LedgerTables } from './schema.ts';

export interface CheckpointUses {
  readonly pinned: ReadonlySet<string>;
  /** Of any phase of any run; a rejected phase keeps its parent. */
  readonly promoted: ReadonlySet<string>;
  /** Another checkpoint was made from it, or is an adapter above it. */
  readonly parents: ReadonlySet<string>;
  /** Here, or elsewhere: a score from outside is one too. */
  readonly evaluated: ReadonlySet<string>;
}

export interface CheckpointUseLedger {
  usesOf(checkpoints: readonly string[]): Promise<CheckpointUses>;
}

const namesPerQuery = 500;

export function checkpointUseLedger(db: Kysely<LedgerTables>): CheckpointUseLedger {
  return {
    async usesOf(checkpoints) {
      const uses = {
        pinned: new Set<string>(),
        promoted: new Set<string>(),
        parents: new Set<string>(),
        evaluated: new Set<string>(),
      };
      for (let at = 0; at < checkpoints.length; at += namesPerQuery) {
        const part = checkpoints.slice(at, at + namesPerQuery);
        const named = db.selectFrom('checkpoints');
        for (const { id } of await named.select('id').where('id', 'in', part).where('pinned', '=', 1).execute())
          uses.pinned.add(id);
        for (const { parent_id } of await named.select('parent_id').distinct().where('parent_id', 'in', part).execute())
          if (parent_id !== null) uses.parents.add(parent_id);
        for (const { id } of await db
          .selectFrom('checkpoints as below')
          .innerJoin('checkpoints as above', 'above.base', 'below.path')
          .select('below.id')
          .distinct()
          .where('below.id', 'in', part)
          .execute())
          uses.parents.add(id);
        for (const { promoted } of await db
          .selectFrom('phases')
          .select('promoted')
          .distinct()
          .where('promoted', 'in', part)
          .execute())
          if (promoted !== null) uses.promoted.add(promoted);
        const evaluated = db.selectFrom('evaluations').select('checkpoint').distinct().where('checkpoint', 'in', part);
        const scored = db.selectFrom('outside_scores').select('checkpoint').distinct().where('checkpoint', 'in', part);
        for (const { checkpoint } of [
          ...(await evaluated.where(countsStill).execute()),
          ...(await scored.where(standsStill).execute()),
        ])
          uses.evaluated.add(checkpoint);
      }
      return uses;
    },
  };
}
