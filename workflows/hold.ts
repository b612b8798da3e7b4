/**
 * Holds a phase for a person, its GPUs released: whatever ends it for good but for what no retry mends, unless the recipe says `fail`.
 *
 * Covers activities that fail for good. Does not cover when a decision or a gate asks for a person (phase.ts).
 */
import { ActivityFailure, ApplicationFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import { holdTime } from '../decisions/hold-time.ts';
import type { PhaseContext } from './contract.ts';
import { messageOf } from './explained.ts';
import { activities } from './jobs.ts';
import type { Notices } from './notices.ts';
import type { PhaseBoard } from './phase-board.ts';

/** A phase that can be held, with all that its story needs. */
export interface HeldPhase {
  readonly context: PhaseContext;
  readonly board: PhaseBoard;
  readonly notices: Notices;
  /** Resolves when a person released it. Throws when nobody did in time, or the recipe says `fail`. */
  readonly hold: (sentence: string) => Promise<void>;
  /** The answer of `act`; where an activity of it fails for good, a person is asked, and then it is done again. */
  readonly orHold: <T>(act: () => Promise<T>) => Promise<T>;
}

export function heldPhase(context: PhaseContext, board: PhaseBoard, notices: Notices): HeldPhase {
  async function hold(sentence: string): Promise<void> {
    if (context.onFailure === 'fail') throw phaseFailed(context, sentence);
    const released = board.held(sentence);
    // A cancellation rejects it while nobody waits for it yet.
    released.catch(() => undefined);
    if (notices.someone) await notices.tell('held', sentence);
    await activities('record that it is held').closePhase({ context, state: 'held', because: sentence });
    const release = await released;
    if (release === null) throw phaseFailed(context, `${sentence}; held for ${holdTime} and nobody released it`);
    await activities('go on after a release').recordRelease({ context, release });
  }
  return {
    context,
    board,
    notices,
    hold,
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

export function phaseFailed(context: PhaseContext, sentence: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`Phase ${context.phase.name} failed: ${sentence}`, 'PhaseFailed');
}
