/**
 * The checkpoints that a sweep looks at, chosen once at its start: of pipelines that train now, of each pipeline the one promoted last,
 * and those that are named.
 *
 * Covers which of them can be evaluated here, on which benchmarks. Does not cover the order (decisions/sweep-due.ts).
 */
import { createHash } from 'node:crypto';
import type { Sweep } from '../configs/schema-schedule.ts';
import type { Benchmark } from '../configs/schema.ts';
import { canonicalJson } from '../decisions/identity.ts';
import type { Skipped, Subject, SweptCheckpoint } from '../decisions/sweep.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { CheckpointRef, PhaseContext, ResolvedPipeline } from '../workflows/contract.ts';
import { recordCheckpoint } from './checkpoints-of-phase.ts';
import type { ActivityDependencies, Place } from './dependencies.ts';
import { digestsOfData } from './pipelines.ts';

export interface Chosen {
  readonly checkpoints: readonly SweptCheckpoint[];
  readonly skipped: readonly Skipped[];
}

/** What the benchmarks of a sweep mean for one checkpoint, and the phase that made it. */
export interface BenchmarksOf extends Pick<
  PhaseContext,
  'phase' | 'model' | 'seed' | 'recipe' | 'dataDigests' | 'budgets'
> {
  /** Those that the recipe has. */
  readonly benchmarks: Readonly<Record<string, Benchmark>>;
}

/** Every outcome of each is read again and again. */
const mostCheckpoints = 100;

export async function chooseCheckpoints(dependencies: ActivityDependencies, sweep: Sweep): Promise<Chosen> {
  const place = dependencies.placeOf(sweep.profile);
  const wanted = await wantedBy(dependencies, sweep, place);
  const ids = [...new Set(wanted.map(({ id }) => id))];
  const checkpoints: SweptCheckpoint[] = [];
  const skipped: Skipped[] = ids
    .slice(mostCheckpoints)
    .map((what) => ({ what, because: { rule: 'too-many', most: mostCheckpoints } }));
  for (const id of ids.slice(0, mostCheckpoints)) {
    const subjects = wanted.filter((one) => one.id === id).map(({ subject }) => subject);
    const found = await sweptCheckpoint(dependencies, sweep, { id, subjects, place });
    if (found.checkpoint) checkpoints.push(found.checkpoint);
    skipped.push(...found.skipped);
  }
  return { checkpoints, skipped };
}

interface Wanted {
  readonly id: string;
  readonly subject: Subject;
}

async function wantedBy(
  dependencies: ActivityDependencies,
  { checkpoints: { running, champions, named } }: Sweep,
  place: Place,
): Promise<Wanted[]> {
  const wanted: Wanted[] = named.map((id) => ({ id, subject: { kind: 'named', checkpoint: id } }));
  if (champions) {
    for (const { workflowId: pipeline, promoted: id } of await dependencies.ledger.lastFinishedPhases(mostCheckpoints))
      wanted.push({ id, subject: { kind: 'champion', pipeline } });
  }
  if (!running) return wanted;
  const live = (await dependencies.ledger.liveAttempts()).filter(({ purpose }) => purpose === 'train');
  for (const attempt of new Map(live.map((one) => [one.workflowId, one])).values()) {
    const id = await newestOf(dependencies, place, attempt);
    if (id !== null) wanted.push({ id, subject: { kind: 'running', pipeline: attempt.workflowId } });
  }
  return wanted;
}

/** The newest complete checkpoint of a living attempt, in the ledger from now on; else the newest that the ledger has of its phase. */
async function newestOf(
  dependencies: ActivityDependencies,
  { store }: Place,
  attempt: AttemptRecord,
): Promise<string | null> {
  const { runId, phase, directory, number, workflowId: pipelineId } = attempt;
  if (directory === null || !store.holds(directory)) return null;
  const newest = (await store.checkpoints(directory)).findLast(({ level }) => level === 'complete');
  if (newest) {
    const { start } = attempt.request as { readonly start: CheckpointRef | null };
    const of = { pipelineId, runId, phase: { name: phase }, start };
    return (await recordCheckpoint(dependencies, of, { attempt: number, checkpoint: newest })).id;
  }
  return (await dependencies.ledger.checkpointsOf({ runId, phase })).at(-1)?.id ?? null;
}

async function sweptCheckpoint(
  dependencies: ActivityDependencies,
  sweep: Sweep,
  { id, subjects, place }: { readonly id: string; readonly subjects: readonly Subject[]; readonly place: Place },
): Promise<{ readonly checkpoint: SweptCheckpoint | null; readonly skipped: readonly Skipped[] }> {
  const record = await dependencies.ledger.checkpoint(id);
  const of = record && (await benchmarksOf(dependencies, sweep, record));
  if (!record || !of) return { checkpoint: null, skipped: [{ what: id, because: { rule: 'unknown' } }] };
  if (!place.store.holds(record.path)) {
    const profile = (await resolvedOf(dependencies, record))?.profile.name ?? '';
    return { checkpoint: null, skipped: [{ what: id, because: { rule: 'other-profile', profile } }] };
  }
  const lacking = sweep.benchmarks.filter((name) => of.benchmarks[name] === undefined);
  const skipped = lacking.map((benchmark): Skipped => ({
    what: id,
    because: { rule: 'no-benchmark', benchmark, recipe: of.recipe },
  }));
  const versions = Object.fromEntries(Object.entries(of.benchmarks).map(([name, { version }]) => [name, version]));
  if (Object.keys(versions).length === 0) return { checkpoint: null, skipped };
  const { phase, step, parent } = record;
  return { checkpoint: { id, phase, step, parent, subjects, versions, group: groupOf(of) }, skipped };
}

/** Null where nobody knows its pipeline any more. */
export async function benchmarksOf(
  dependencies: ActivityDependencies,
  sweep: Sweep,
  record: CheckpointRecord,
): Promise<BenchmarksOf | null> {
  const resolved = await resolvedOf(dependencies, record);
  const phase = resolved?.recipe.phases.find(({ name }) => name === record.phase);
  if (resolved === null || phase === undefined) return null;
  const { model, seed, budgets } = resolved.recipe;
  const named = sweep.recipe === undefined ? null : (await dependencies.readRecipe(sweep.recipe, {})).value;
  const recipe = named ?? resolved.recipe;
  const { home } = dependencies.placeOf(sweep.profile);
  const dataDigests = named === null ? resolved.dataDigests : await digestsOfData(named, home);
  const benchmarks = Object.fromEntries(
    Object.entries(recipe.benchmarks).filter(([name]) => sweep.benchmarks.includes(name)),
  );
  return { phase, model, seed, budgets, recipe: recipe.name, benchmarks, dataDigests };
}

/** One job evaluates those whose benchmarks and model are the same. */
function groupOf({ benchmarks, model, dataDigests }: BenchmarksOf): string {
  const files = Object.values(benchmarks).flatMap(({ data }) => ('jsonl' in data ? [dataDigests[data.jsonl]] : []));
  return createHash('sha256').update(canonicalJson({ benchmarks, model, files })).digest('hex').slice(0, 12);
}

async function resolvedOf(
  { ledger }: ActivityDependencies,
  { workflowId, runId }: Pick<CheckpointRecord, 'workflowId' | 'runId'>,
): Promise<ResolvedPipeline | null> {
  const run = (await ledger.pipelines({ workflowId, limit: 1000 })).find((one) => one.runId === runId);
  return (run?.resolved as ResolvedPipeline | undefined) ?? null;
}
