/**
 * Asks for a pipeline's phases as they are now, through Temporal alone: the `status` query, and the heartbeat of the job that runs.
 *
 * Does not cover how they are shown (status-text.ts, bars.ts).
 */
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { childIds, type JobHeartbeat, type PhaseReport, type PipelineStatus } from '../../workflows/contract.ts';
import type { PhaseView } from './phase-view.ts';

/** The phases of a pipeline now; none before its recipe is resolved. */
export async function readPhases(client: Client, pipelineId: string): Promise<PhaseView[]> {
  const { phases } = await client.workflow.getHandle(pipelineId).query<PipelineStatus>('status');
  return await Promise.all(
    phases.map(async (phase) => ({
      ...phase,
      job:
        phase.state === 'running' || phase.state === 'evaluating'
          ? await readHeartbeat(client, pipelineId, phase)
          : null,
    })),
  );
}

async function readHeartbeat(client: Client, pipelineId: string, phase: PhaseReport): Promise<JobHeartbeat | null> {
  const { raw } = await client.workflow.getHandle(childIds.phase(pipelineId, phase.phase)).describe();
  // Others that work say only that they do.
  for (const activity of raw.pendingActivities?.filter(({ activityType: type }) => type?.name === 'awaitJob') ?? []) {
    const [payload] = activity.heartbeatDetails?.payloads ?? [];
    if (payload) return defaultPayloadConverter.fromPayload<JobHeartbeat>(payload);
  }
  return null;
}
