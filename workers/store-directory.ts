/** Where the store of a profile lies on this machine. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Profile } from '../configs/schema.ts';
import type { Places } from './settings.ts';

/** Absolute; `~` is the home folder of whoever runs this process. */
export function storeDirectoryOf(profile: Profile, places: Pick<Places, 'storeDirectory'>): string {
  return resolve((profile.store.path ?? places.storeDirectory).replace(/^~(?=\/|$)/, homedir()));
}
