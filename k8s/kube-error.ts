/** What went wrong between Temper and an API server: the server's own status, or that there was no answer. */
import { TemperError, type ErrorCode } from '../decisions/errors.ts';

/** An answer that is none: `status` is null where the server did not answer at all. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly status: number | null;
  /** The server's own word, such as `AlreadyExists`; null where it gave none. */
  readonly reason: string | null;
  readonly retryAfterSeconds: number | null;
  constructor(
    message: string,
    more: {
      readonly status?: number;
      readonly reason?: string | null;
      readonly retryAfterSeconds?: number | null;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.status = more.status ?? null;
    this.reason = more.reason ?? null;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
  }

  /** Whether the same request may be answered otherwise in a moment. */
  get isPassing(): boolean {
    return this.status === null || this.status === 429 || this.status >= 500;
  }
}

/** Quota frees itself, credentials are renewed, a conflict is over: what else is refused is refused again. */
function codeOf({ isPassing, status, message }: KubeError): ErrorCode {
  if (isPassing || status === 401 || status === 409) return 'backend-unavailable';
  return status === 403 && /exceeded quota/i.test(message) ? 'backend-unavailable' : 'job-refused';
}

/** In the words of the closed list; what was thrown on purpose stays as it is. `doing`: what was tried, such as "create job x". */
export function asTemperError(error: unknown, doing: string): unknown {
  if (!(error instanceof KubeError)) return error;
  return new TemperError(codeOf(error), `cannot ${doing}: ${error.message}`, { cause: error });
}
