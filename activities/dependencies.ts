/** What activities are given: where jobs run, where things lie, and the time. Types only. */
import type { Resolved } from '../configs/load.ts';
import type { SweepInput } from '../configs/schema-input.ts';
import type { Sweep } from '../configs/schema-schedule.ts';
import type { Profile, Recipe } from '../configs/schema.ts';
import type { StartTimes } from '../decisions/clock-change.ts';
import type { ReapDecision, StopOutcome } from '../decisions/reap.ts';
import type { RunState } from '../decisions/run-state.ts';
import type { ScheduleCounters } from '../decisions/sweep.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Scanner } from '../store/scanner.ts';
import type { Backend, JobRef } from './backend.ts';
import type { Webhook } from './webhook.ts';

/** A profile in use. */
export interface Place {
  readonly profile: Profile;
  readonly store: RunStore;
  readonly backend: Backend;
  /** Where Temper's own files lie for a job of this profile. Absolute. */
  readonly home: string;
}

/** A living job, and whether it runs for nobody. */
export interface JudgedJob {
  readonly job: JobRef;
  readonly decision: ReapDecision;
  /** Of one that was asked to stop. */
  readonly outcome?: StopOutcome;
}

export interface JobReaper {
  /** Every living job of this worker's store; with `stop`, those that run for nobody are asked to stop, and waited for a few seconds. */
  judge(how: { readonly stop: boolean }): Promise<readonly JudgedJob[]>;
}

/** A schedule as the server has it, whoever made it. */
export interface ScheduleFacts extends StartTimes {
  readonly skipped: ScheduleCounters;
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
  /** The sweep of a schedule that the worker has, by name, or a whole one. Throws `invalid-input` or `not-found`. */
  readSweep(sweep: SweepInput['sweep']): Promise<Resolved<Sweep>>;
  /** What the server knows of a schedule by its id; null where there is none any more. */
  scheduleFacts(id: string): Promise<ScheduleFacts | null>;
  /** What `{}` starts; null where a recipe must be named. */
  readonly defaultRecipe: string | null;
  /** Whether the server knows Temper's search attributes. */
  searchAttributesKnown(): Promise<boolean>;
  /** Whoever is told where the profile names somebody. */
  readonly webhook: Webhook;
  /** Absent where no Temporal server can be asked who owns a job. */
  readonly reaper?: JobReaper;
  /** What the server says of a run of the ledger. Absent where no Temporal server can be asked. */
  runState?(run: { readonly workflowId: string; readonly runId: string }): Promise<RunState | null>;
  /** Address of a pipeline's page in the Web UI. */
  pageOf(pipelineId: string, runId: string): string;
  /** How often a watched job says that it is watched, and is looked at. Seconds. */
  readonly heartbeatSeconds: number;
  /** How often that is told to the Temporal server, at most: less often where it is billed. Seconds. */
  readonly throttleSeconds: number;
  now(): Date;
}

/** What is needed to read what was done. Where a backend is at hand, the logs of what runs are brought from it. */
export interface ReadingDependencies extends Pick<
  ActivityDependencies,
  'ledger' | 'readRecipe' | 'defaultRecipe' | 'reaper' | 'runState' | 'now'
> {
  placeOf(
    profile: string | undefined,
  ): Pick<Place, 'profile' | 'store' | 'home'> & { readonly backend?: Pick<Backend, 'logs' | 'cluster'> };
}
