/**
 * What people ask of a running pipeline, in the ledger: what, who, when and why.
 *
 * Does not cover whether it may be done (decisions/steering.ts) or doing it (workflows/steering/).
 */
import type { SteeredBy, SteeringRequest } from '../decisions/steering-sentences.ts';
import type { ActivityDependencies } from './dependencies.ts';

export interface SteeringActivities {
  /** `id` names the message: told again, it is one record. */
  recordSteering(input: {
    readonly pipelineId: string;
    readonly runId: string;
    readonly phase: string;
    readonly id: string;
    readonly request: SteeringRequest;
    readonly by: SteeredBy;
  }): Promise<void>;
}

export function steeringActivities(dependencies: ActivityDependencies): SteeringActivities {
  const { ledger } = dependencies;
  return {
    async recordSteering({ pipelineId: workflowId, runId, phase, id, request, by }) {
      const attempts = await ledger.attemptsOf({ workflowId, runId, phase, purpose: 'train' });
      await ledger.recordDecision<SteeringRequest>({
        key: `${runId}/${phase}/steering/${id}`,
        runId,
        phase,
        attempt: attempts.at(-1)?.number ?? null,
        question: 'steering',
        answer: request,
        evidence: by,
        at: dependencies.now().toISOString(),
      });
    },
  };
}
