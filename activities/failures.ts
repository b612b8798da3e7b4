/**
 * The one way an error of Temper becomes Temporal's: retry, or do not.
 *
 * Covers errors that leave an activity. Cancellation and worker shutdown pass through untouched.
 */
import { ApplicationFailure } from '@temporalio/common';
import { TemperError } from '../decisions/errors.ts';

/** A TemperError as ApplicationFailure; anything else as it is (Temporal retries it). */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof TemperError)) return error;
  return ApplicationFailure.create({
    message: error.message,
    type: error.code,
    nonRetryable: !error.retryable,
    details: error.details === undefined ? [] : [error.details],
    cause: error,
  });
}

type AnyActivity = (...input: never[]) => Promise<unknown>;

/** The same activities, whose TemperErrors leave as ApplicationFailures. */
export function withFailures<A extends { [K in keyof A]: AnyActivity }>(activities: A): A {
  const wrapped = Object.entries<AnyActivity>(activities).map(([name, run]) => {
    const named = async (...input: never[]): Promise<unknown> => {
      try {
        return await run(...input);
      } catch (error) {
        throw asFailure(error);
      }
    };
    return [name, named] as const;
  });
  return Object.fromEntries(wrapped) as A;
}
