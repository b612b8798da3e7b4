/**
 * How a person is told of a phase (it is held, it failed, a budget is spent) or a sweep. Nobody is, and nothing of it is in the history,
 * where the profile names nobody.
 */
import { CancellationScope, ParentClosePolicy, patched, startChild, workflowInfo } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { NotificationEvent } from '../decisions/notification.ts';
import { childIds, type PhaseContext } from './contract.ts';
import { messageOf } from './explained.ts';
import { notifyPerson } from './notify.ts';
import type { PhaseBoard } from './phase-board.ts';

export interface Notices {
  /** False: `tell` does nothing. Whoever asks first keeps the order of commands as it is where nobody is told. */
  readonly someone: boolean;
  /** `waits`: for how long it waits for a person, and what then. Resolves when the telling has begun; it goes on when the phase has ended. */
  tell(event: NotificationEvent, cause: string, waits?: string): Promise<void>;
}

const summaries: Readonly<Record<NotificationEvent, string>> = {
  held: 'is held',
  failed: 'failed',
  budget: 'has spent a budget',
  collapse: 'is collapsing',
  sweep: 'found something',
};

/** Whose notices these are. */
export type NoticedRun = Pick<PhaseContext, 'pipelineId' | 'runId' | 'profile' | 'notifies'> & {
  readonly phase: Pick<PhaseContext['phase'], 'name'>;
  /** Names what has something to tell. @default the run itself, which a reset does not make another */
  readonly teller?: string;
};

export function noticesOf(context: NoticedRun, board: Pick<PhaseBoard, 'decided'>): Notices {
  const { pipelineId, runId, profile } = context;
  const phase = context.phase.name;
  let number = 0;
  const someone = context.notifies === true;
  return {
    someone,
    async tell(event, cause, waits) {
      if (!someone) return;
      number += 1;
      const workflowId = childIds.notice({ pipelineId, phase, teller: tellerOf(context) }, number);
      const input = {
        context: { pipelineId, runId, profile, phase },
        event,
        cause,
        key: workflowId,
        ...(waits !== undefined && { waits }),
      };
      await CancellationScope.nonCancellable(async () => {
        try {
          const run = await startChild(notifyPerson, {
            workflowId,
            args: [input],
            staticSummary: `tell a person: ${phase} ${summaries[event]}`,
            parentClosePolicy: ParentClosePolicy.ABANDON,
          });
          // Seen only while the phase is open; `temper explain` has it from the ledger.
          void run.result().then(
            ({ kind, sentence }) => {
              if (kind !== 'sent') board.decided(sentence);
            },
            (error: unknown) => {
              board.decided(messageOf(error));
            },
          );
        } catch (error) {
          // The same notice of a run that was reset is on its way.
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
      });
    },
  };
}

/** A phase that begins anew is another run of the same pipeline's run: its first news is not that of the one before. */
function tellerOf({ runId, teller = workflowInfo().firstExecutionRunId }: NoticedRun): string {
  // What a phase told before it was so keeps its name, in a replay.
  return patched('notices-are-of-the-run-that-tells') ? teller : runId;
}
