/** Whether a call to Temporal failed because the server, or the worker that answers, is away: worth another try. */
import { isGrpcServiceError } from '@temporalio/client';

/** Numbers of gRPC codes: CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, INTERNAL, UNAVAILABLE. */
const outages = [1, 2, 4, 8, 9, 10, 13, 14];

export function isOutage(error: unknown): boolean {
  if (isGrpcServiceError(error)) return outages.includes(error.code);
  if (!(error instanceof Error)) return false;
  return error.name === 'WorkflowUpdateRPCTimeoutOrCancelledError' || isOutage(error.cause);
}
