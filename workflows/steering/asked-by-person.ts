/** What every message of a person has: it is refused in words, or kept in the ledger with who, when and why. */
import { currentUpdateInfo, workflowInfo } from '@temporalio/workflow';
import { nearestName } from '../../configs/nearest-name.ts';
import type { Steer } from '../../decisions/steering.ts';
import type { SteeredBy, SteeringRequest } from '../../decisions/steering-sentences.ts';
import { activities } from '../jobs.ts';
import { refusal } from '../refusal.ts';

/** Throws what a person sees in the form. */
export function mayDo<Found>(steer: Steer<Found>): Found {
  if (steer.kind === 'may') return steer;
  if (steer.kind === 'refused') throw refusal({ type: 'NotNow', message: steer.why });
  const { named, names } = steer;
  const near = nearestName(named, names);
  const meant = near === null ? ';' : `; did you mean "${near}"?`;
  throw refusal({ type: 'NotFound', message: `there is no phase "${named}"${meant} phases: ${names.join(', ')}` });
}

/** Of the update that is being worked on: told again, it is one record. Answers with its id. */
export async function recordSteering(
  { runId, phase }: { readonly runId: string; readonly phase: string },
  request: SteeringRequest,
  { by, reason }: SteeredBy,
): Promise<string> {
  const { workflowId: pipelineId } = workflowInfo();
  const id = currentUpdateInfo()?.id ?? '';
  await activities(`${phase}: record who asked for ${request.message}`).recordSteering({
    ...{ pipelineId, runId, phase, id, request },
    by: { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) },
  });
  return id;
}
