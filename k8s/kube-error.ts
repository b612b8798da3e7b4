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

/** Credentials are renewed, a conflict is over: what else is refused is refused again. */
function codeOf({ isPassing, status }: KubeError): ErrorCode {
  return isPassing || status === 401 || status === 409 ? 'backend-unavailable' : 'job-refused';
}

/** Which quota is used up, in the server's words; null where it refused for something else. It frees itself. */
function quotaIn({ status, message }: KubeError): string | null {
  return status === 403 ? (/exceeded quota.*/is.exec(message)?.[0] ?? null) : null;
}

/** In the words of the closed list; what was thrown on purpose stays as it is. `doing`: what was tried, such as "create job x". */
export function asTemperError(error: unknown, doing: string): unknown {
  if (!(error instanceof KubeError)) return error;
  const quota = quotaIn(error);
  if (quota !== null) return new TemperError('no-room', `cannot ${doing} now: ${quota}`, { cause: error });
  return new TemperError(codeOf(error), `cannot ${doing}: ${error.message}`, { cause: error });
}
