/**
 * Refuses what people asked of a pipeline before it was reset: the server hands it to the new run once more, in its first task.
 *
 * It would be accepted there between reports of phases that are gone, and in a replay after them: the run could never be replayed again.
 * Covers updates. Does not cover signals, which the new run hears again in their order.
 */
import { type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';
import { refusal } from './refusal.ts';

export const interceptors: WorkflowInterceptorsFactory = () => {
  // The SDK tells nobody of a reset, but gives each run that one begins chances of its own.
  const chances = () => getActivator().random;
  let before = chances();
  let isFirstTask = false;

  return {
    inbound: [
      {
        validateUpdate(input, next) {
          if (isFirstTask)
            throw refusal({
              type: 'NotNow',
              message: `the pipeline was reset just now, and what was asked before that is not done again: ask for ${input.name} once more`,
            });
          next(input);
        },
      },
    ],
    internals: [
      {
        activate(input, next) {
          isFirstTask = chances() !== before;
          before = chances();
          next(input);
        },
      },
    ],
  };
};
