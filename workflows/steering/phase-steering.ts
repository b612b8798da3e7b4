/**
 * What a person asks of a phase while it runs, told by its pipeline.
 *
 * Covers that a hold stops what uses GPUs, and is kept until the phase is held. Does not cover being held (hold.ts) or whether a message
 * may come (decisions/steering.ts): the pipeline has checked it.
 */
import { CancellationScope, isCancellation, setHandler } from '@temporalio/workflow';
import type { PhaseContext } from '../contract.ts';
import { type PhaseMessage, steerSignal } from './messages.ts';

/** In place of an answer: a hold has stopped it. */
export const stopped = Symbol('stopped by a hold');

export interface PhaseSteering {
  /** Who asked for a hold that has not come yet, and why; null where nobody did. */
  holdAsked(): string | null;
  /** The phase is held now, whatever for. Resolves when all that a hold has stopped is over. */
  isHeld(): Promise<void>;
  /** The answer of `act`, which a hold cancels; `isStopped` tells it that from a cancellation of the run. */
  stoppable<T>(act: (isStopped: () => boolean) => Promise<T>): Promise<T | typeof stopped>;
}

interface Stoppable {
  readonly scope: CancellationScope;
  stopped: boolean;
  over: Promise<unknown>;
}

export function phaseSteering(context: PhaseContext): PhaseSteering {
  // What runs beside an attempt is no part of it.
  const run = CancellationScope.current();
  let asked = context.holdAsked ?? null;
  const running = new Set<Stoppable>();

  function stop(one: Stoppable): void {
    one.stopped = true;
    one.scope.cancel();
  }

  setHandler(steerSignal, (message?: PhaseMessage) => {
    if (message === undefined) return; // sent by hand, with nothing to say
    asked = message.sentence;
    for (const one of running) stop(one);
  });

  return {
    holdAsked: () => asked,
    async isHeld() {
      asked = null;
      const stopping = [...running].filter((one) => one.stopped).map(({ over }) => over);
      if (stopping.length > 0) await Promise.allSettled(stopping);
    },
    async stoppable(act) {
      // Phases that began before there were holds are cancelled in the order of their histories.
      if (!context.steers) return await act(() => false);
      const one: Stoppable = {
        scope: new CancellationScope({ cancellable: true, parent: run }),
        stopped: false,
        over: Promise.resolve(),
      };
      running.add(one);
      if (asked !== null) stop(one);
      const done = one.scope.run(() => act(() => one.stopped && !run.consideredCancelled));
      one.over = done;
      try {
        return await done;
      } catch (error) {
        if (isCancellation(error) && one.stopped && !run.consideredCancelled) return stopped;
        throw error;
      } finally {
        running.delete(one);
      }
    },
  };
}
