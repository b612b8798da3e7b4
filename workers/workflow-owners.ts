/**
 * What the Temporal server knows of the runs that own jobs: one list for all of them, and a second look at each that seems to be closed.
 *
 * The list may be a little old; the second look is not. A run that was reset is closed, and its job goes on for the run in its place: that
 * one is looked at. Does not cover what follows (decisions/reap.ts).
 */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { OwnerState } from '../decisions/reap.ts';

/** Runs named in one query. */
const mostInAQuery = 100;

/** States by run id; a run that the server does not list is left out. Rejects when the server cannot be asked. */
export async function ownerStates(client: Client, runIds: readonly string[]): Promise<ReadonlyMap<string, OwnerState>> {
  const states = new Map<string, OwnerState>();
  for (let from = 0; from < runIds.length; from += mostInAQuery) {
    const named = runIds.slice(from, from + mostInAQuery).map((runId) => `'${runId.replaceAll("'", '')}'`);
    for await (const { workflowId, runId, status } of client.workflow.list({
      query: `RunId IN (${named.join(', ')})`,
    })) {
      states.set(runId, status.name === 'RUNNING' ? { kind: 'open' } : await confirmed(client, workflowId, runId));
    }
  }
  return states;
}

async function confirmed(client: Client, workflowId: string, runId: string): Promise<OwnerState> {
  try {
    const { status, closeTime, raw } = await client.workflow.getHandle(workflowId, runId).describe();
    if (status.name === 'RUNNING') return { kind: 'open' };
    const inItsPlace = raw.workflowExtendedInfo?.resetRunId;
    if (inItsPlace) return await confirmed(client, workflowId, inItsPlace);
    return closeTime === undefined ? { kind: 'unknown' } : { kind: 'closed', closedAt: closeTime.toISOString() };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'unknown' };
    throw error;
  }
}
