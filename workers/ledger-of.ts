/**
 * The ledger that a profile names, on this machine: PostgreSQL, or an SQLite file.
 *
 * Does not cover its tables (store/ledger/).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Profile } from '../configs/schema.ts';
import { TemperError } from '../decisions/errors.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import { addressAt } from './secret-address.ts';
import type { Places } from './settings.ts';
import { storeDirectoryOf } from './store-directory.ts';

export interface LedgerWish {
  readonly profile: Profile;
  readonly places: Pick<Places, 'storeDirectory'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether an SQLite file is made where there is none. */
  readonly create: boolean;
}

/** Throws `environment-unusable` where the address is not to be found, `not-found` for a file that is not there, and what opening throws. */
export async function openLedgerOf({ profile, places, environment, create }: LedgerWish): Promise<Ledger> {
  if (profile.ledger === undefined) return await openSqliteIn(ledgerDirectoryOf(profile, places), create);
  const found = await addressAt(profile.ledger.postgres, environment);
  if (found.kind === 'missing')
    throw new TemperError('environment-unusable', `the ledger of profile "${profile.name}": ${found.problem}`);
  // The driver is loaded only by those who use it.
  const { openPostgresLedger } = await import('../store/ledger/postgres.ts');
  return await openPostgresLedger(found.address);
}

async function openSqliteIn(directory: string, create: boolean): Promise<Ledger> {
  const file = join(directory, 'ledger.sqlite');
  if (!create && !existsSync(file))
    throw new TemperError(
      'not-found',
      `no ledger lies in ${directory}: name the store with TEMPER_STORE, or ask a worker`,
    );
  const { openSqliteLedger } = await import('../store/ledger/sqlite.ts');
  return await openSqliteLedger(file);
}

/** Beside the store, but for a store that a cluster shares: SQLite must not lie on a network filesystem. */
function ledgerDirectoryOf(profile: Profile, places: Pick<Places, 'storeDirectory'>): string {
  return profile.backend === 'local' ? storeDirectoryOf(profile, places) : places.storeDirectory;
}
