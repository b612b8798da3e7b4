/**
 * Evaluations of a phase as child runs: beside the training as checkpoints come, and for the gate what is still missing.
 *
 * Covers when they start and that a failed one does not end the phase. Does not cover which are needed (decisions/gate.ts).
 */
import { ApplicationFailure, executeChild, isCancellation, ParentClosePolicy, patched } from '@temporalio/workflow';
import type { EvaluationKey } from '../decisions/evaluation.ts';
import { whenIdIsFree } from './child-run.ts';
import { childIds, type CheckpointRef, type PhaseContext } from './contract.ts';
import { budgetSpent, evaluateCheckpoint } from './evaluate.ts';
import { explained, messageOf } from './explained.ts';
import type { HeldPhase } from './hold.ts';
import { stopped } from './steering/stoppables.ts';

export interface EvaluationsBeside {
  /** Starts the evaluations that a new checkpoint is due for, and does not wait. */
  evaluate(checkpoint: CheckpointRef): void;
  /** Runs these to their end, or to a hold; answers with why it failed, or null. */
  evaluateAll(missing: readonly EvaluationKey[], title: string): Promise<string | null>;
  /** All that run now have ended, well or not. */
  settled(): Promise<void>;
  /** Stops all that run beside the training, since its run has fallen: what the gate still needs it asks for. */
  abandon(): void;
}

/** Why evaluations were not made. */
interface NotEvaluated {
  readonly because: string;
  readonly budgetSpent: boolean;
  /** A person holds the phase, or its run has fallen: nothing of it failed. */
  readonly stopped?: true;
}

interface Child {
  isAbandoned: boolean;
  stop: () => void;
}

/** `evaluated` is called when evaluations beside the training are in the ledger. */
export function startEvaluations(phase: HeldPhase, evaluated: () => Promise<void>): EvaluationsBeside {
  const { context, board, notices } = phase;
  const { run, abandon } = evaluationRuns(phase);
  const running: Promise<void>[] = [];
  let toldOfBudget = false;

  return {
    evaluate(checkpoint) {
      const evaluations = keysOf(context, checkpoint);
      if (evaluations.length === 0) return;
      const title = `${context.phase.name} step ${String(checkpoint.step)}: evaluation on ${context.phase.evaluate?.benchmarks.join(', ') ?? ''}`;
      const ended = run(evaluations, title).then(async (failure) => {
        if (failure === null) await evaluated();
        if (failure === null) return;
        board.decided(`${failure.because}; the gate asks again for what it needs`);
        if (!failure.budgetSpent || toldOfBudget) return;
        toldOfBudget = true;
        await notices.tell('budget', failure.because);
      });
      // Nobody waits for it while the training runs, and a cancelled phase never does: settled() hears of a rejection, if anybody.
      ended.catch(() => undefined);
      running.push(ended);
    },
    async evaluateAll(missing, title) {
      board.evaluating(title);
      const failure = await run(
        missing,
        `${context.phase.name}: ${String(missing.length)} evaluation${missing.length === 1 ? '' : 's'} for the gate`,
      );
      return failure === null || failure.stopped ? null : failure.because;
    },
    async settled() {
      if (running.length > 0) board.evaluating('the last evaluations beside the training');
      await Promise.all(running);
    },
    abandon,
  };
}

/** The child runs of a phase that evaluate, and an end to all of them. */
function evaluationRuns(phase: HeldPhase) {
  const { context, steering } = phase;
  const children = new Set<Child>();
  let number = 0;

  async function run(evaluations: readonly EvaluationKey[], title: string): Promise<NotEvaluated | null> {
    number += 1;
    const child: Child = { isAbandoned: false, stop: () => undefined };
    children.add(child);
    try {
      const workflowId = childIds.evaluation(context.pipelineId, context.phase.name, number);
      const ended = await steering.stoppable((_, stopIt) => {
        child.stop = stopIt;
        return whenIdIsFree(workflowId, () =>
          executeChild(evaluateCheckpoint, {
            workflowId,
            args: [{ context: phase.context, title, evaluations }],
            staticSummary: title,
            parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
          }),
        );
      });
      if (ended !== stopped) return null;
      const because = child.isAbandoned
        ? `${title}: stopped, the run has fallen`
        : 'evaluations were stopped by a hold';
      return { because, budgetSpent: false, stopped: true };
    } catch (error) {
      if (isCancellation(error)) throw error;
      const why = explained(error);
      const spent = why instanceof ApplicationFailure && why.type === budgetSpent;
      return { because: spent ? messageOf(error) : `evaluations failed: ${messageOf(error)}`, budgetSpent: spent };
    } finally {
      children.delete(child);
    }
  }

  function abandon(): void {
    // Older histories wait for all of them here, and must replay so.
    if (children.size === 0 || !patched('evaluations-end-with-a-fall')) return;
    for (const child of children) {
      child.isAbandoned = true;
      child.stop();
    }
  }

  return { run, abandon };
}

/** The evaluations that a checkpoint is due for when it appears: each benchmark with the seeds the recipe begins with. */
function keysOf(context: PhaseContext, checkpoint: CheckpointRef): EvaluationKey[] {
  const { evaluate } = context.phase;
  if (!evaluate) return [];
  return evaluate.benchmarks.flatMap((benchmark) =>
    Array.from({ length: evaluate.seeds }, (_, index) => ({
      checkpoint: checkpoint.id,
      benchmark,
      version: context.benchmarks[benchmark]?.version ?? 1,
      seed: index + 1,
    })),
  );
}
