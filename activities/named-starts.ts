/**
 * The finished checkpoints of other pipelines that phases of a recipe start from, by phase.
 *
 * Covers finding them, and refusing what cannot be started from with the field and the reason. Digests are those of the seals, which agree with
 * the files in names and sizes here; a trainer proves that it read just that. Does not cover phases that start from one another.
 */
import { rulesOfStartFormat } from '../configs/schema-command-rules.ts';
import type { Phase, Recipe } from '../configs/schema.ts';
import { startOfPhase } from '../configs/start-of-phase.ts';
import { TemperError } from '../decisions/errors.ts';
import { canonicalJson } from '../decisions/identity.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { CheckpointRef } from '../workflows/contract.ts';
import { refOf } from './checkpoints-of-phase.ts';
import { isWhole } from './finished-work.ts';
import { findCheckpoint, type NamedCheckpoint } from './named-checkpoint.ts';
import { mustNotBePruned } from './pruned-checkpoint.ts';
import type { LedgerAndStore } from './trusted-checkpoints.ts';

/** Throws `not-found`, `invalid-input` or `checkpoint-damaged`, with the field. */
export async function namedStarts(
  places: LedgerAndStore,
  recipe: Recipe,
): Promise<Readonly<Record<string, CheckpointRef>>> {
  const starts: Record<string, CheckpointRef> = {};
  for (const phase of recipe.phases) {
    const start = startOfPhase(phase, undefined);
    if (start?.kind !== 'checkpoint') continue;
    starts[phase.name] = await withField(phase, () => startNamed(places, { recipe, phase, named: start.named }));
  }
  return starts;
}

async function withField<Result>({ name }: Phase, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof TemperError)) throw error;
    throw new TemperError(error.code, `phases.${name}.from.checkpoint: ${error.message}`, { cause: error });
  }
}

interface Wanted {
  readonly recipe: Recipe;
  readonly phase: Phase;
  readonly named: string;
}

async function startNamed(places: LedgerAndStore, { recipe, phase, named }: Wanted): Promise<CheckpointRef> {
  const found = await findCheckpoint(places.ledger, named);
  const { checkpoint } = found;
  await mustNotBePruned(places.ledger, checkpoint);
  await mustBePromoted(places, found);
  await mustBeSealed(places, checkpoint);
  await mustFit(places, checkpoint, { recipe, phase });
  return refOf(checkpoint);
}

/** Pruning keeps what was promoted: a pipeline that waits for days finds it still. */
async function mustBePromoted({ ledger }: LedgerAndStore, { checkpoint: { id }, by }: NamedCheckpoint): Promise<void> {
  if (by?.state === 'rejected' || by?.state === 'skipped')
    throw refused(
      `${by.workflowId}/${by.phase} (run ${by.runId}) ${by.state === 'skipped' ? 'was skipped' : 'rejected all of its own checkpoints'} and kept what it started from: name ${id} itself if that is meant`,
    );
  const promoted = await ledger.phasesThatPromoted(id);
  if (promoted.some(({ state }) => state === 'completed' || state === 'reused')) return;
  throw refused(`${id} was not promoted, and only what a gate let through is started from`);
}

async function mustBeSealed({ store }: LedgerAndStore, checkpoint: CheckpointRecord): Promise<void> {
  const { id, path, digest } = checkpoint;
  if (digest === null) throw refused(`${id} was never sealed`);
  if (!store.holds(path)) throw refused(`${id} lies in another store than this profile’s (${path})`);
  if (await isWhole(store, checkpoint)) return;
  throw new TemperError(
    'checkpoint-damaged',
    `${id}, or the model below it, is not what was sealed any more (${path})`,
  );
}

async function mustFit(
  { ledger }: LedgerAndStore,
  { id, format, phase: from, runId, workflowId }: CheckpointRecord,
  { recipe, phase }: Omit<Wanted, 'named'>,
): Promise<void> {
  const runs = await ledger.pipelines({ workflowId, limit: 1000 });
  const { recipe: made } = (runs.find((run) => run.runId === runId)?.resolved ?? {}) as {
    recipe?: Pick<Recipe, 'model'>;
  };
  if (made !== undefined && canonicalJson(made.model) !== canonicalJson(recipe.model))
    throw refused(
      `${id} was made from the model ${canonicalJson(made.model)}, and this recipe’s is ${canonicalJson(recipe.model)}: say the same model`,
    );
  const [broken] = rulesOfStartFormat(phase, {
    name: from,
    kind: 'command',
    params: { checkpoints: { format } },
    gate: [],
  });
  if (broken !== undefined) throw refused(broken.message);
}

function refused(message: string): TemperError {
  return new TemperError('invalid-input', message);
}
