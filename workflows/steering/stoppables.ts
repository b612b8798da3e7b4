/** What of a phase uses GPUs, and stops when a person holds the phase; or by itself, when nobody needs it any more. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { PhaseContext } from '../contract.ts';

/** In place of an answer: it was stopped. */
export const stopped = Symbol('stopped');

export interface Stoppables {
  /** The answer of `act`, which a hold cancels, and `stopIt`; `isStopped` tells it that from a cancellation of the run. */
  readonly stoppable: <T>(
    act: (isStopped: () => boolean, stopIt: () => void) => Promise<T>,
  ) => Promise<T | typeof stopped>;
  /** Stops all that run. */
  stop(): void;
  /** Resolves when what was stopped is over; null where nothing was. */
  stopping(): Promise<unknown> | null;
}

interface Stoppable {
  readonly scope: CancellationScope;
  stopped: boolean;
  over: Promise<unknown>;
}

/** `isAsked`: a hold waits already; what begins then is stopped at once. */
export function stoppablesOf({ steers }: PhaseContext, isAsked: () => boolean): Stoppables {
  // What runs beside an attempt is no part of it.
  const run = CancellationScope.current();
  const running = new Set<Stoppable>();

  function stop(one: Stoppable): void {
    one.stopped = true;
    one.scope.cancel();
  }

  return {
    async stoppable(act) {
      // Phases that began before there were holds are cancelled in the order of their histories.
      if (!steers) return await act(() => false, nothing);
      const one: Stoppable = {
        scope: new CancellationScope({ cancellable: true, parent: run }),
        stopped: false,
        over: Promise.resolve(),
      };
      running.add(one);
      if (isAsked()) stop(one);
      const isStopped = () => one.stopped && !run.consideredCancelled;
      const stopIt = () => {
        stop(one);
      };
      const done = one.scope.run(() => act(isStopped, stopIt));
      one.over = done;
      try {
        return await done;
      } catch (error) {
        if (isCancellation(error) && isStopped()) return stopped;
        throw error;
      } finally {
        running.delete(one);
      }
    },
    stop() {
      for (const one of running) stop(one);
    },
    stopping() {
      const over = [...running].filter((one) => one.stopped).map((one) => one.over);
      return over.length > 0 ? Promise.allSettled(over) : null;
    },
  };
}

const nothing = () => undefined;
