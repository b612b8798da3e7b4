/** The real workflows on a real Temporal server (the CLI's development server), with activities that tests tell. */
import { fileURLToPath } from 'node:url';
import { type Client, type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { readSettings } from '../../workers/settings.ts';
import { interceptorsOf } from '../../workers/workflow-bundle.ts';
import { installRuntime } from '../../workers/temper-worker.ts';
import { type PhaseReport, type PipelineInput, type PipelineStatus, workflowNames } from '../../workflows/contract.ts';
import type { postTrainingPipeline } from '../../workflows/index.ts';
import { searchAttributes } from '../../workflows/messages.ts';
import { eventually } from './eventually.ts';
import { createStories, type Stories, type Story } from './stories.ts';

export type Run = WorkflowHandle<typeof postTrainingPipeline>;

export interface WorkflowBench extends Pick<Stories, 'tell'> {
  readonly client: Client;
  start(story: Story, input?: PipelineInput): Promise<Run>;
  close(): Promise<void>;
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
export const taskQueue = 'stories';

let bundle: ReturnType<typeof bundleWorkflowCode> | null = null;

/** The workflows as one file of code, made once per process. */
export async function workflowBundle(): Promise<{ readonly code: string }> {
  const workflowsPath = pathOf('../../workflows/index.ts');
  bundle ??= bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [...interceptorsOf(workflowsPath), pathOf('./short-timers.ts')],
    logger: { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  return await bundle;
}

export async function workflowBench(): Promise<WorkflowBench> {
  installRuntime(ignore);
  const [environment, code] = await Promise.all([
    TestWorkflowEnvironment.createLocal({
      client: { identity: 'person' },
      server: {
        executable: { type: 'existing-path', path: readSettings(process.env).temporalCli },
        searchAttributes: Object.values(searchAttributes),
        extraArgs: ['--dynamic-config-value', 'frontend.WorkflowPauseEnabled=true'],
        log: { format: 'pretty', level: 'error' },
      },
    }),
    workflowBundle(),
  ]);
  const stories = createStories();
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue,
    identity: 'worker',
    workflowBundle: code,
    activities: { ...stories.activities },
    maxHeartbeatThrottleInterval: '1 second',
  });
  const running = worker.run();
  return {
    client: environment.client,
    tell: stories.tell,
    start: (story, input = {}) =>
      environment.client.workflow.start(workflowNames.pipeline, {
        workflowId: story.pipelineId,
        taskQueue,
        args: [input],
      }),
    async close() {
      worker.shutdown();
      await running;
      await environment.teardown();
    },
  };
}

/** One for the tests of a file: there before the first of them begins, and gone after the last. */
export function benchOfFile(): Omit<WorkflowBench, 'close'> {
  let opening: Promise<WorkflowBench>;
  let bench: WorkflowBench;
  beforeAll(async () => {
    opening = workflowBench();
    bench = await opening;
  });
  afterAll(async () => (await opening).close());
  return {
    get client() {
      return bench.client;
    },
    tell: (...story) => bench.tell(...story),
    start: (story, input) => bench.start(story, input),
  };
}

function ignore(): void {
  // What the SDK says of workflows that fail on purpose is no news.
}

/** What a person asks of a run; its answer. */
export const send = (run: Run, update: string, input: object = {}): Promise<string> =>
  run.executeUpdate<string, [object]>(update, { args: [input] });

/** Why an update was refused. Throws when it was not. */
export async function refusalOf(update: Promise<unknown>): Promise<string> {
  try {
    await update;
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) return error.cause?.message ?? '';
    throw error;
  }
  throw new Error('it was not refused');
}

/** How the run failed: the type and the words that a person sees. */
export async function failureOf(run: {
  result(): Promise<unknown>;
}): Promise<{ readonly type: string | undefined; readonly message: string }> {
  const error = await run.result().then(
    () => null,
    (failure: unknown) => failure,
  );
  const cause = (error as { cause?: { type?: string; message: string } } | null)?.cause;
  if (!cause) throw new Error('the run did not fail');
  return { type: cause.type, message: cause.message };
}

export async function statusOf(run: Run): Promise<readonly PhaseReport[]> {
  return (await run.query<PipelineStatus>('status')).phases;
}

/** The report of a phase once it says this state. */
export async function untilState(run: Run, phase: string, state: PhaseReport['state']): Promise<PhaseReport> {
  return await eventually(`${phase} is ${state}`, 60, async () => {
    const report = (await statusOf(run)).find((one) => one.phase === phase);
    return report?.state === state ? report : null;
  });
}

/** The markdown of the run's page. */
export async function pageOf(client: Client, workflowId: string): Promise<string> {
  const metadata = await client.workflow
    .getHandle(workflowId)
    .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}
