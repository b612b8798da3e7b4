/**
 * A pipeline's phases as they are now, through Temporal alone: the `status` query, and the heartbeat of the job that runs.
 */
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { childIds, type JobHeartbeat, type PhaseReport, type PipelineStatus } from '../../workflows/contract.ts';

/** A phase as it is now. */
export interface PhaseView extends PhaseReport {
  /** Null when no job of the phase is watched now. */
  readonly job: JobHeartbeat | null;
}

/** What its job does, or where it stands before and after: `training`, or `queued`, `starting`, `stopping`; empty without one. */
export function doingOf({ job }: PhaseView): string {
  if (job === null) return '';
  return job.state === 'running' ? job.doing : job.state;
}

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
  for (const activity of raw.pendingActivities ?? []) {
    const [payload] = activity.heartbeatDetails?.payloads ?? [];
    if (payload) return defaultPayloadConverter.fromPayload<JobHeartbeat>(payload);
  }
  return null;
}
