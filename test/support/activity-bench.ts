/**
 * Activities on a real ledger and a real store in a folder of their own, with a backend in memory and a clock that is told the time.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { answerActivities } from '../../activities/answers.ts';
import type { AttemptTicket } from '../../activities/attempts.ts';
import type { JobRef } from '../../activities/backend.ts';
import type { NoJob } from '../../activities/jobs.ts';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { type Activities, createActivities } from '../../activities/index.ts';
import { loadRecipe, loadSweep } from '../../configs/load.ts';
import { type Phase, phaseSchema, profileSchema, recipeSchema } from '../../configs/schema.ts';
import { createRunStore, type RunStore } from '../../store/run-store.ts';
import { createScanner } from '../../store/scanner.ts';
import { openSqliteLedger } from '../../store/ledger/sqlite.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { AnswerTo, Question } from '../../workflows/contract-questions.ts';
import type { CheckpointRef, JobHeartbeat, PhaseContext } from '../../workflows/contract.ts';
import { type FakeBackend, fakeBackend } from './fake-backend.ts';
import { addition, leastPhases, recipeOf } from './recipes.ts';

export interface ActivityBench {
  readonly folder: string;
  readonly ledger: Ledger;
  readonly store: RunStore;
  readonly backend: FakeBackend;
  /** A test may put another place in. */
  readonly dependencies: { -readonly [Name in keyof ActivityDependencies]: ActivityDependencies[Name] };
  /** The activities as a workflow run calls them: each call as an activity of its own. */
  as(runId: string): Activities;
  /** One activity whose heartbeats and cancellation a test holds in its hands. */
  held(runId?: string, lastBeat?: Partial<JobHeartbeat>): HeldActivity;
  /** What a person is answered. */
  ask<Q extends Question>(question: Q): Promise<AnswerTo<Q>>;
  /** The clock goes on. */
  pass(seconds: number): void;
  close(): Promise<void>;
}

export interface HeldActivity {
  readonly activities: Activities;
  readonly beats: JobHeartbeat[];
  /** Resolves with the first heartbeat that is the wanted one, also one that came before. */
  readonly beat: (wanted?: (beat: JobHeartbeat) => boolean) => Promise<JobHeartbeat>;
  readonly cancel: () => void;
}

export const runId = 'phase-run-1';

/** On a local profile, with these fields of it changed. */
export async function activityBench(fields: Readonly<Record<string, unknown>> = {}): Promise<ActivityBench> {
  const folder = await mkdtemp(join(tmpdir(), 'temper-activities-'));
  const ledger = await openSqliteLedger(join(folder, 'ledger.sqlite'));
  const store = createRunStore(folder);
  const scanner = createScanner({ everySeconds: 0.02 });
  const profile = profileSchema.parse({ name: 'local', backend: 'local', graceSeconds: 7, ...fields });
  let now = Date.parse('2026-11-29T10:00:00.000Z');
  const backend = fakeBackend(() => new Date(now));
  const dependencies: ActivityBench['dependencies'] = {
    ledger,
    scanner,
    placeOf: () => ({ profile, store, backend, home: '/temper' }),
    readRecipe: (recipe, set) => loadRecipe(join(folder, 'recipes'), recipe, set),
    readSweep: (sweep) => loadSweep(join(folder, 'schedules'), sweep),
    scheduleFacts: () => Promise.resolve(null),
    defaultRecipe: null,
    searchAttributesKnown: () => Promise.resolve(true),
    webhook: { send: () => Promise.reject(new Error('nobody is to be told')) },
    pageOf: (pipelineId, run) => `https://temporal.example/${pipelineId}/${run}`,
    heartbeatSeconds: 0.02,
    throttleSeconds: 10,
    now: () => new Date(now),
  };
  const activities = createActivities(dependencies);
  return {
    folder,
    ledger,
    store,
    backend,
    dependencies,
    as: (run) => bound(activities, () => environmentOf(run)),
    held(run = runId, lastBeat) {
      const environment = environmentOf(run, lastBeat);
      const beats: JobHeartbeat[] = [];
      environment.on('heartbeat', (beat: JobHeartbeat) => beats.push(beat));
      return {
        activities: bound(activities, () => environment),
        beats,
        async beat(wanted = () => true) {
          for (;;) {
            const found = beats.find(wanted);
            if (found) return found;
            await once(environment, 'heartbeat');
          }
        },
        cancel: () => {
          environment.cancel();
        },
      };
    },
    ask: async <Q extends Question>(question: Q) =>
      (await answerActivities(dependencies).answerQuestion(question)) as AnswerTo<Q>,
    pass(seconds) {
      now += seconds * 1000;
    },
    async close() {
      scanner.close();
      await ledger.close();
      await rm(folder, { recursive: true });
    },
  };
}

function environmentOf(run: string, heartbeatDetails?: unknown): MockActivityEnvironment {
  const info = { workflowExecution: { workflowId: 'demo/sft', runId: run }, heartbeatDetails };
  return new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
}

function bound(activities: Activities, environment: () => MockActivityEnvironment): Activities {
  const calls = Object.entries(activities).map(([name, activity]: [string, (input: unknown) => Promise<unknown>]) => [
    name,
    (input: unknown) => environment().run(activity, input),
  ]);
  return Object.fromEntries(calls) as Activities;
}

/** The sft phase of the pipeline `demo`: 50 steps, a checkpoint every 10, evaluated every 20 and at the end. */
export const sft = phaseSchema.parse({
  ...leastPhases.sft,
  evaluate: { every: 20, benchmarks: ['addition'], seeds: 1, maxSeeds: 2 },
  gate: [{ require: { notWorseThanParent: { benchmark: 'addition', margin: 0.02 } } }, { rank: { by: 'addition' } }],
});

/** What the phase starts from. */
export const parent = {
  id: 'demo/base/a1/checkpoint-160',
  path: '/store/pipelines/demo/base/attempt-1/checkpoints/checkpoint-160',
  format: 'hf',
  base: null,
  step: 160,
  digest: 'digest-of-the-base',
} as const satisfies CheckpointRef;

export const recipe = recipeSchema.parse(recipeOf([], { benchmarks: { addition } }));

export function contextOf(change: Partial<PhaseContext> & { readonly phase?: Phase } = {}): PhaseContext {
  return {
    pipelineId: 'demo',
    runId: 'run-1',
    recipe: 'small',
    profile: 'local',
    phase: sft,
    position: 1,
    seed: recipe.seed,
    model: recipe.model,
    benchmarks: recipe.benchmarks,
    budgets: recipe.budgets,
    onFailure: recipe.onFailure,
    dataDigests: {},
    start: parent,
    ...change,
  };
}

/** An attempt whose job has been submitted. */
export interface StartedAttempt {
  readonly context: PhaseContext;
  readonly ticket: AttemptTicket;
  readonly job: JobRef;
}

/** Opens the next attempt of the phase and submits its job. */
export async function startAttempt(
  bench: ActivityBench,
  opened = 1,
  more: { readonly context?: PhaseContext; readonly run?: string } = {},
): Promise<StartedAttempt> {
  const { context = contextOf(), run = runId } = more;
  const activities = bench.as(run);
  const ticket = await activities.openAttempt({ context, opened });
  return { context, ticket, job: created(await activities.submitJob({ context, ticket })) };
}

/** The job of a submit for which there was room. */
export function created(answer: JobRef | NoJob): JobRef {
  if ('because' in answer) throw new Error(answer.because);
  return answer;
}
