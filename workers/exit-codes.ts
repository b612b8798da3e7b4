/** What a Temper process says when it cannot go on, and every exit code that a script sees (sysexits where one fits). */
import { TemperError, type ErrorCode } from '../decisions/errors.ts';

export const exitCodes = {
  done: 0,
  failed: 1,
  badInput: 2,
  damaged: 65,
  unavailable: 69,
  unexpected: 70,
  storeUnusable: 73,
  interrupted: 130,
} as const;

/** As the help tells them. */
export const exitCodeMeanings: readonly (readonly [number, string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.failed, 'the pipeline failed or was cancelled'],
  [exitCodes.badInput, 'bad input: an option, a recipe, a name that is not there'],
  [exitCodes.damaged, 'a checkpoint is damaged'],
  [exitCodes.unavailable, 'no server or no worker answers, or something that is needed is missing'],
  [exitCodes.unexpected, 'what nobody foresaw'],
  [exitCodes.storeUnusable, 'the store cannot be used'],
  [exitCodes.interrupted, 'stopped with Ctrl-C while following'],
];

const ofErrors: Readonly<Record<ErrorCode, number>> = {
  'invalid-input': exitCodes.badInput,
  'not-found': exitCodes.badInput,
  'job-refused': exitCodes.unavailable,
  'backend-unavailable': exitCodes.unavailable,
  'no-room': exitCodes.unavailable,
  'store-unavailable': exitCodes.unavailable,
  'store-unusable': exitCodes.storeUnusable,
  'ledger-conflict': exitCodes.unexpected,
  'checkpoint-damaged': exitCodes.damaged,
  'environment-unusable': exitCodes.unavailable,
};

/** One line a person can act on; a stack trace only for what nobody foresaw. */
export function explained(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (error instanceof TemperError) return { text: error.message, exitCode: ofErrors[error.code] };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text, exitCode: exitCodes.unexpected };
}
