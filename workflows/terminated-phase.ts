/**
 * A phase whose run a person terminated wrote no end of its own: its pipeline does, and stops its jobs, so that nothing runs on and nothing says so.
 *
 * Does not cover a pipeline that is terminated itself: its phases end by themselves.
 */
import { CancellationScope, ChildWorkflowFailure, patched, TerminatedFailure } from '@temporalio/workflow';
import type { PhaseContext } from './contract.ts';
import { phaseFailed } from './hold.ts';
import { activities } from './jobs.ts';
import { noticesOf } from './notices.ts';
import type { PipelineBoard } from './pipeline-board.ts';

const because =
  'its run was terminated, and what ran of it is stopped; started again with the same id, the pipeline goes on from the newest checkpoint';

/** The answer of `run`, which waits for the phase. */
export async function orCloseTerminated<T>(
  board: PipelineBoard,
  context: PhaseContext,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isTerminated(error) || !patched('terminated-phases-are-closed')) throw error;
    const { name } = context.phase;
    const failure = phaseFailed(context, because);
    await CancellationScope.nonCancellable(async () => {
      await activities(`${name} was terminated: stop its job`).stopJobsOf({ context });
      await activities(`record that ${name} was terminated`).closePhase({ context, state: 'failed', because });
    });
    await tell(context, { run: error.execution.runId, cause: failure.message });
    const report = board.phases().find(({ phase }) => phase === name);
    if (report !== undefined) board.report({ ...report, state: 'failed', note: because });
    throw failure;
  }
}

/** As a phase does that fails by itself. */
async function tell(
  context: PhaseContext,
  { run, cause }: { run: string | null | undefined; cause: string },
): Promise<void> {
  const notices = noticesOf({ ...context, teller: `terminated-${run ?? ''}` }, { decided: () => undefined });
  if (notices.someone && patched('terminated-phases-are-told')) await notices.tell('failed', cause);
}

function isTerminated(error: unknown): error is ChildWorkflowFailure {
  return error instanceof ChildWorkflowFailure && error.cause instanceof TerminatedFailure;
}
