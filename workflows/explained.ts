/** The words of what went wrong underneath, instead of "Activity task failed" or "Child Workflow execution failed". */
import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure, workflowInfo } from '@temporalio/workflow';
import { refusal } from './refusal.ts';

/** The failure that an activity or a child ended with; any other error as it is. */
export function explained(error: unknown): unknown {
  let at = error;
  while ((at instanceof ActivityFailure || at instanceof ChildWorkflowFailure) && at.cause) at = at.cause;
  if (at === error || !(at instanceof ApplicationFailure)) return error;
  return refusal({
    message: at.message,
    type: at.type ?? 'PhaseFailed',
    details: at.details ?? [],
    ...(error instanceof Error ? { cause: error } : {}),
  });
}

/** The same as a sentence. */
export function messageOf(error: unknown): string {
  const why = explained(error);
  return why instanceof Error ? why.message : String(why);
}

/** Refuses a phase or an evaluation that was started by hand: only a pipeline knows what it needs. */
export function mustComeFromAPipeline(context: { readonly pipelineId?: string } | undefined): void {
  if (context?.pipelineId !== undefined) return;
  const message = `${workflowInfo().workflowType} is started by postTrainingPipeline, not by hand: start that one with {"recipe": "<name>"}`;
  throw refusal({ message, type: 'InvalidInput' });
}
