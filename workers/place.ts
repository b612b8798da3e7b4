/**
 * What a worker's activities are given on this machine: the ledger, the scanner, and the backend of each profile.
 *
 * Covers wiring. Does not cover the Temporal worker (temper-worker.ts).
 */
import { resolve } from 'node:path';
import { Client, type Connection } from '@temporalio/client';
import type { ActivityDependencies, Place } from '../activities/dependencies.ts';
import { fitting, loadProfile, loadRecipe, loadSweep } from '../configs/load.ts';
import { TemperError } from '../decisions/errors.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import { createScanner, type Scanner } from '../store/scanner.ts';
import { createRunStore } from '../store/run-store.ts';
import { openBackend } from './backend-of.ts';
import { usualHeartbeatSeconds } from './heartbeat.ts';
import { openLedgerOf } from './ledger-of.ts';
import { runState } from './run-state.ts';
import { scheduleFacts } from './schedule-facts.ts';
import { searchAttributesKnown } from './search-attributes.ts';
import { pageOfRun, type Places } from './settings.ts';
import { slackWebhook } from './slack-webhook.ts';
import { storeDirectoryOf } from './store-directory.ts';

export interface OpenPlace {
  readonly place: Place;
  readonly dependencies: ActivityDependencies;
  close(): Promise<void>;
}

export interface PlaceOptions {
  readonly settings: Places;
  readonly connection: Connection;
  readonly profile: string;
  readonly defaultRecipe: string | null;
  /** Pause between two walks over the live run directories. Seconds. */
  readonly scanSeconds: number;
  /** Where programs, the ledger's address and webhooks are named. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Opens the profile's store and backend. Throws `invalid-input`, `not-found`, `store-unusable`. */
export async function openPlace(options: PlaceOptions): Promise<OpenPlace> {
  const { settings, environment } = options;
  const { value: profile } = await loadProfile(settings.profilesDirectory, options.profile);
  const storeDirectory = storeDirectoryOf(profile, settings);
  const store = createRunStore(storeDirectory);
  await store.check();
  const jobs = await openBackend(profile, { places: settings, storeDirectory, environment });
  const place: Place = { profile, store, backend: jobs.backend, home: resolve(settings.home) };
  const ledger = await openLedgerOf({ profile, places: settings, environment, create: true });
  const scanner = createScanner({ everySeconds: options.scanSeconds });
  return {
    place,
    dependencies: dependenciesOf(options, place, { ledger, scanner }),
    async close() {
      scanner.close();
      await jobs.close();
      await ledger.close();
    },
  };
}

function dependenciesOf(
  options: PlaceOptions,
  place: Place,
  parts: { readonly ledger: Ledger; readonly scanner: Scanner },
): ActivityDependencies {
  const { settings, connection, defaultRecipe, environment } = options;
  const client = new Client({ connection, namespace: settings.namespace });
  return {
    ...parts,
    placeOf(name) {
      if (name === undefined || name === place.profile.name) return place;
      throw new TemperError(
        'not-found',
        `this worker runs jobs on the profile "${place.profile.name}", not on "${name}": start one that does, with temper up --profile ${name}`,
      );
    },
    readRecipe: async (recipe, set) => fitting(await loadRecipe(settings.recipesDirectory, recipe, set), place.profile),
    readSweep: (sweep) => loadSweep(settings.schedulesDirectory, sweep),
    scheduleFacts: (id) => scheduleFacts(client, id),
    runState: (run) => runState(client, run),
    defaultRecipe,
    searchAttributesKnown: () => searchAttributesKnown(connection, settings.namespace),
    webhook: slackWebhook({ environment }),
    pageOf: (pipelineId, runId) => pageOfRun(settings, settings.namespace, [pipelineId, runId]),
    heartbeatSeconds: Math.min(settings.heartbeatSeconds, usualHeartbeatSeconds),
    throttleSeconds: settings.heartbeatSeconds,
    now: () => new Date(),
  };
}
