/**
 * A link to the start form of the Temporal UI, filled with an example.
 *
 * The form takes no input by link, but copies that of a run. So an example run is made: put off for a year and terminated at once, it
 * never reaches a worker. It goes with the namespace's retention: make the link when it is needed.
 */
import type { Client } from '@temporalio/client';
import { workflowNames, type PipelineInput } from '../workflows/contract.ts';

export interface StartFormExample {
  /** Address of the Web UI, without a slash at its end. */
  readonly uiUrl: string;
  readonly taskQueue: string;
  readonly input: PipelineInput;
  /** Filled in, too: one line and markdown for the page of the run that a person starts. */
  readonly summary: string;
  readonly details: string;
}

const exampleId = 'example/pipeline';

/** Makes the example anew, whatever became of an earlier one. */
export async function makeStartFormLink(client: Client, example: StartFormExample): Promise<string> {
  const { uiUrl, taskQueue, input, summary, details } = example;
  const run = await client.workflow.start(workflowNames.pipeline, {
    workflowId: exampleId,
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    taskQueue,
    args: [input],
    startDelay: '365 days',
    staticSummary: summary,
    staticDetails: details,
  });
  await run.terminate('an example for the start form, not a run');
  const query = new URLSearchParams({
    taskQueue,
    workflowType: workflowNames.pipeline,
    // Without a workflow id, so that the form leaves it to the person.
    runId: run.firstExecutionRunId,
  });
  const namespace = encodeURIComponent(client.options.namespace);
  return `${uiUrl}/namespaces/${namespace}/workflows/start-workflow?${query.toString()}`;
}
