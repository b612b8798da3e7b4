/**
 * Hears signals in the order in which they came, also those that came before anybody heard: handlers that are set one by one hear each its own
 * first. A run that was reset to its start is told all that it was ever told in that moment.
 */
import { setDefaultSignalHandler, setHandler, type SignalDefinition } from '@temporalio/workflow';

export interface Hearing {
  readonly name: string;
  readonly hear: (message: unknown) => void;
  /** Hears what comes from now on. */
  readonly begin: () => void;
}

export function hearing<Message>(signal: SignalDefinition<[Message]>, hear: (message?: Message) => void): Hearing {
  return {
    name: signal.name,
    hear(message) {
      hear(message as Message | undefined);
    },
    begin() {
      setHandler(signal, hear);
    },
  };
}

export function hearInOrder(hearings: readonly Hearing[]): void {
  setDefaultSignalHandler((name, message) => hearings.find((one) => one.name === name)?.hear(message));
  for (const { begin } of hearings) begin();
  setDefaultSignalHandler(undefined);
}
