/**
 * Starts a child when its id is free: an earlier run of the same id may still be closing (its pipeline was terminated, and it saves
 * and cleans up), or may not know yet that nobody waits for it (its pipeline was reset to before it began): it is told.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { getExternalWorkflowHandle, patched, sleep } from '@temporalio/workflow';

const pauseSeconds = 5;
/** Longer than any grace; what is open after that is no leftover. */
const patienceSeconds = 15 * 60;

/** The answer of `run`, which starts the child of this id and waits for it. */
export async function whenIdIsFree<T>(workflowId: string, run: () => Promise<T>): Promise<T> {
  for (let waitedSeconds = 0; ; waitedSeconds += pauseSeconds) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError) || waitedSeconds >= patienceSeconds) throw error;
    }
    if (waitedSeconds === 0 && patched('what-is-left-of-a-reset-is-cancelled')) await cancelLeftover(workflowId);
    await sleep(pauseSeconds * 1000, { summary: 'an earlier run of this id is still closing' });
  }
}

/** It is no run of ours: whoever started it is closed, or it would not be in our way. */
async function cancelLeftover(workflowId: string): Promise<void> {
  await getExternalWorkflowHandle(workflowId)
    .cancel()
    .catch(() => undefined); // it closed by itself meanwhile
}
