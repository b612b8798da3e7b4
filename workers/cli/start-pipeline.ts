/**
 * Starts a pipeline, and waits until its recipe is resolved: nonsense fails at once, with the words of the worker.
 *
 * Does not cover following it (follow-in-terminal.ts).
 */
import { TemperError } from '../../decisions/errors.ts';
import { workflowNames, type PipelineInput, type ResolvedPipeline } from '../../workflows/contract.ts';
import { asTemperError } from './ask.ts';
import { answered, pageOf, requireWorker, type Connected } from './connect.ts';
import { startDetails } from './start-details.ts';
import { wordOfStatus } from '../run-state.ts';

export interface StartedPipeline {
  readonly pipeline: string;
  readonly runId: string;
  readonly page: string;
  /** What a person should look at, in sentences. */
  readonly warnings: readonly string[];
}

/** It has begun, and whether its recipe is any good no worker has said yet. */
export type Begun = StartedPipeline & { readonly unanswered: TemperError | null };

const lookMilliseconds = 200;
const resolveSeconds = 60;

/**
 * Throws `invalid-input` when it runs already or its recipe is refused, `environment-unusable` without a worker. A worker that only seems to
 * be there is told in `unanswered`: the pipeline is started all the same.
 */
export async function startPipeline(
  connected: Connected,
  wish: { readonly pipelineId: string; readonly input: PipelineInput },
): Promise<Begun> {
  await requireWorker(connected);
  const { pipelineId, input } = wish;
  const { WorkflowExecutionAlreadyStartedError } = await import('@temporalio/client');
  try {
    const handle = await connected.client.workflow.start(workflowNames.pipeline, {
      workflowId: pipelineId,
      taskQueue: connected.places.taskQueue,
      args: [input],
      staticSummary: `Recipe ${typeof input.recipe === 'string' ? input.recipe : pipelineId}, started by temper start`,
      staticDetails: startDetails(pipelineId, input),
    });
    const runId = handle.firstExecutionRunId;
    const begun = { pipeline: pipelineId, runId, page: pageOf(connected, pipelineId, runId) };
    const resolved = await untilResolved(connected, pipelineId, runId).catch((error: unknown) => notYet(begun, error));
    if (resolved instanceof TemperError) return { ...begun, warnings: [], unanswered: resolved };
    return { ...begun, warnings: resolved?.warnings ?? [], unanswered: null };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw new TemperError(
      'invalid-input',
      `${pipelineId} runs already: follow it with \`temper status -f ${pipelineId}\`, or start another one with --id`,
      { cause: error },
    );
  }
}

/** Only that nobody answers yet; anything else is thrown. */
function notYet({ pipeline }: { readonly pipeline: string }, error: unknown): TemperError {
  if (!(error instanceof TemperError) || error.code !== 'environment-unusable') throw error;
  const message = `${pipeline} is started and goes on as soon as a worker answers: look with \`temper status ${pipeline}\`. Until now ${error.message}`;
  return new TemperError(error.code, message, { cause: error });
}

/** Null where that takes too long: the run goes on. */
async function untilResolved(
  connected: Connected,
  pipelineId: string,
  runId: string,
): Promise<ResolvedPipeline | null> {
  const handle = connected.client.workflow.getHandle(pipelineId, runId);
  const deadline = Date.now() + resolveSeconds * 1000;
  while (Date.now() < deadline) {
    const plan = await answered(connected, `pipeline "${pipelineId}"`, () =>
      handle.query<ResolvedPipeline | null>('plan'),
    );
    if (plan !== null) return plan;
    const { status } = await handle.describe();
    if (wordOfStatus(status.name) !== 'running') await handle.result().catch(refused);
    await new Promise((resolve) => setTimeout(resolve, lookMilliseconds));
  }
  return null;
}

function refused(error: unknown): never {
  const { cause } = error as { cause?: Error };
  throw cause ? asTemperError(cause) : error;
}
