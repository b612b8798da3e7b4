/** Resets a run, as the menu of its page does. */
import { randomUUID } from 'node:crypto';
import type { Run } from './workflow-bench.ts';

/** Resolves to the run that goes on: before the first or last answer of the workflow, or the one that started `child`. */
export async function resetRun(run: Run, to: 'first' | 'last' | { readonly child: string }): Promise<Run> {
  const { workflowId, client } = run;
  const events = (await run.fetchHistory()).events ?? [];
  const answers = events.flatMap((event) => (event.workflowTaskCompletedEventAttributes ? [event.eventId] : []));
  const started = events.flatMap(({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child ?? []);
  const answer =
    typeof to === 'object'
      ? started.find((child) => child.workflowId === to.child)?.workflowTaskCompletedEventId
      : answers.at(to === 'first' ? 0 : -1);
  const { runId } = await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId },
    workflowTaskFinishEventId: answer ?? null,
    requestId: randomUUID(),
    reason: 'a test',
  });
  return client.getHandle(workflowId, runId);
}
