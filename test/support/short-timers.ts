/** Workflow code of tests alone: runs of pipelines called `nobody…` wait 100 ms where others wait for hours. */
import { workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';

const hourMilliseconds = 3_600_000;

export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      startTimer: (input, next) => {
        const isShort = input.durationMs >= hourMilliseconds && workflowInfo().workflowId.startsWith('nobody');
        return next(isShort ? { ...input, durationMs: 100 } : input);
      },
    },
  ],
});
