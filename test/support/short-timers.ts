/** Workflow code of tests alone: runs of pipelines called `nobody…` wait 100 ms where others wait for seconds or hours. */
import { workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';

const shortMilliseconds = 100;

export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      startTimer: (input, next) => {
        if (!workflowInfo().workflowId.startsWith('nobody')) return next(input);
        return next({ ...input, durationMs: Math.min(input.durationMs, shortMilliseconds) });
      },
    },
  ],
});
