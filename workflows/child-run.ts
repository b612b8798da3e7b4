/**
 * Starts a child when its id is free: an earlier run of the same id may still be closing (its pipeline was terminated, and it saves
 * and cleans up).
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { sleep } from '@temporalio/workflow';

const pauseSeconds = 5;
/** Longer than any grace; what is open after that is no leftover. */
const patienceSeconds = 15 * 60;

/** The answer of `run`, which starts the child and waits for it. */
export async function whenIdIsFree<T>(run: () => Promise<T>): Promise<T> {
  for (let waitedSeconds = 0; ; waitedSeconds += pauseSeconds) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError) || waitedSeconds >= patienceSeconds) throw error;
    }
    await sleep(pauseSeconds * 1000, { summary: 'an earlier run of this id is still closing' });
  }
}
