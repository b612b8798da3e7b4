/** Where the store and the ledger of a profile lie on this machine. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Profile } from '../configs/schema.ts';
import type { Places } from './settings.ts';

/** Absolute; `~` is the home folder of whoever runs this process. */
export function storeDirectoryOf(profile: Profile, places: Pick<Places, 'storeDirectory'>): string {
  return resolve((profile.store.path ?? places.storeDirectory).replace(/^~(?=\/|$)/, homedir()));
}

/** Beside the store, but for a store that a cluster shares: SQLite must not lie on a network filesystem. */
export function ledgerDirectoryOf(profile: Profile, places: Pick<Places, 'storeDirectory'>): string {
  return profile.backend === 'local' ? storeDirectoryOf(profile, places) : places.storeDirectory;
}
