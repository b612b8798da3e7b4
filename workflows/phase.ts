/**
 * Runs one phase to a promoted checkpoint.
 *
 * Covers attempts, evaluation beside the training, and the gate. Does not cover how jobs run (activities/) or how to decide (decisions/).
 */
import { CancellationScope, CancelledFailure, isCancellation, patched, sleep } from '@temporalio/workflow';
import type { GateAnswer } from '../activities/gate.ts';
import type { HeldComparison } from '../decisions/gate-input.ts';
import type { PhaseContext, PhaseEnd, PhaseOutcome } from './contract.ts';
import { messageOf, mustComeFromAPipeline } from './explained.ts';
import { type CollapseWatch, watchForCollapse } from './collapse-watch.ts';
import { startEvaluations, type EvaluationsBeside } from './evaluations-beside.ts';
import { hearInOrder } from './hear-in-order.ts';
import { heldPhase, phaseFailed, type HeldPhase } from './hold.ts';
import { activities, runJob } from './jobs.ts';
import { summaryOf } from './markdown.ts';
import { noticesOf } from './notices.ts';
import { phaseBoard } from './phase-board.ts';
import { orEndByPerson, type PhaseAgain } from './steering/end-by-person.ts';
import { phaseSteering } from './steering/phase-steering.ts';
import { stopped } from './steering/stoppables.ts';

export async function trainPhase(context: PhaseContext): Promise<PhaseOutcome | PhaseAgain> {
  mustComeFromAPipeline(context);
  const board = phaseBoard(context);
  const steering = phaseSteering(context, (sentence) => {
    board.decided(sentence);
  });
  hearInOrder([...steering.hears, ...board.hears(steering.forgetHold)]);
  const phase = heldPhase(context, board, { notices: noticesOf(context, board), steering });
  const startedAt = Date.now();
  let trainer: Readonly<Record<string, number>> = {};
  try {
    const end = await orEndByPerson(phase, async () => {
      if (context.holdAsked !== undefined) await phase.pause();
      const finished = await phase.orHold(() => activities('look for finished work').findFinishedPhase(context));
      if (finished) return board.reused(finished);

      const collapse = watchForCollapse(phase);
      const beside = startEvaluations(phase, () => collapse.judge());
      trainer = await trainToTheEnd(phase, beside, collapse);
      if (collapse.hasFallen()) beside.abandon();
      await beside.settled();
      return await afterTraining(phase, beside, collapse);
    });
    return 'again' in end ? end : { ...end, seconds: { wall: (Date.now() - startedAt) / 1000, trainer } };
  } catch (error) {
    const why = whyEnded(error);
    const state = isCancellation(why) ? 'cancelled' : 'failed';
    board.stands(state);
    if (state === 'failed' && phase.notices.someone) await phase.notices.tell('failed', messageOf(why));
    await CancellationScope.nonCancellable(() =>
      activities(`record that it is ${state}`).closePhase({ context, state, because: messageOf(why) }),
    );
    throw why;
  } finally {
    await board.delivered();
  }
}

/** A cancelled phase is cancelled, whatever else fails while it stops. */
function whyEnded(error: unknown): unknown {
  if (isCancellation(error) || !CancellationScope.current().consideredCancelled) return error;
  // Older histories tell of a failure here, and must replay so.
  if (!patched('cancelled-whatever-fails')) return error;
  return new CancelledFailure(`cancelled; meanwhile: ${messageOf(error)}`);
}

/** One attempt after the other, until one is proved complete or the run collapses; returns its seconds by what it did. */
async function trainToTheEnd(
  phase: HeldPhase,
  beside: EvaluationsBeside,
  collapse: CollapseWatch,
): Promise<Readonly<Record<string, number>>> {
  let opened = 0;
  for (;;) {
    if (phase.steering.holdAsked() !== null) await phase.pause();
    const seconds = await phase.orHold(async () => {
      opened += 1;
      return await runAttempt(phase, { beside, collapse }, opened);
    });
    if (seconds !== null) return seconds;
    if (await collapse.endsTraining()) return {};
  }
}

/** The seconds of an attempt that is proved complete; null when another one follows. */
async function runAttempt(
  phase: HeldPhase,
  { beside, collapse }: { readonly beside: EvaluationsBeside; readonly collapse: CollapseWatch },
  opened: number,
): Promise<Readonly<Record<string, number>> | null> {
  const { context, board, hold, steering } = phase;
  const ticket = await activities('open an attempt').openAttempt({ context, opened });
  board.attempt(ticket);
  const ran = await steering.stoppable((isHeld) =>
    runJob(context, ticket, {
      checkpoint: (checkpoint) => {
        board.reached(checkpoint.step);
        beside.evaluate(checkpoint);
      },
      note: (sentence) => {
        board.decided(sentence);
      },
      reached: (step) => {
        board.reached(step);
      },
      isHeld,
      stop: collapse.stop(),
    }),
  );
  // It had not begun: there is nothing to judge.
  if (ran === stopped) return null;
  const { job, gaveUp, ...end } = ran;
  // Older workers judged no place that was given up.
  if (gaveUp !== null) {
    await hold(gaveUp);
    return null;
  }
  const judged = await activities(`${ticket.title} attempt ${String(ticket.number)}: judge its end`).judgeAttempt({
    context: phase.context,
    ticket,
    job,
    ...end,
  });
  if (judged.kind === 'completed') {
    board.decided(judged.sentence, ticket.of);
    return judged.seconds;
  }
  board.decided(judged.sentence, judged.step);
  // Another attempt, or a person who mends this one, would only train what has fallen.
  if (judged.kind === 'stopped' || collapse.hasFallen()) return null;
  if (judged.kind === 'fail') throw phaseFailed(context, judged.sentence);
  if (judged.kind === 'hold') await hold(judged.sentence);
  const { delaySeconds } = judged;
  if (delaySeconds > 0)
    await steering.stoppable(() => sleep(delaySeconds * 1000, { summary: summaryOf(judged.sentence) }));
  return null;
}

/** The last looks may come when the training is over: what has fallen is no candidate then either. */
async function afterTraining(phase: HeldPhase, beside: EvaluationsBeside, collapse: CollapseWatch): Promise<PhaseEnd> {
  await collapse.endsTraining();
  const because = collapse.keepsParent();
  const kept = because === null ? null : await keepParent(phase, `${because} ${nobodyCame}`);
  return kept ?? (await passGate(phase, beside, collapse));
}

/** Evaluations → verdict, until one decides. */
async function passGate(phase: HeldPhase, beside: EvaluationsBeside, collapse: CollapseWatch): Promise<PhaseEnd> {
  const releases: HeldComparison[] = [];
  for (;;) {
    if (phase.steering.holdAsked() !== null) await phase.pause();
    // All the training is done: a person may mend what is wrong with a checkpoint or the store, so that none of it is lost.
    const end = await phase.orHold(async () => {
      const scoresHeard = phase.board.scoresHeard();
      const answer = await activities('judge the candidates').judgeGate({
        context: phase.context,
        releases,
        ...collapse.goodOnly(),
      });
      phase.board.judged(answer);
      const done = await carryOut(phase, beside, { answer, scoresHeard });
      if (answer.kind === 'hold' && answer.heldAt && done !== 'score') releases.push(answer.heldAt);
      return done;
    });
    if (end !== null && end !== 'score') return end;
  }
}

interface JudgedGate {
  readonly answer: GateAnswer;
  /** Before it judged. */
  readonly scoresHeard: number;
}

/** The end of the phase; when the gate is to judge again null, or `score` because one came in. */
async function carryOut(
  phase: HeldPhase,
  beside: EvaluationsBeside,
  { answer, scoresHeard }: JudgedGate,
): Promise<PhaseEnd | 'score' | null> {
  const { onReject } = phase.context.phase;
  switch (answer.kind) {
    case 'promote':
      return await promote(phase, answer);
    case 'more-evaluations': {
      const failure = await beside.evaluateAll(answer.missing, answer.sentence);
      if (failure !== null) await phase.hold(failure);
      return null;
    }
    case 'hold':
      return await holdGate(phase, answer, scoresHeard);
    case 'reject':
      if (onReject === 'keep-parent' && phase.context.start) return await keepParent(phase, answer.sentence);
      if (onReject !== 'hold') throw phaseFailed(phase.context, answer.sentence);
      return await holdGate(phase, answer, scoresHeard);
  }
}

const nobodyCame = 'Nobody released it in time: its parent goes on.';

/** As `carryOut`. */
async function holdGate(
  phase: HeldPhase,
  { sentence, heldAt, hearsScores }: Extract<GateAnswer, { kind: 'hold' | 'reject' }>,
  scoresHeard: number,
): Promise<PhaseEnd | 'score' | null> {
  const heldFor = heldAt ? 'undecided' : 'gate';
  const over = await phase.hold(sentence, { heldFor, scoresHeard: hearsScores && scoresHeard });
  if (over === 'keep-parent') return await keepParent(phase, `${sentence} ${nobodyCame}`);
  return over === 'score' ? 'score' : null;
}

async function promote(
  { context, board }: HeldPhase,
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

async function keepParent({ context, board }: HeldPhase, because: string): Promise<PhaseEnd | null> {
  const { start } = context;
  if (start === null) return null;
  await activities('keep the parent').closePhase({ context, state: 'rejected', because, checkpoint: start });
  return board.endedWith(start, { state: 'rejected', because });
}
