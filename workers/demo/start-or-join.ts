/** The run of a pipeline: the open one, or a new one of the same id. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { workflowNames, type PipelineInput } from '../../workflows/contract.ts';
import { wordOfStatus } from '../run-state.ts';

export interface PipelineRun {
  readonly pipelineId: string;
  readonly runId: string;
  /** True when the run was open already. */
  readonly joined: boolean;
}

export interface PipelineWish {
  readonly pipelineId: string;
  readonly taskQueue: string;
  readonly input: PipelineInput;
  /** One line on the run's page. */
  readonly summary: string;
  /** Markdown on the run's page. */
  readonly details: string;
}

export async function startOrJoin(client: Client, wish: PipelineWish): Promise<PipelineRun> {
  const { pipelineId } = wish;
  const open = await openRunOf(client, pipelineId);
  if (open !== null) return { pipelineId, runId: open, joined: true };
  const handle = await client.workflow.start(workflowNames.pipeline, {
    workflowId: pipelineId,
    taskQueue: wish.taskQueue,
    args: [wish.input],
    staticSummary: wish.summary,
    staticDetails: wish.details,
  });
  return { pipelineId, runId: handle.firstExecutionRunId, joined: false };
}

async function openRunOf(client: Client, pipelineId: string): Promise<string | null> {
  try {
    const { status, runId } = await client.workflow.getHandle(pipelineId).describe();
    return wordOfStatus(status.name) === 'running' ? runId : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
