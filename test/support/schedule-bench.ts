/** Schedules of sweeps on a real Temporal server of a test file's own: made from a file, edited as the UI edits; and a worker for their sweeps. */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Client, ScheduleDescription } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { type Schedule, scheduleSchema } from '../../configs/schema-schedule.ts';
import { type Applied, applySchedule } from '../../workers/schedules.ts';
import { readSettings } from '../../workers/settings.ts';
import { installRuntime } from '../../workers/temper-worker.ts';
import { eventually } from './eventually.ts';
import { createStories, type Stories } from './stories.ts';
import { taskQueue, workflowBundle } from './workflow-bench.ts';

export interface ScheduleBench {
  readonly client: Client;
  readonly address: string;
  readonly apply: (schedule: Schedule, dryRun?: boolean) => Promise<Applied>;
  readonly there: (id: string) => Promise<ScheduleDescription>;
  /** As a person does in the UI: it keeps what it does not name. */
  readonly edit: (id: string, change: (now: ScheduleDescription) => object) => Promise<void>;
  /** As a person does in the UI. */
  readonly pause: (id: string, note?: string) => Promise<void>;
  /** A schedule of something else than sweeps. */
  foreign(id: string): Promise<void>;
  /** While `run` runs, a worker takes the sweeps; they go as it tells them to. */
  withWorker(run: (stories: Pick<Stories, 'tell'>) => Promise<void>): Promise<void>;
}

export const scheduleOf = (name: string, change: object = {}): Schedule =>
  scheduleSchema.parse({
    ...{ name, at: ['03:00', '15:30'], timeZone: 'Europe/Berlin' },
    sweep: { benchmarks: ['addition'] },
    ...change,
  });

/** A server keeps its schedules in workflows, or in the state machines that are to follow them (temporalio/temporal, chasm/lib/scheduler). */
export type Scheduler = 'workflows' | 'state machines';

const settings = [
  'history.enableChasm=true',
  'history.enableCHASMSchedulerCreation=true',
  'history.chasmSchedulerCreationRolloutPercent=100',
];

const optionsOf = (scheduler: Scheduler): string[] =>
  scheduler === 'workflows' ? [] : settings.flatMap((setting) => ['--dynamic-config-value', setting]);

/** For the tests of a file: there before the first of them begins, and gone after the last. */
export function schedulesOfFile(scheduler: Scheduler = 'workflows'): ScheduleBench {
  let environment: TestWorkflowEnvironment;
  beforeAll(async () => {
    installRuntime(() => undefined);
    environment = await TestWorkflowEnvironment.createLocal({
      server: {
        executable: { type: 'existing-path', path: readSettings(process.env).temporalCli },
        log: { format: 'pretty', level: 'error' },
        extraArgs: optionsOf(scheduler),
      },
    });
  });
  afterAll(() => environment.teardown());
  const handleOf = (id: string) => environment.client.schedule.getHandle(id);
  return {
    get client() {
      return environment.client;
    },
    get address() {
      return environment.connection.options.address;
    },
    apply: (schedule, dryRun = false) => applySchedule(environment.client, { schedule, taskQueue, dryRun }),
    there: (id) => handleOf(id).describe(),
    async edit(id, change) {
      const updatedAt = async () => (await handleOf(id).describe()).info.lastUpdatedAt?.getTime();
      const before = await updatedAt();
      await handleOf(id).update((now) => ({ ...now, ...change(now) }));
      // The server answers before it has done it; what is asked meanwhile may come first.
      await eventually('it is edited', 60, async () => (await updatedAt()) !== before);
    },
    async pause(id, note) {
      await handleOf(id).pause(note);
      await eventually('it is paused', 60, async () => (await handleOf(id).describe()).state.paused);
    },
    async foreign(scheduleId) {
      await environment.client.schedule.create({
        scheduleId,
        spec: { intervals: [{ every: '1 day' }] },
        action: { type: 'startWorkflow', workflowType: 'other', taskQueue },
      });
    },
    async withWorker(run) {
      const stories = createStories();
      const worker = await Worker.create({
        ...{ connection: environment.nativeConnection, taskQueue, workflowBundle: await workflowBundle() },
        activities: { ...stories.activities },
      });
      const running = worker.run();
      try {
        await run(stories);
      } finally {
        worker.shutdown();
        await running;
      }
    },
  };
}
