/**
 * A sweep: what it looks at, which evaluations come next, and what came of it, all of it in the ledger.
 *
 * Covers loading and recording. Does not cover the rules (decisions/sweep-*.ts) or making evaluations (evaluations.ts).
 */
import { setImmediate as othersTurn } from 'node:timers/promises';
import { gpusOfJob } from '../configs/job-needs.ts';
import { clockWarnings } from '../decisions/clock-change.ts';
import { TemperError } from '../decisions/errors.ts';
import type { EvaluationKey } from '../decisions/evaluation.ts';
import { skippedNights } from '../decisions/skipped-nights.ts';
import { comparedWithLast } from '../decisions/sweep-regressions.ts';
import { needsAPerson } from '../decisions/sweep-sentences.ts';
import type { SweepOutcome, SweepReport, Waited } from '../decisions/sweep.ts';
import type { SweepRecord } from '../store/ledger/sweeps.ts';
import { type EvaluationInput, type SweepInput, type SweepRow, sweepPhase } from '../workflows/contract.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { lostOf } from './lost-checkpoints.ts';
import { failedRound, lostCheckpoint, sweepState, type SweepPlan, type SweepState } from './sweep-state.ts';
import { pageRows, reportRows } from './sweep-rows.ts';
import { chooseCheckpoints, phaseOf } from './swept-checkpoints.ts';

/** A sweep's workflow, by its first run where it goes on as a new one. */
export interface SweepRun {
  readonly workflowId: string;
  readonly runId: string;
}

/** A sweep that is open. */
export interface OpenedSweep {
  readonly name: string;
  readonly profile: string;
  readonly notifies: boolean;
  readonly checkpoints: number;
  readonly benchmarks: readonly string[];
}

export type NextOfSweep =
  | {
      readonly kind: 'evaluate';
      /** Counts on over all runs of the workflow. */
      readonly round: number;
      readonly input: EvaluationInput;
      readonly rows: readonly SweepRow[];
    }
  | { readonly kind: 'done' };

export interface ClosedSweep {
  readonly report: SweepReport;
  readonly rows: readonly SweepRow[];
  readonly needsAPerson: boolean;
}

export interface SweepActivities {
  /** Throws `invalid-input`, `not-found`, `store-unusable`. */
  openSweep(
    input: SweepRun & {
      readonly input: SweepInput;
      readonly schedule: string | null;
      /** For a worker; absent in runs that began before it was told. */
      readonly waited?: Waited;
    },
  ): Promise<OpenedSweep>;
  nextOfSweep(of: SweepRun): Promise<NextOfSweep>;
  /** A job could not make what it was to make. */
  recordSweepFailure(
    of: SweepRun & {
      readonly round: number;
      readonly evaluations: readonly EvaluationKey[];
      readonly because: string;
    },
  ): Promise<void>;
  /** The first end stays. */
  closeSweep(of: SweepRun & { readonly outcome: SweepOutcome }): Promise<ClosedSweep>;
}

/** In the report, which travels. */
const mostReported = 200;

export function sweepActivities(dependencies: ActivityDependencies): SweepActivities {
  const { ledger } = dependencies;
  const now = () => dependencies.now().toISOString();
  return {
    openSweep: (input) => openSweep(dependencies, input),
    async nextOfSweep(of) {
      const record = await sweepOf(dependencies, of);
      const state = await stateWithoutLost(dependencies, record);
      if (record.endedAt !== null || state.now.length === 0) return { kind: 'done' };
      const input = await evaluationInput(dependencies, record, state);
      return {
        kind: 'evaluate',
        round: state.rounds + 1,
        input,
        rows: pageRows(record, state),
      };
    },
    async recordSweepFailure({ runId, round, evaluations, because }) {
      await ledger.recordDecision({
        key: `${runId}/${sweepPhase}/failure/${String(round)}`,
        runId,
        phase: sweepPhase,
        attempt: null,
        question: failedRound,
        answer: { evaluations, because },
        evidence: null,
        at: now(),
      });
    },
    async closeSweep({ outcome, ...of }) {
      const opened = await sweepOf(dependencies, of);
      const state = await sweepState(dependencies, opened);
      const last = (await ledger.sweepBefore({ ...opened, outcomes: ['completed'] })) as SweepRecord<SweepPlan> | null;
      const report = await reportOf(dependencies, { record: opened, state, last }, outcome);
      const closed = await ledger.recordSweepEnd({ runId: of.runId, report, at: now() });
      const first = closed.report ?? report;
      return {
        report: first,
        rows: pageRows(opened, state),
        needsAPerson: needsAPerson(first, last?.report?.skipped ?? []),
      };
    },
  };
}

async function openSweep(
  dependencies: ActivityDependencies,
  { runId, ...given }: Parameters<SweepActivities['openSweep']>[0],
): Promise<OpenedSweep> {
  const { ledger } = dependencies;
  const before = (await ledger.sweep(runId)) as SweepRecord<SweepPlan> | null;
  const record = before ?? (await ledger.openSweep(await newSweep(dependencies, { runId, ...given })));
  const { sweep, profile, notifies, checkpoints } = record.plan;
  return { name: sweep.name, profile, notifies, checkpoints: checkpoints.length, benchmarks: sweep.benchmarks };
}

async function newSweep(
  dependencies: ActivityDependencies,
  { workflowId, runId, input, schedule, waited }: Parameters<SweepActivities['openSweep']>[0],
) {
  const { value: sweep } = await dependencies.readSweep(input.sweep);
  const { profile, store } = dependencies.placeOf(sweep.profile);
  await store.check();
  const at = dependencies.now().toISOString();
  // Of one that was cancelled nobody was told.
  const last = (await dependencies.ledger.sweepBefore({
    ...{ name: sweep.name, startedAt: at, outcomes: ['completed', 'failed'] },
  })) as SweepRecord<SweepPlan> | null;
  const facts = schedule === null ? null : await dependencies.scheduleFacts(schedule);
  const counters = last?.plan.counters ?? {};
  const plan: SweepPlan = {
    sweep,
    profile: profile.name,
    notifies: profile.notify !== undefined,
    ...(await chooseCheckpoints(dependencies, sweep)),
    counters: schedule === null || facts === null ? counters : { ...counters, [schedule]: facts.skipped },
    nights:
      schedule === null || facts === null
        ? { overlap: 0, missed: 0 }
        : skippedNights(facts.skipped, counters[schedule] ?? null, { ...facts, waited }),
    clock: facts === null ? [] : clockWarnings(facts.times, at),
    gpus: gpusOfJob(profile, 'evaluate'),
  };
  return { runId, workflowId, name: sweep.name, plan, at };
}

async function sweepOf({ ledger }: ActivityDependencies, { runId }: SweepRun): Promise<SweepRecord<SweepPlan>> {
  const record = await ledger.sweep(runId);
  if (record === null) throw new TemperError('ledger-conflict', `the sweep of run ${runId} is not in the ledger`);
  return record as SweepRecord<SweepPlan>;
}

/** One job's evaluations, as those of a phase: their numbers, directories and budget are the sweep's own. */
async function evaluationInput(
  dependencies: ActivityDependencies,
  { runId, workflowId, plan }: SweepRecord<SweepPlan>,
  { now }: SweepState,
): Promise<EvaluationInput> {
  const record = await dependencies.ledger.checkpoint(now[0]?.checkpoint ?? '');
  const of = record && (await phaseOf(dependencies, record));
  const group = plan.groups[now[0]?.group ?? ''];
  if (!of || !group)
    throw new TemperError('ledger-conflict', `the pipeline of ${now[0]?.checkpoint ?? ''} is not in the ledger`);
  const evaluations = now.map(({ checkpoint, benchmark, version, seed }) => ({ checkpoint, benchmark, version, seed }));
  const names = [...new Set(evaluations.map(({ benchmark }) => benchmark))].join(', ');
  const first = now[0]?.because === 'never-evaluated' ? 'never evaluated' : 'the widest interval';
  return {
    context: {
      pipelineId: workflowId,
      runId,
      ...{ ...of, ...group },
      profile: plan.profile,
      phase: { ...of.phase, name: sweepPhase },
      position: 0,
      budgets: { ...of.budgets, gpuHours: plan.sweep.gpuHours, evaluations: Number.MAX_SAFE_INTEGER },
      onFailure: 'fail',
      start: null,
    },
    title: `${String(evaluations.length)} ${evaluations.length === 1 ? 'evaluation' : 'evaluations'} on ${names}, ${first} first`,
    evaluations,
  };
}

/** What the next job would need is looked for on the store; what is not there is in the ledger from now on. */
async function stateWithoutLost(
  dependencies: ActivityDependencies,
  record: SweepRecord<SweepPlan>,
): Promise<SweepState> {
  for (;;) {
    const state = await sweepState(dependencies, record);
    const lost = await lostOf(dependencies, record.plan, state.now);
    if (record.endedAt !== null || lost.size === 0) return state;
    for (const [checkpoint, because] of lost) {
      await dependencies.ledger.recordDecision({
        key: `${record.runId}/${sweepPhase}/lost/${checkpoint}`,
        runId: record.runId,
        phase: sweepPhase,
        attempt: null,
        question: lostCheckpoint,
        answer: { checkpoint, because },
        evidence: null,
        at: dependencies.now().toISOString(),
      });
    }
  }
}

interface Ending {
  readonly record: SweepRecord<SweepPlan>;
  readonly state: SweepState;
  /** The one that this one is compared with. */
  readonly last: SweepRecord<SweepPlan> | null;
}

async function reportOf(
  { ledger }: ActivityDependencies,
  { record: { plan, runId }, state, last }: Ending,
  outcome: SweepOutcome,
): Promise<SweepReport> {
  const { benchmarks } = plan.sweep;
  const before = last?.plan.checkpoints ?? [];
  const others = before.map(({ id }) => id).filter((id) => !plan.checkpoints.some((one) => one.id === id));
  const evaluations = [
    ...state.evaluations,
    ...(await ledger.scoredEvaluationsOf({ checkpoints: others, benchmarks })),
  ];
  return {
    outcome,
    evaluated: await ledger.evaluationCountOf(runId),
    hours: state.hours,
    gpuHours: state.gpuHours,
    rows: await reportRows(ledger, plan, { evaluations: state.evaluations, most: mostReported }),
    comparedWith: last?.startedAt ?? null,
    ...(await comparedWithLast({ before, now: plan.checkpoints, benchmarks, evaluations }, othersTurn)),
    skipped: state.skipped.slice(0, mostReported),
    ...(state.skipped.length > mostReported && { skippedMore: state.skipped.length - mostReported }),
    nights: plan.nights,
    clock: plan.clock,
  };
}
