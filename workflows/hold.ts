/**
 * Holds a phase for a person, its GPUs released: whatever ends it for good but for what no retry mends, unless the recipe says `fail`;
 * and a phase whose scores fell, where the recipe says that a person is asked.
 *
 * Covers activities that fail for good. Does not cover when a decision or a gate asks for a person (phase.ts).
 */
import { ActivityFailure, ApplicationFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import {
  type EndOfHold,
  endOfHold,
  type HeldFor,
  type HoldRule,
  holdRuleOfOlderRuns,
  holdTime,
  whatThen,
} from '../decisions/hold.ts';
import type { PhaseContext } from './contract.ts';
import { messageOf } from './explained.ts';
import { activities } from './jobs.ts';
import type { Notices } from './notices.ts';
import type { PhaseBoard } from './phase-board.ts';
import type { PhaseSteering } from './steering/phase-steering.ts';

/** A phase that can be held, with all that its story needs. */
export interface HeldPhase {
  readonly context: PhaseContext;
  readonly board: PhaseBoard;
  readonly notices: Notices;
  readonly steering: PhaseSteering;
  /**
   * Resolves when a person released it, when a score from outside came in that its gate waits for, or when nobody did in time and something
   * other than a failure follows. Throws else, or where `onFailure` says `fail`; a fall of scores is no failure.
   */
  readonly hold: (sentence: string, why?: WhyHeld) => Promise<HoldOver>;
  /** A safe point: the phase is held here where a person asked for it, whatever the recipe says of failures. */
  readonly pause: () => Promise<void>;
  /** The answer of `act`; where an activity of it fails for good, a person is asked, and then it is done again. */
  readonly orHold: <T>(act: () => Promise<T>) => Promise<T>;
}

export interface WhyHeld {
  readonly heldFor: HeldFor;
  /** How many scores from outside its gate had heard of when it judged: one more, and it judges again. Left out: it waits for none. */
  readonly scoresHeard?: number | undefined;
}

export type HoldOver = 'released' | 'score' | Exclude<EndOfHold, 'fail'>;

export function heldPhase(
  context: PhaseContext,
  board: PhaseBoard,
  { notices, steering }: Pick<HeldPhase, 'notices' | 'steering'>,
): HeldPhase {
  const rule = context.hold ?? holdRuleOfOlderRuns;
  let holds = 0;

  async function hold(sentence: string, why: WhyHeld = { heldFor: 'failure' }): Promise<HoldOver> {
    if (why.scoresHeard !== undefined && why.scoresHeard !== board.scoresHeard()) return 'score';
    if (context.onFailure === 'fail' && why.heldFor !== 'collapse') throw phaseFailed(context, sentence);
    return await waitForPerson(sentence, why);
  }

  async function waitForPerson(sentence: string, { heldFor, scoresHeard }: WhyHeld): Promise<HoldOver> {
    const stopping = steering.isHeld();
    if (stopping !== null) await stopping;
    holds += 1;
    const then = endOfHold(rule, { heldFor, hasParent: context.start !== null });
    const until = new Date(Date.now() + rule.hours * 3_600_000).toISOString();
    const released = board.held(sentence, { hours: rule.hours, until, then, scoresHeard });
    // A cancellation rejects it while nobody waits for it yet.
    released.catch(() => undefined);
    if (notices.someone) await notices.tell('held', sentence, `${holdTime(rule)}, then ${whatThen[then]}`);
    await activities('record that it is held').closePhase({ context, state: 'held', because: sentence, until, then });
    const ended = steering.endedByPerson();
    ended.catch(() => undefined);
    const release = await Promise.race([released, ended]);
    steering.goesOn();
    if (release === 'score') return await goOnWithScore(context);
    if (release === null && then === 'fail') throw phaseFailed(context, `${sentence}; ${nobodyCame(rule)}`);
    await activities('go on after a release').recordRelease({
      context,
      release: release ?? { by: 'the recipe', reason: `${nobodyCame(rule)}, so that ${whatThen[then]} (hold.then)` },
      ...{ heldFor, hold: holds, ...(release === null && { nobodyCame: then }) },
    });
    return release !== null || then === 'fail' ? 'released' : then;
  }
  return {
    get context() {
      return steering.context();
    },
    board,
    notices,
    steering,
    hold,
    async pause() {
      for (let asked = steering.holdAsked(); asked !== null; asked = steering.holdAsked())
        await waitForPerson(asked, { heldFor: 'failure' });
    },
    async orHold(act) {
      for (;;) {
        try {
          return await act();
        } catch (error) {
          const isCancelled = isCancellation(error) || CancellationScope.current().consideredCancelled;
          if (isCancelled || !(error instanceof ActivityFailure)) throw error;
          await hold(messageOf(error));
        }
      }
    },
  };
}

const nobodyCame = (rule: HoldRule): string => `held for ${holdTime(rule)} and nobody released it`;

async function goOnWithScore(context: PhaseContext): Promise<'score'> {
  await activities('go on, scores from outside changed').goOn({
    context,
    because: 'What is known from outside has changed',
  });
  return 'score';
}

export function phaseFailed(context: PhaseContext, sentence: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`Phase ${context.phase.name} failed: ${sentence}`, 'PhaseFailed');
}
