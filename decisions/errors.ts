/**
 * The closed list of error codes, and whether trying again can help. Everything that Temper throws on purpose is a `TemperError`.
 *
 * Covers what an error is. Does not cover its ApplicationFailure (activities/failures.ts) or its exit code (workers/).
 */

const codes = {
  /** A recipe, profile or message is not valid. */
  'invalid-input': { retryable: false },
  /** A recipe, profile, file or model that was named does not exist. */
  'not-found': { retryable: false },
  /** The backend refuses this job, and would refuse it again. */
  'job-refused': { retryable: false },
  /** The backend cannot be reached or is overloaded. */
  'backend-unavailable': { retryable: true },
  /** The backend has no room for this job now, and will have when others are over. */
  'no-room': { retryable: true },
  /** The store cannot be read or written now. */
  'store-unavailable': { retryable: true },
  /** The store is not writable by this user, or its disk is nearly full. */
  'store-unusable': { retryable: false },
  /** The ledger says something that must not be, such as a second attempt of one number. */
  'ledger-conflict': { retryable: false },
  /** Something that a checkpoint must have is missing or damaged. */
  'checkpoint-damaged': { retryable: false },
  /** A program or port that the process needs cannot be had. */
  'environment-unusable': { retryable: false },
} as const satisfies Record<string, { readonly retryable: boolean }>;

export type ErrorCode = keyof typeof codes;

export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(codes, text);
}

/** An error of the closed list. `message` is one line a person can act on. */
export class TemperError extends Error {
  override readonly name = 'TemperError';
  readonly code: ErrorCode;
  /** Facts for whoever shows it, such as the issues of an invalid recipe. */
  readonly details: unknown;
  constructor(code: ErrorCode, message: string, more: { readonly details?: unknown; readonly cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.code = code;
    this.details = more.details;
  }
  get retryable(): boolean {
    return codes[this.code].retryable;
  }
}
