/**
 * What a recipe would do now: per phase reuse or run, and why; nothing is started.
 *
 * Covers looking into the ledger and at the seals. Does not cover the choice of what to compare with (decisions/plan.ts).
 */
import { jobShapeOf } from '../configs/job-needs.ts';
import { originsOf } from '../configs/origins.ts';
import { recipeWarnings } from '../configs/recipe-warnings.ts';
import { startOfPhase } from '../configs/start-of-phase.ts';
import type { Phase, Profile, Recipe } from '../configs/schema.ts';
import { TemperError } from '../decisions/errors.ts';
import type { HoldRule } from '../decisions/hold.ts';
import { nearestFinished, sentenceOfPlan, type FinishedBefore, type PhasePlan } from '../decisions/plan.ts';
import type { FinishedPhase } from '../store/ledger/phases.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Plan } from '../workflows/contract-questions.ts';
import type { CheckpointRef, PipelineInput } from '../workflows/contract.ts';
import { refuseChangedBenchmarks } from './benchmark-definitions.ts';
import type { ReadingDependencies } from './dependencies.ts';
import { namedStarts } from './named-starts.ts';
import { type FinishedCheckpoint, findFinishedWork } from './finished-work.ts';
import { identityOfPhase } from './phase-record.ts';
import { digestsOfData } from './pipelines.ts';

/** Finished phases of a kind that are compared, the newest. */
const compared = 50;

/** Throws `invalid-input`, `not-found`, `checkpoint-damaged`. */
export async function planOf(dependencies: ReadingDependencies, input: PipelineInput): Promise<Plan> {
  const named = input.recipe ?? dependencies.defaultRecipe;
  if (named === null)
    throw new TemperError('invalid-input', 'recipe: is missing; this worker has no default recipe: name one');
  const { profile, store, home } = dependencies.placeOf(input.profile);
  const set = input.set ?? {};
  const { value: recipe, source, document } = await dependencies.readRecipe(named, set);
  const dataDigests = await digestsOfData(recipe, home);
  await refuseChangedBenchmarks(dependencies.ledger, recipe, dataDigests);
  const starts = await namedStarts({ ledger: dependencies.ledger, store }, recipe);
  return {
    answer: 'plan',
    recipe: recipe.name,
    source,
    profile: profile.name,
    phases: await plansOf({ ...dependencies, store, profile, starts }, recipe, dataDigests),
    warnings: recipeWarnings(recipe, profile),
    values: originsOf(recipe, document, set),
  };
}

type Looking = Pick<ReadingDependencies, 'ledger'> & {
  readonly store: RunStore;
  readonly profile: Profile;
  /** Finished checkpoints of other pipelines, by the phase that starts from them. */
  readonly starts: Readonly<Record<string, CheckpointRef>>;
};

/** A start that is known by its digest, one that a phase before would make, or none. */
type Start = { readonly digest: string | null } | 'runs' | null;

async function plansOf(
  looking: Looking,
  recipe: Recipe,
  dataDigests: Readonly<Record<string, string>>,
): Promise<Plan['phases']> {
  const ends = new Map<string, Start>();
  const plans: Plan['phases'][number][] = [];
  for (const [position, phase] of recipe.phases.entries()) {
    const from = startOfPhase(phase, recipe.phases[position - 1]);
    const named = looking.starts[phase.name];
    const start = from?.kind === 'phase' ? (ends.get(from.phase) ?? 'runs') : (named ?? null);
    const known = start === 'runs' ? null : start;
    const identity = identityOfPhase({ ...recipe, phase, dataDigests, start: known });
    const answer =
      start === 'runs'
        ? {
            plan: await planAfter(looking, phase, {
              identity: identity.text,
              start: from?.kind === 'phase' ? from.phase : '',
            }),
            end: 'runs' as const,
          }
        : await planFrom(looking, phase, { ...identity, hold: recipe.hold });
    ends.set(phase.name, answer.end);
    plans.push({
      phase: phase.name,
      kind: phase.kind,
      plan: answer.plan,
      asks: looking.profile.backend === 'kubernetes' ? jobShapeOf(looking.profile, phase) : null,
      ...(named === undefined ? {} : { startsFrom: named.id }),
      sentence: sentenceOfPlan(phase.name, answer.plan, named?.id),
    });
  }
  return plans;
}

async function planFrom(
  looking: Looking,
  phase: Phase,
  { hold, ...identity }: { readonly text: string; readonly digest: string; readonly hold: HoldRule },
): Promise<{ plan: PhasePlan; end: Start }> {
  const { sealed, notSealed, elsewhere, undecided } = await findFinishedWork(looking, {
    identity: identity.digest,
    hold,
  });
  if (sealed) {
    const { finished, checkpoint } = sealed;
    const plan: PhasePlan = { would: 'reuse', from: before(finished), checkpoint: checkpoint.id };
    return { plan, end: { digest: checkpoint.digest } };
  }
  if (notSealed) return { plan: runsAlthough('not-sealed', notSealed), end: 'runs' };
  if (elsewhere) return { plan: runsAlthough('elsewhere', elsewhere), end: 'runs' };
  if (undecided) return { plan: runsAlthough('undecided', undecided), end: 'runs' };
  const nearest = nearestFinished(identity.text, await looking.ledger.findPhasesLike(phase.kind, compared));
  if (nearest === null) return { plan: { would: 'run', because: { rule: 'nothing-finished' } }, end: 'runs' };
  const { finished, differences } = nearest;
  return { plan: { would: 'run', because: { rule: 'differs', from: before(finished), differences } }, end: 'runs' };
}

function runsAlthough(
  rule: 'not-sealed' | 'elsewhere' | 'undecided',
  { finished, checkpoint }: FinishedCheckpoint,
): PhasePlan {
  return { would: 'run', because: { rule, from: before(finished), path: checkpoint.path } };
}

/** After a phase that runs: its checkpoint is not known, and what else differs is. */
async function planAfter(
  { ledger }: Looking,
  phase: Phase,
  after: { readonly identity: string; readonly start: string },
): Promise<PhasePlan> {
  const nearest = nearestFinished(after.identity, await ledger.findPhasesLike(phase.kind, compared));
  const differences = nearest?.differences.filter(({ path }) => path !== 'start') ?? [];
  return { would: 'run', because: { rule: 'start-runs', start: after.start, differences } };
}

function before({ workflowId, phase, updatedAt }: FinishedPhase): FinishedBefore {
  return { pipeline: workflowId, phase, at: updatedAt };
}
