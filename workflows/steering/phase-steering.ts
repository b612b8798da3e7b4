/**
 * What a person asks of a phase while it runs, told by its pipeline.
 *
 * Covers that a hold stops what uses GPUs, and is kept until the phase is held. Does not cover being held (hold.ts) or whether a message
 * may come (decisions/steering.ts): the pipeline has checked it.
 */
import { condition, patched } from '@temporalio/workflow';
import type { PhaseContext } from '../contract.ts';
import { type Hearing, hearing } from '../hear-in-order.ts';
import { type HoldEnding, type PhaseMessage, steerSignal } from './messages.ts';
import { type Stoppables, stoppablesOf } from './stoppables.ts';

/** A person has ended a held phase, instead of letting it go on. */
export class EndedByPerson extends Error {
  readonly ending: HoldEnding;

  constructor(ending: HoldEnding) {
    super(ending.sentence);
    this.ending = ending;
  }
}

export interface PhaseSteering {
  readonly hears: readonly Hearing[];
  /** A hold ended, and none is now: the run was reset to before both. One that was asked before that is not to come again. */
  readonly forgetHold: () => void;
  /** With the budgets as people have extended them. */
  context(): PhaseContext;
  /** Who asked for a hold that has not come yet, and why; null where nobody did. */
  holdAsked(): string | null;
  /** The phase is held now, whatever for. Resolves when all that a hold has stopped is over; null where it stopped nothing. */
  isHeld(): Promise<unknown> | null;
  /** Throws `EndedByPerson` when a person ends the hold so; else it goes on waiting. */
  endedByPerson(): Promise<never>;
  /** The phase is held no more. */
  goesOn(): void;
  /** Stops whatever runs, as a hold does. */
  stopAll(): Promise<void>;
  readonly stoppable: Stoppables['stoppable'];
}

/** `note` shows what a person did on the phase's page. */
export function phaseSteering(begunWith: PhaseContext, note: (sentence: string) => void): PhaseSteering {
  let context = begunWith;
  let asked = context.holdAsked ?? null;
  let held = false;
  let ending: HoldEnding | null = null;
  const stoppables = stoppablesOf(begunWith, () => asked !== null);

  function forgetHold(): void {
    if (asked === null || !patched('a-hold-that-is-over-is-not-heard-again')) return;
    asked = null;
  }

  async function stopUnlessForgotten(): Promise<void> {
    await Promise.resolve(); // what ended it is heard in the same moment
    if (asked !== null) stoppables.stop();
  }

  function hear(message?: PhaseMessage): void {
    if (message === undefined) return; // sent by hand, with nothing to say
    switch (message.kind) {
      case 'hold':
        asked = message.sentence;
        void stopUnlessForgotten();
        break;
      case 'budgets':
        context = { ...context, budgets: message.budgets };
        note(message.sentence);
        break;
      case 'skip':
      case 'again':
      case 'promote':
        // One that comes while nothing is held ends nothing, now or later.
        if (held) ending = message;
        else forgetHold();
        break;
    }
  }

  return {
    hears: [hearing(steerSignal, hear)],
    forgetHold,
    context: () => context,
    holdAsked: () => asked,
    isHeld() {
      [asked, held, ending] = [null, true, null];
      return stoppables.stopping();
    },
    async endedByPerson() {
      await condition(() => ending !== null);
      throw new EndedByPerson(ending ?? { kind: 'again', sentence: '' });
    },
    goesOn() {
      held = false;
    },
    async stopAll() {
      stoppables.stop();
      await stoppables.stopping();
    },
    stoppable: stoppables.stoppable,
  };
}
