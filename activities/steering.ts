/**
 * What people ask of a running pipeline, in the ledger: what, who, when and why.
 *
 * Does not cover whether it may be done (decisions/steering.ts) or doing it (workflows/steering/).
 */
import { checkpointShortName } from '../decisions/checkpoint-id.ts';
import { TemperError } from '../decisions/errors.ts';
import type { SteeredBy, SteeringRequest } from '../decisions/steering-sentences.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { CheckpointRef, ResolvedPipeline } from '../workflows/contract.ts';
import { refOf } from './checkpoints-of-phase.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { mustNotBePruned, nothingLeftOf, prunedOfPhase } from './pruned-checkpoint.ts';
import { digestsOfData } from './pipelines.ts';
import { checkpointsOfWork } from './same-work.ts';
import { steeringKey } from './steering-key.ts';

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
  /** The checkpoint of a phase that a person names, by its id or its short name. Throws `not-found` with those that there are. */
  nameCheckpoint(input: {
    readonly runId: string;
    readonly phase: string;
    readonly profile: string;
    readonly checkpoint: string;
  }): Promise<CheckpointRef>;
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
        key: steeringKey({ runId, phase, id }),
        runId,
        phase,
        attempt: attempts.at(-1)?.number ?? null,
        question: 'steering',
        answer: request,
        evidence: by,
        at: dependencies.now().toISOString(),
      });
    },
    async nameCheckpoint({ runId, phase, profile, checkpoint: named }) {
      const { store } = dependencies.placeOf(profile);
      const found = await checkpointThatIsThere(ledger, { runId, phase, named });
      const level = (await store.inspect(found.path))?.level ?? 'torn';
      if (level === 'torn')
        throw new TemperError('not-found', `checkpoint ${found.id} does not lie whole on the store any more`);
      return refOf(found);
    },
    async changeRecipe({ resolved, set }) {
      const { value: recipe } = await dependencies.readRecipe(resolved.recipe, set);
      const { home } = dependencies.placeOf(resolved.profile.name);
      // What was read at the start stays what it was.
      return { recipe, dataDigests: { ...(await digestsOfData(recipe, home)), ...resolved.dataDigests } };
    },
  };
}

/** The newest of that name that was not pruned. Throws `not-found` with what became of it, or with those that there are. */
async function checkpointThatIsThere(
  ledger: Ledger,
  { named, ...of }: { readonly runId: string; readonly phase: string; readonly named: string },
): Promise<CheckpointRecord> {
  const known = await checkpointsOfWork(ledger, of);
  const isNamed = (one: CheckpointRecord) => one.id === named || checkpointShortName(one) === named;
  const there = known.filter(({ prunedAt }) => prunedAt === null);
  const found = there.findLast(isNamed);
  if (found !== undefined) return found;
  const gone = known.findLast(isNamed);
  if (gone !== undefined) await mustNotBePruned(ledger, gone);
  const pruned = await prunedOfPhase(ledger, { ...of, named });
  if (pruned !== null) throw nothingLeftOf(pruned);
  const names = [...new Set(there.map(checkpointShortName))].join(', ') || 'none';
  throw new TemperError('not-found', `phase "${of.phase}" has no checkpoint "${named}"; there are: ${names}`);
}
