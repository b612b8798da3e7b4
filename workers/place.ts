/**
 * What a worker's activities are given on this machine: the ledger, the scanner, and the backend of each profile.
 *
 * Covers wiring. Does not cover the Temporal worker (temper-worker.ts).
 */
import { join } from 'node:path';
import type { Connection } from '@temporalio/client';
import type { ActivityDependencies, Place } from '../activities/dependencies.ts';
import { loadProfile, loadRecipe } from '../configs/load.ts';
import type { Profile } from '../configs/schema.ts';
import { TemperError } from '../decisions/errors.ts';
import { createLocalBackend, type LocalBackend, type LocalCommand } from '../local/backend.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import { openSqliteLedger } from '../store/ledger/sqlite.ts';
import { createScanner, type Scanner } from '../store/scanner.ts';
import { createRunStore } from '../store/run-store.ts';
import { mustBeProgram } from './program-check.ts';
import { searchAttributesKnown } from './search-attributes.ts';
import type { Settings } from './settings.ts';
import { storeDirectoryOf } from './store-directory.ts';

export interface OpenPlace {
  readonly place: Place;
  readonly backend: LocalBackend;
  readonly dependencies: ActivityDependencies;
  close(): Promise<void>;
}

export interface PlaceOptions {
  readonly settings: Settings;
  readonly connection: Connection;
  readonly profile: string;
  readonly defaultRecipe: string | null;
  /** Pause between two walks over the live run directories. Seconds. */
  readonly scanSeconds: number;
}

/** Opens the profile's store and backend. Throws `invalid-input`, `not-found`, `store-unusable`. */
export async function openPlace(options: PlaceOptions): Promise<OpenPlace> {
  const { settings } = options;
  const { value: profile } = await loadProfile(settings.profilesDirectory, options.profile);
  if (profile.backend !== 'local')
    throw new TemperError(
      'invalid-input',
      `profile "${profile.name}": jobs on Kubernetes cannot be run yet; \`temper render\` prints what they will be`,
    );
  const storeDirectory = storeDirectoryOf(profile, settings);
  const store = createRunStore(storeDirectory);
  await store.check();
  mustBeProgram(settings.python, 'TEMPER_PYTHON');
  const backend = createLocalBackend({
    root: join(storeDirectory, 'local'),
    slots: profile.slots,
    command: () => trainerOf(profile, settings),
  });
  const place: Place = { profile, store, backend };
  const ledger = await openSqliteLedger(join(storeDirectory, 'ledger.sqlite'));
  const scanner = createScanner({ everySeconds: options.scanSeconds });
  return {
    place,
    backend,
    dependencies: dependenciesOf(options, place, { ledger, scanner }),
    async close() {
      scanner.close();
      backend.close();
      await ledger.close();
    },
  };
}

/** What a job runs: the profile's own trainer, or the built-in ones. */
function trainerOf({ trainer }: Extract<Profile, { backend: 'local' }>, { python, home }: Settings): LocalCommand {
  const [file, ...args] = trainer ?? [];
  if (file !== undefined) return { file, args };
  return {
    file: python,
    args: ['-m', 'temper_trainers'],
    env: { PYTHONPATH: join(home, 'trainers'), PYTHONUNBUFFERED: '1' },
  };
}

function dependenciesOf(
  options: PlaceOptions,
  place: Place,
  parts: { readonly ledger: Ledger; readonly scanner: Scanner },
): ActivityDependencies {
  const { settings, connection, defaultRecipe } = options;
  return {
    ...parts,
    placeOf(name) {
      if (name === undefined || name === place.profile.name) return place;
      throw new TemperError(
        'not-found',
        `this worker runs jobs on the profile "${place.profile.name}", not on "${name}"`,
      );
    },
    readRecipe: (recipe, set) => loadRecipe(settings.recipesDirectory, recipe, set),
    defaultRecipe,
    searchAttributesKnown: () => searchAttributesKnown(connection, settings.namespace),
    heartbeatSeconds: settings.heartbeatSeconds,
    now: () => new Date(),
  };
}
