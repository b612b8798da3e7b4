/**
 * The checkpoints that a sweep looks at, chosen once at its start: of pipelines that train now, of each pipeline the one promoted last,
 * and those that are named.
 *
 * Covers which of them can be evaluated here, on which benchmarks. Does not cover the order (decisions/sweep-due.ts).
 */
import { createHash } from 'node:crypto';
import type { Sweep } from '../configs/schema-schedule.ts';
import { canonicalJson } from '../decisions/identity.ts';
import { evaluatedOf } from '../decisions/outside-benchmark.ts';
import { count } from '../decisions/stage-sentences.ts';
import type { Skipped, Subject, SweptCheckpoint } from '../decisions/sweep.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { CheckpointRecord } from '../store/ledger/checkpoints.ts';
import type { CheckpointRef, PhaseContext, ResolvedPipeline } from '../workflows/contract.ts';
import { recordCheckpoint } from './checkpoints-of-phase.ts';
import type { ActivityDependencies, Place } from './dependencies.ts';
import { digestsOfData } from './pipelines.ts';
import { checkpointsOfWork } from './same-work.ts';
import type { SweepPlan, SweptBenchmarks } from './sweep-state.ts';

export type Chosen = Pick<SweepPlan, 'checkpoints' | 'groups' | 'skipped'>;

/** The phase that made a checkpoint, as its pipeline has it. */
export type PhaseOf = Pick<PhaseContext, 'phase' | 'model' | 'seed' | 'budgets'>;

/** Every outcome of each is read again and again. */
const mostCheckpoints = 100;
/** Whose champions are counted. */
const mostPipelines = 10_000;

export async function chooseCheckpoints(dependencies: ActivityDependencies, sweep: Sweep): Promise<Chosen> {
  const place = dependencies.placeOf(sweep.profile);
  const wanted = await wantedBy(dependencies, sweep, place);
  const named = await namedBenchmarks(dependencies, sweep, place);
  const ids = [...new Set(wanted.map(({ id }) => id))];
  const checkpoints: SweptCheckpoint[] = [];
  const groups: Record<string, SweptBenchmarks> = {};
  const more = ids.length - mostCheckpoints;
  const skipped: Skipped[] =
    more > 0
      ? [{ what: `${count(more, 'checkpoint')} more`, because: { rule: 'too-many', most: mostCheckpoints } }]
      : [];
  for (const id of ids.slice(0, mostCheckpoints)) {
    const subjects = wanted.filter((one) => one.id === id).map(({ subject }) => subject);
    const found = await sweptCheckpoint(dependencies, sweep, { id, subjects, place, named });
    if (found.checkpoint) {
      checkpoints.push(found.checkpoint);
      groups[found.checkpoint.group] ??= found.benchmarks;
    }
    skipped.push(...found.skipped);
  }
  return { checkpoints, groups, skipped };
}

/** Those of the recipe that the sweep names, read once; null where each checkpoint's own is meant. */
async function namedBenchmarks(
  dependencies: ActivityDependencies,
  sweep: Sweep,
  { home }: Place,
): Promise<SweptBenchmarks | null> {
  if (sweep.recipe === undefined) return null;
  const { value: recipe } = await dependencies.readRecipe(sweep.recipe, {});
  return benchmarksIn(sweep, recipe, await digestsOfData(recipe, home));
}

function benchmarksIn(
  sweep: Sweep,
  recipe: ResolvedPipeline['recipe'],
  dataDigests: SweptBenchmarks['dataDigests'],
): SweptBenchmarks {
  const benchmarks = Object.entries(evaluatedOf(recipe.benchmarks)).filter(([name]) => sweep.benchmarks.includes(name));
  return { recipe: recipe.name, benchmarks: Object.fromEntries(benchmarks), dataDigests };
}

interface Wanted {
  readonly id: string;
  readonly subject: Subject;
}

/** What is named comes first, then what trains: many that have ended must not take their places. */
async function wantedBy(
  dependencies: ActivityDependencies,
  { checkpoints: { running, champions, named } }: Sweep,
  place: Place,
): Promise<Wanted[]> {
  const wanted: Wanted[] = named.map((id) => ({ id, subject: { kind: 'named', checkpoint: id } }));
  const live = running ? (await dependencies.ledger.liveAttempts()).filter(({ purpose }) => purpose === 'train') : [];
  for (const attempt of new Map(live.map((one) => [one.workflowId, one])).values()) {
    const id = await newestOf(dependencies, place, attempt);
    if (id !== null) wanted.push({ id, subject: { kind: 'running', pipeline: attempt.workflowId } });
  }
  if (!champions) return wanted;
  for (const { workflowId: pipeline, promoted: id } of await dependencies.ledger.lastFinishedPhases(mostPipelines))
    wanted.push({ id, subject: { kind: 'champion', pipeline } });
  return wanted;
}

/** The newest complete checkpoint of a living attempt, in the ledger from now on; else the newest that the ledger has of its phase, since it last began anew. */
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
  return (await checkpointsOfWork(dependencies.ledger, { runId, phase })).at(-1)?.id ?? null;
}

interface Looked {
  readonly id: string;
  readonly subjects: readonly Subject[];
  readonly place: Place;
  readonly named: SweptBenchmarks | null;
}

type Swept =
  | { readonly checkpoint: SweptCheckpoint; readonly benchmarks: SweptBenchmarks; readonly skipped: readonly Skipped[] }
  | { readonly checkpoint: null; readonly skipped: readonly Skipped[] };

async function sweptCheckpoint(
  dependencies: ActivityDependencies,
  sweep: Sweep,
  { id, subjects, place, named }: Looked,
): Promise<Swept> {
  const record = await dependencies.ledger.checkpoint(id);
  const resolved = record && (await resolvedOf(dependencies, record));
  const of = record && phaseIn(resolved, record);
  if (!record || !resolved || !of) return { checkpoint: null, skipped: [{ what: id, because: { rule: 'unknown' } }] };
  if (!place.store.holds(record.path)) {
    const because = { rule: 'other-profile', profile: resolved.profile.name } as const;
    return { checkpoint: null, skipped: [{ what: id, because }] };
  }
  const own = named ?? benchmarksIn(sweep, resolved.recipe, resolved.dataDigests);
  const lacking = sweep.benchmarks.filter((name) => own.benchmarks[name] === undefined);
  const skipped = lacking.map((benchmark): Skipped => ({
    what: id,
    because: { rule: 'no-benchmark', benchmark, recipe: own.recipe },
  }));
  const versions = Object.fromEntries(Object.entries(own.benchmarks).map(([name, { version }]) => [name, version]));
  if (Object.keys(versions).length === 0) return { checkpoint: null, skipped };
  const { phase, step, parent } = record;
  const group = groupOf(own, of);
  return { checkpoint: { id, phase, step, parent, subjects, versions, group }, benchmarks: own, skipped };
}

/** Null where nobody knows its pipeline any more. */
export async function phaseOf(dependencies: ActivityDependencies, record: CheckpointRecord): Promise<PhaseOf | null> {
  return phaseIn(await resolvedOf(dependencies, record), record);
}

function phaseIn(resolved: ResolvedPipeline | null, record: CheckpointRecord): PhaseOf | null {
  const phase = resolved?.recipe.phases.find(({ name }) => name === record.phase);
  if (resolved === null || phase === undefined) return null;
  const { model, seed, budgets } = resolved.recipe;
  return { phase, model, seed, budgets };
}

/** One job evaluates those whose benchmarks and model are the same. */
function groupOf({ benchmarks, dataDigests }: SweptBenchmarks, { model }: PhaseOf): string {
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
