/** Tells the phases whose gates look at a score from outside that it came in. */
import { getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';
import type { RecordedScore } from './contract-questions.ts';
import { scoreSignal } from './messages.ts';

export async function wakeGates({ id, wakes }: Pick<RecordedScore, 'id' | 'wakes'>): Promise<void> {
  for (const workflowId of wakes) {
    try {
      await getExternalWorkflowHandle(workflowId).signal(scoreSignal, { id });
    } catch (error) {
      // It has ended meanwhile, or was terminated.
      if (isCancellation(error)) throw error;
    }
  }
}
