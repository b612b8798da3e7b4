/**
 * What the Temporal server knows of the runs that own jobs: one list for all of them, and a second look at each that seems to be closed.
 *
 * The list may be a little old; the second look (run-state.ts) is not. Does not cover what follows (decisions/reap.ts).
 */
import type { Client } from '@temporalio/client';
import type { OwnerState } from '../decisions/reap.ts';
import { runState } from './run-state.ts';

/** Runs named in one query. */
const mostInAQuery = 100;

/** States by run id; a run that the server does not list is left out. Rejects when the server cannot be asked. */
export async function ownerStates(client: Client, runIds: readonly string[]): Promise<ReadonlyMap<string, OwnerState>> {
  const states = new Map<string, OwnerState>();
  for (let from = 0; from < runIds.length; from += mostInAQuery) {
    const named = runIds.slice(from, from + mostInAQuery).map((runId) => `'${runId.replaceAll("'", '')}'`);
    for await (const { workflowId, runId, closeTime } of client.workflow.list({
      query: `RunId IN (${named.join(', ')})`,
    })) {
      states.set(runId, closeTime === undefined ? { kind: 'open' } : await runState(client, { workflowId, runId }));
    }
  }
  return states;
}
