/**
 * Brings a database to the newest tables. Safe to run by several processes at once and any number of times.
 *
 * Covers order and repetition. Does not cover going back: a migration is never undone.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { TemperError } from '../../decisions/errors.ts';
import { firstTables } from './migrations/0001-first-tables.ts';
import { benchmarks } from './migrations/0002-benchmarks.ts';
import { notifications } from './migrations/0003-notifications.ts';
import { nodeMemory } from './migrations/0004-node-memory.ts';
import { problemTypes } from './migrations/0005-problem-types.ts';
import { prunedCheckpoints } from './migrations/0006-pruned-checkpoints.ts';
import { newestEvaluations } from './migrations/0007-newest-evaluations.ts';
import { sweeps } from './migrations/0008-sweeps.ts';
import { outsideScores } from './migrations/0009-outside-scores.ts';
import { votesAndTimeOuts } from './migrations/0010-votes-and-time-outs.ts';
import { gpusOfAttempts } from './migrations/0011-gpus-of-attempts.ts';
import { withdrawals } from './migrations/0012-withdrawals.ts';
import type { LedgerTables } from './schema.ts';

const migrations: Record<string, Migration> = {
  '0001-first-tables': firstTables,
  '0002-benchmarks': benchmarks,
  '0003-notifications': notifications,
  '0004-node-memory': nodeMemory,
  '0005-problem-types': problemTypes,
  '0006-pruned-checkpoints': prunedCheckpoints,
  '0007-newest-evaluations': newestEvaluations,
  '0008-sweeps': sweeps,
  '0009-outside-scores': outsideScores,
  '0010-votes-and-time-outs': votesAndTimeOuts,
  '0011-gpus-of-attempts': gpusOfAttempts,
  '0012-withdrawals': withdrawals,
};

/** SQLite has no lock for migrations, PostgreSQL none before its first table: the loser of a race fails, looks again and finds the work done. */
const tries = 20;

/**
 * `schema`: the one that the tables lie in, where the database has several; another program's migrations may lie in the others. Throws
 * `store-unavailable` when the tables cannot be made, with the cause.
 */
export async function migrateLedger(db: Kysely<LedgerTables>, schema?: string): Promise<void> {
  let cause: unknown = null;
  for (let done = 0; done < tries; done += 1) {
    const migrator = new Migrator({
      db,
      provider: { getMigrations: () => Promise.resolve(migrations) },
      ...(schema === undefined ? {} : { migrationTableSchema: schema }),
    });
    const { error } = await migrator.migrateToLatest();
    if (error === undefined) return;
    cause = error;
    if (!isRace(error)) break;
    await pause(20 * (done + 1));
  }
  throw new TemperError(
    'store-unavailable',
    "the ledger's tables cannot be brought up to date: is it from a newer Temper?",
    { cause },
  );
}

/** A table, or its name in PostgreSQL's catalogue, exists by now, or not yet. What Kysely itself says of the list of migrations will not change. */
function isRace(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return /^(SQLITE_|42P0[17]$|23505$)/.test(String(code));
}
