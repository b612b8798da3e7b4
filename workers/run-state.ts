/**
 * What the Temporal server says of a run, by its workflow id and the run id that the ledger has: whether it is open, or how it closed.
 *
 * A run goes on in another one after a reset, and in a new history; a later run of the same id is another one. Does not cover what follows
 * (decisions/run-state.ts, reap.ts).
 */
import {
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowExecutionStatusName,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { RunState } from '../decisions/run-state.ts';
import type { RunStateWord } from '../decisions/states.ts';

type HistoryWish = Parameters<Client['workflowService']['getWorkflowExecutionHistory']>[0];
/** HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT. */
const closeEventOnly: unknown = 2;

export interface RunOfId {
  readonly workflowId: string;
  readonly runId: string;
}

type StatusWord = Exclude<RunStateWord, 'rejected'>;

const words: Readonly<Record<WorkflowExecutionStatusName, StatusWord>> = {
  RUNNING: 'running',
  // Its jobs are at work: it only takes no step meanwhile.
  PAUSED: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed-out',
  CONTINUED_AS_NEW: 'continued-as-new',
  UNSPECIFIED: 'unknown',
  UNKNOWN: 'unknown',
};

/** The server's word for a run as Temper says it. */
export const wordOfStatus = (status: WorkflowExecutionStatusName): StatusWord => words[status];

/** `unknown` also for a run that the server has forgotten. Rejects when the server cannot be asked. */
export async function runState(client: Client, run: RunOfId): Promise<RunState> {
  const newest = await described(client, { workflowId: run.workflowId });
  // One that goes on in a new history keeps the id of its first run.
  if (newest?.raw.workflowExecutionInfo?.firstRunId === run.runId) return await stateOf(client, newest);
  const own = await described(client, run);
  if (own === null) return { kind: 'unknown' };
  const inItsPlace = own.raw.workflowExtendedInfo?.resetRunId;
  if (inItsPlace) return await runState(client, { ...run, runId: inItsPlace });
  return await stateOf(client, own);
}

/** Null where the server knows none. */
async function described(
  client: Client,
  { workflowId, runId }: { readonly workflowId: string; readonly runId?: string },
): Promise<WorkflowExecutionDescription | null> {
  try {
    return await client.workflow.getHandle(workflowId, runId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

async function stateOf(client: Client, run: WorkflowExecutionDescription): Promise<RunState> {
  const { status, closeTime } = run;
  const word = wordOfStatus(status.name);
  if (closeTime === undefined || word === 'running') return { kind: 'open' };
  if (word === 'unknown') return { kind: 'unknown' };
  const who = status.name === 'TERMINATED' ? await whoTerminated(client, run) : { by: null, reason: null };
  return { kind: 'closed', status: word, closedAt: closeTime.toISOString(), ...who };
}

async function whoTerminated(
  client: Client,
  { workflowId, runId }: RunOfId,
): Promise<{ readonly by: string | null; readonly reason: string | null }> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    historyEventFilterType: closeEventOnly as NonNullable<HistoryWish['historyEventFilterType']>,
  });
  const { identity, reason } = history?.events?.at(-1)?.workflowExecutionTerminatedEventAttributes ?? {};
  return { by: identity || null, reason: reason || null };
}
