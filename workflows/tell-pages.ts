/** Tells the pages of pipelines what came in from outside of their checkpoints. */
import { getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';
import type { ShownScores } from '../decisions/shown-scores.ts';
import { rowsSignal } from './messages.ts';

/** Absent from older workers. */
export async function tellPages(shown: readonly ShownScores[] = []): Promise<void> {
  for (const { pipelineId, runId, rows, outside } of shown) {
    try {
      await getExternalWorkflowHandle(pipelineId).signal(rowsSignal, rows, runId, outside);
    } catch (error) {
      // It has ended meanwhile, or was terminated.
      if (isCancellation(error)) throw error;
    }
  }
}
