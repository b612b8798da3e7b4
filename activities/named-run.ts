/**
 * The run that a person names: the newest of a pipeline by its workflow id; a sweep by its workflow id, or the newest of its name.
 *
 * Does not cover what is told of it (explain.ts, explain-sweep.ts, logs.ts, answer-leaderboard.ts).
 */
import { nearestName } from '../configs/nearest-name.ts';
import { TemperError } from '../decisions/errors.ts';
import { endOfRun, type RunEnd, type SeenOnServer } from '../decisions/run-state.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { PhaseRecord } from '../store/ledger/phases.ts';
import type { PipelineRecord } from '../store/ledger/pipelines.ts';
import type { SweepRecord } from '../store/ledger/sweeps.ts';
import { sweepPhase } from '../workflows/contract.ts';
import type { ReadingDependencies } from './dependencies.ts';
import type { SweepPlan } from './sweep-state.ts';

export type NamedRun =
  | { readonly kind: 'pipeline'; readonly run: PipelineRecord }
  | { readonly kind: 'sweep'; readonly run: SweepRecord<SweepPlan> };

const mostNames = 100;

/** A pipeline comes before a sweep of its name. Throws `not-found` with the nearest name. */
export async function findRun(ledger: Ledger, named: string): Promise<NamedRun> {
  const [pipeline] = await ledger.pipelines({ workflowId: named, limit: 1 });
  if (pipeline) return { kind: 'pipeline', run: pipeline };
  const sweep = (await ledger.sweepNamed(named)) as SweepRecord<SweepPlan> | null;
  if (sweep !== null) return { kind: 'sweep', run: sweep };
  return { kind: 'pipeline', run: await findPipeline(ledger, named, await ledger.sweepNames(mostNames)) };
}

/** What the server says of a run of which the ledger has no end. */
export async function seenOnServer(
  { runState }: Pick<ReadingDependencies, 'runState'>,
  { run: { workflowId, runId, endedAt } }: NamedRun,
): Promise<SeenOnServer> {
  const state = endedAt === null && runState !== undefined ? await runState({ workflowId, runId }) : null;
  return { runId, state };
}

/** The run that a person names, and how it ended, if it has. Throws `not-found` with the nearest name. */
export async function findRunAndEnd(
  dependencies: Pick<ReadingDependencies, 'ledger' | 'runState'>,
  named: string,
): Promise<{ readonly found: NamedRun; readonly end: RunEnd }> {
  const before = await findRun(dependencies.ledger, named);
  const seen = await seenOnServer(dependencies, before);
  // What it wrote while the server was asked.
  const found = seen.state?.kind === 'closed' ? await findRun(dependencies.ledger, named) : before;
  const { runId, endedAt } = found.run;
  const outcome = found.kind === 'pipeline' ? found.run.outcome : (found.run.report?.outcome ?? null);
  return { found, end: endOfRun({ runId, endedAt, outcome }, seen) };
}

/** Whose attempts are those of this run, each where its work was done; a sweep has one of the name `sweep`. Throws `not-found` with the nearest name. */
export async function worksOf(
  ledger: Ledger,
  { kind, run }: NamedRun,
  phase: string | undefined,
): Promise<readonly Awaited<ReturnType<typeof workOf>>[]> {
  if (kind === 'pipeline') {
    const phases = await findPhases(ledger, run.runId, phase);
    return await Promise.all(phases.map((record) => workOf(ledger, record)));
  }
  if (phase !== undefined && phase !== sweepPhase)
    throw notFound(`a sweep has no phase "${phase}"`, phase, [sweepPhase]);
  const { workflowId, runId } = run;
  return [{ workflowId, runId, phase: sweepPhase }];
}

/** The newest run of a pipeline. Throws `not-found` with the nearest name, of `others` too. */
export async function findPipeline(
  ledger: Ledger,
  pipeline: string,
  others: readonly string[] = [],
): Promise<PipelineRecord> {
  const [newest] = await ledger.pipelines({ workflowId: pipeline, limit: 1 });
  if (newest) return newest;
  const pipelines = (await ledger.pipelines({ limit: 100 })).map(({ workflowId }) => workflowId);
  const known = [...new Set([...pipelines, ...others])];
  throw notFound(`no pipeline "${pipeline}" is in the ledger`, pipeline, known);
}

/** The phases of a run that have begun, or the one named. Throws `not-found` with the nearest name. */
export async function findPhases(
  ledger: Ledger,
  runId: string,
  phase: string | undefined,
): Promise<readonly PhaseRecord[]> {
  const phases = await ledger.phasesOf(runId);
  if (phase === undefined) return phases;
  const named = phases.filter((one) => one.phase === phase);
  if (named.length > 0) return named;
  throw notFound(
    `no phase "${phase}" of it has begun`,
    phase,
    phases.map((one) => one.phase),
  );
}

function notFound(what: string, given: string, known: readonly string[]): TemperError {
  const near = nearestName(given, known);
  const more = near === null ? '; there' : `; did you mean "${near}"? There`;
  return new TemperError('not-found', `${what}${more} are: ${known.slice(0, 20).join(', ') || 'none'}`);
}

/** Where its work was done: a reused phase's in the run that finished it. */
export async function workOf(
  ledger: Ledger,
  record: PhaseRecord,
): Promise<Pick<PhaseRecord, 'workflowId' | 'runId' | 'phase'>> {
  if (record.state !== 'reused') return record;
  const finished = await ledger.findFinishedPhases(record.identity);
  return finished.find(({ promoted }) => promoted === record.promoted) ?? record;
}
