/**
 * Runs one phase to a promoted checkpoint.
 *
 * Covers attempts, evaluation beside the training, and the gate. Does not cover how jobs run (activities/) or how to decide (decisions/).
 */
import { ApplicationFailure, CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { GateAnswer } from '../activities/gate.ts';
import type { CheckpointRef, PhaseContext, PhaseEnd, PhaseOutcome } from './contract.ts';
import { messageOf, mustComeFromAPipeline } from './explained.ts';
import { startEvaluations, type EvaluationsBeside } from './evaluations-beside.ts';
import { activities, runJob } from './jobs.ts';
import { phaseBoard, type PhaseBoard } from './phase-board.ts';

export async function trainPhase(context: PhaseContext): Promise<PhaseOutcome> {
  mustComeFromAPipeline(context);
  const board = phaseBoard(context);
  const startedAt = Date.now();
  const ended = (end: PhaseEnd, trainer: Readonly<Record<string, number>>) => ({
    ...end,
    seconds: { wall: (Date.now() - startedAt) / 1000, trainer },
  });
  try {
    const finished = await activities('look for finished work').findFinishedPhase(context);
    if (finished) return ended(board.reused(finished), {});

    const beside = startEvaluations(context, board);
    const trainer = await trainToTheEnd(context, board, beside);
    await beside.settled();
    return ended(await passGate(context, board, beside), trainer);
  } catch (error) {
    const state = isCancellation(error) ? 'cancelled' : 'failed';
    board.ended(state);
    await CancellationScope.nonCancellable(() =>
      activities(`record that it is ${state}`).closePhase({ context, state, because: messageOf(error) }),
    );
    throw error;
  } finally {
    await board.delivered();
  }
}

/** One attempt after the other, until one is proved complete; returns its seconds by what it did. */
async function trainToTheEnd(
  context: PhaseContext,
  board: PhaseBoard,
  beside: EvaluationsBeside,
): Promise<Readonly<Record<string, number>>> {
  for (let opened = 1; ; opened += 1) {
    const ticket = await activities('open an attempt').openAttempt({ context, opened });
    board.attempt(ticket);
    const job = await runJob(context, ticket, (checkpoint) => {
      board.checkpoint(checkpoint);
      beside.evaluate(checkpoint);
    });
    const judged = await activities(`${ticket.title} attempt ${String(ticket.number)}: judge its end`).judgeAttempt({
      context,
      ticket,
      job,
    });
    if (judged.kind === 'completed') {
      board.trained(ticket, judged.sentence);
      return judged.seconds;
    }
    board.decided(judged.sentence);
    if (judged.kind === 'fail') throw phaseFailed(context, judged.sentence);
    if (judged.kind === 'hold') await holdForAPerson(context, board, judged.sentence);
    if (judged.delaySeconds > 0) await sleep(judged.delaySeconds * 1000, { summary: judged.sentence });
  }
}

/** Evaluations → verdict, until one decides. */
async function passGate(context: PhaseContext, board: PhaseBoard, beside: EvaluationsBeside): Promise<PhaseEnd> {
  for (;;) {
    const answer = await activities('judge the candidates').judgeGate({ context });
    board.judged(answer);
    switch (answer.kind) {
      case 'promote':
        try {
          return await promote(context, board, answer);
        } catch (error) {
          // All the training is done: a person may mend what is wrong with the checkpoint, so that none of it is lost.
          if (isCancellation(error)) throw error;
          await holdForAPerson(context, board, messageOf(error));
          break;
        }
      case 'more-evaluations': {
        const failure = await beside.evaluateAll(answer.missing, answer.sentence);
        if (failure !== null) await holdForAPerson(context, board, failure);
        break;
      }
      case 'hold':
        await holdForAPerson(context, board, answer.sentence);
        break;
      case 'reject':
        if (context.phase.onReject === 'keep-parent' && context.start)
          return await keepParent({ ...context, start: context.start }, board, answer.sentence);
        if (context.phase.onReject === 'hold') await holdForAPerson(context, board, answer.sentence);
        else throw phaseFailed(context, answer.sentence);
    }
  }
}

async function promote(
  context: PhaseContext,
  board: PhaseBoard,
  answer: Extract<GateAnswer, { kind: 'promote' }>,
): Promise<PhaseEnd> {
  const { checkpoint, sentence, score } = answer;
  const sealed = await activities(`promote checkpoint ${String(checkpoint.step)}`).promote({
    context,
    checkpoint,
    because: sentence,
    score,
  });
  return board.completed(sealed, answer);
}

async function keepParent(
  context: PhaseContext & { readonly start: CheckpointRef },
  board: PhaseBoard,
  because: string,
): Promise<PhaseEnd> {
  await activities('keep the parent').closePhase({ context, state: 'rejected', because, checkpoint: context.start });
  return board.rejected(context.start, because);
}

/** GPUs are released, and a person has 24 hours. */
async function holdForAPerson(context: PhaseContext, board: PhaseBoard, sentence: string): Promise<void> {
  if (context.onFailure === 'fail') throw phaseFailed(context, sentence);
  const released = board.held(sentence);
  await activities('record that it is held').closePhase({ context, state: 'held', because: sentence });
  if (!(await released)) throw phaseFailed(context, `${sentence}; held for 24 hours and nobody released it`);
  await activities('go on after a release').recordRelease({ context });
}

function phaseFailed(context: PhaseContext, sentence: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`Phase ${context.phase.name} failed: ${sentence}`, 'PhaseFailed');
}
