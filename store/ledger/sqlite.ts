/**
 * Opens the embedded ledger: one SQLite file in WAL mode, for workers of one machine. Its own waiting would block the event loop: others are waited for here.
 *
 * Refuses a network filesystem, where SQLite's locks do not hold. Does not cover several machines (postgres.ts).
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { TemperError } from '../../decisions/errors.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { migrateLedger } from './migrate.ts';
import { networkFilesystem } from './network-filesystem.ts';
import { patient } from './patience.ts';
import type { LedgerTables } from './schema.ts';

/** The driver's own waiting stops the whole process: only as long as an ordinary write takes. */
const blockingMilliseconds = 50;

export interface SqliteOptions {
  /** How long an operation waits for other writers, in milliseconds. @default 10000 */
  readonly busyMilliseconds?: number;
  /** Names the network filesystem that a directory lies on, or null. @default looks with statfs */
  readonly networkFilesystem?: (directory: string) => Promise<string | null>;
}

/** Opens (and creates, and migrates) the ledger in `file`. Throws `store-unusable` where it must not or cannot be. */
export async function openSqliteLedger(file: string, options: SqliteOptions = {}): Promise<Ledger> {
  const db = await openSqlite(file, options);
  try {
    await migrateLedger(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return patient(createLedger(db), options.busyMilliseconds ?? 10_000, isBusy);
}

/** By its code alone: the driver makes its errors with the first `Error` it ever saw in this process, which may be another realm's. */
function isBusy(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

/** The database under the ledger, not migrated. */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Kysely<LedgerTables>> {
  const directory = dirname(file);
  try {
    await mkdir(directory, { recursive: true });
    const network = await (options.networkFilesystem ?? networkFilesystem)(directory);
    if (network !== null) {
      throw new TemperError(
        'store-unusable',
        `the ledger ${file} lies on a network filesystem (${network}), where SQLite loses writes: put it on a local disk`,
      );
    }
    const database = new Database(file, { timeout: blockingMilliseconds });
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    return new Kysely<LedgerTables>({ dialect: new SqliteDialect({ database }) });
  } catch (cause) {
    if (cause instanceof TemperError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TemperError(
      'store-unusable',
      `the ledger ${file} cannot be opened (${why}): make its folder writable or name another store`,
      { cause },
    );
  }
}
