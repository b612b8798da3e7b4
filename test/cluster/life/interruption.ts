/** A signal that asks us to stop: what is being built ends at once, what is being brought up at its next look. */
import { signalGroup } from '../../../scripts/setup/processes.mjs';
import type { BuildContext } from '../machine/kept-build.ts';

const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Why work was stopped; `exitCode` as a shell counts it. */
export class Interruption extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('stopped by a signal');
    this.name = 'Interruption';
    this.exitCode = exitCode;
  }
}

/** From now on signals no longer end this process: they abort what is returned, with an Interruption as the reason. */
export function stopOnSignals(context: BuildContext): AbortSignal {
  const stop = new AbortController();
  for (const [signal, exitCode] of Object.entries(exitCodes)) {
    process.on(signal, () => {
      stop.abort(new Interruption(exitCode));
      if (context.child !== undefined) signalGroup(context.child, 'SIGKILL');
    });
  }
  return stop.signal;
}
