/** What a Temper process says when it cannot go on, and the exit code a script sees (sysexits where one fits). */
import { TemperError, type ErrorCode } from '../decisions/errors.ts';

const exitCodes: Readonly<Record<ErrorCode, number>> = {
  'invalid-input': 2,
  'not-found': 2,
  'job-refused': 69,
  'backend-unavailable': 69,
  'store-unavailable': 69,
  'store-unusable': 73,
  'ledger-conflict': 70,
  'checkpoint-damaged': 65,
  'environment-unusable': 69,
};

/** One line a person can act on; a stack trace only for what nobody foresaw. */
export function explained(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (error instanceof TemperError) return { text: error.message, exitCode: exitCodes[error.code] };
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), exitCode: 70 };
}
