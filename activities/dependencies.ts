/** What activities are given: where jobs run, where things lie, and the time. Types only. */
import type { Resolved } from '../configs/load.ts';
import type { Profile, Recipe } from '../configs/schema.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Scanner } from '../store/scanner.ts';
import type { Backend } from './backend.ts';
import type { Webhook } from './webhook.ts';

/** A profile in use. */
export interface Place {
  readonly profile: Profile;
  readonly store: RunStore;
  readonly backend: Backend;
  /** Where Temper's own files lie for a job of this profile. Absolute. */
  readonly home: string;
}

export interface ActivityDependencies {
  readonly ledger: Ledger;
  /** One for the whole worker. */
  readonly scanner: Scanner;
  /** The place of a profile by its name; without a name, the worker's own. Throws `not-found`. */
  placeOf(profile: string | undefined): Place;
  /** Throws `invalid-input` or `not-found`. */
  readRecipe(
    recipe: string | Record<string, unknown>,
    set: Readonly<Record<string, unknown>>,
  ): Promise<Resolved<Recipe>>;
  /** What `{}` starts; null where a recipe must be named. */
  readonly defaultRecipe: string | null;
  /** Whether the server knows Temper's search attributes. */
  searchAttributesKnown(): Promise<boolean>;
  /** Whoever is told where the profile names somebody. */
  readonly webhook: Webhook;
  /** Address of a pipeline's page in the Web UI. */
  pageOf(pipelineId: string, runId: string): string;
  /** How often a watched job says that it is watched. Seconds. */
  readonly heartbeatSeconds: number;
  now(): Date;
}

/** What is needed to read what was done: no backend, and nothing that runs. */
export interface ReadingDependencies extends Pick<ActivityDependencies, 'ledger' | 'readRecipe' | 'defaultRecipe'> {
  placeOf(profile: string | undefined): Pick<Place, 'profile' | 'store' | 'home'>;
}
