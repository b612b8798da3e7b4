/**
 * What people ask of a running pipeline, in the ledger: what, who, when and why.
 *
 * Does not cover whether it may be done (decisions/steering.ts) or doing it (workflows/steering/).
 */
import type { SteeredBy, SteeringRequest } from '../decisions/steering-sentences.ts';
import type { ResolvedPipeline } from '../workflows/contract.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { digestsOfData } from './pipelines.ts';

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
  /** The recipe with these fields changed. Throws `invalid-input` or `not-found` with the field. */
  changeRecipe(input: {
    readonly resolved: ResolvedPipeline;
    readonly set: Readonly<Record<string, unknown>>;
  }): Promise<Pick<ResolvedPipeline, 'recipe' | 'dataDigests'>>;
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
    async changeRecipe({ resolved, set }) {
      const { value: recipe } = await dependencies.readRecipe(resolved.recipe, set);
      const { home } = dependencies.placeOf(resolved.profile.name);
      // What was read at the start stays what it was.
      return { recipe, dataDigests: { ...(await digestsOfData(recipe, home)), ...resolved.dataDigests } };
    },
  };
}
