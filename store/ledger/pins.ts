/**
 * What must stay and what goes: pins of people and of promotions, and checkpoints that are given up to pruning.
 *
 * A pin and a giving up of one checkpoint exclude each other, whichever comes first, in however many processes: each changes the row only as
 * long as the other has not. Why and by whom stands in the decision, written with the change. Does not cover which may go
 * (decisions/prune.ts) or deleting files.
 */
import type { Kysely } from 'kysely';
import { TemperError } from '../../decisions/errors.ts';
import { type DecisionRecord, decisionLedger } from './decisions.ts';
import type { LedgerTables } from './schema.ts';

export interface GivenUp {
  /** To be deleted now: given up now or before, or nothing that the ledger knows. */
  readonly go: readonly string[];
  /** Of these, what was not given up before: what the decision names. */
  readonly fresh: readonly string[];
}

export interface PinLedger {
  /** Idempotent; the decision is written with the change alone. Throws `not-found`, also for one that was given up to pruning. */
  pinCheckpoint(id: string, decision?: DecisionRecord): Promise<{ readonly changed: boolean }>;
  /** Idempotent; likewise. Throws `not-found`. */
  unpinCheckpoint(id: string, decision?: DecisionRecord): Promise<{ readonly changed: boolean }>;
  /** Gives up those that nobody has pinned by now, and writes down the decision about them, at once. */
  giveUpCheckpoints(
    ids: readonly string[],
    decisionOn: (fresh: readonly string[]) => DecisionRecord,
    at: string,
  ): Promise<GivenUp>;
  /** They could not be deleted: they are there still, and may be pinned. */
  takeBackCheckpoints(ids: readonly string[], decision: DecisionRecord): Promise<void>;
}

export function pinLedger(db: Kysely<LedgerTables>): PinLedger {
  return {
    pinCheckpoint: (id, decision) => setPin(db, { id, pinned: 1, decision }),
    unpinCheckpoint: (id, decision) => setPin(db, { id, pinned: 0, decision }),
    async giveUpCheckpoints(ids, decisionOn, at) {
      return await db.transaction().execute(async (transaction) => {
        const go: string[] = [];
        const fresh: string[] = [];
        // In one order, so that two that prune at once never wait for each other.
        for (const id of [...ids].sort()) {
          const is = await giveUp(transaction, id, at);
          if (is !== 'pinned') go.push(id);
          if (is === 'fresh') fresh.push(id);
        }
        if (fresh.length > 0) await decisionLedger(transaction).recordDecision(decisionOn(fresh));
        return { go, fresh };
      });
    },
    async takeBackCheckpoints(ids, decision) {
      await db.transaction().execute(async (transaction) => {
        for (const id of [...ids].sort())
          await transaction.updateTable('checkpoints').set({ pruned_at: null }).where('id', '=', id).execute();
        await decisionLedger(transaction).recordDecision(decision);
      });
    },
  };
}

async function giveUp(db: Kysely<LedgerTables>, id: string, at: string): Promise<'fresh' | 'before' | 'pinned'> {
  const { numUpdatedRows } = await db
    .updateTable('checkpoints')
    .set({ pruned_at: at })
    .where('id', '=', id)
    .where('pinned', '=', 0)
    .where('pruned_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return 'fresh';
  const row = await db.selectFrom('checkpoints').select('pruned_at').where('id', '=', id).executeTakeFirst();
  // Torn ones are never recorded.
  if (row === undefined) return 'fresh';
  return row.pruned_at === null ? 'pinned' : 'before';
}

interface Pin {
  readonly id: string;
  readonly pinned: 0 | 1;
  readonly decision: DecisionRecord | undefined;
}

async function setPin(db: Kysely<LedgerTables>, { id, pinned, decision }: Pin): Promise<{ changed: boolean }> {
  return await db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('checkpoints')
      .set({ pinned })
      .where('id', '=', id)
      .where('pinned', '!=', pinned)
      .where('pruned_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) {
      if (decision !== undefined) await decisionLedger(transaction).recordDecision(decision);
      return { changed: true };
    }
    const row = await transaction.selectFrom('checkpoints').select('pruned_at').where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw new TemperError('not-found', `no checkpoint "${id}" is in the ledger`);
    if (row.pruned_at !== null && pinned === 1)
      throw new TemperError(
        'not-found',
        `checkpoint "${id}" was given up to pruning at ${row.pruned_at}: it cannot be pinned`,
      );
    return { changed: false };
  });
}
