/**
 * Where a sweep stands by the ledger alone: what is due, what one job makes next, and what is left out and why.
 *
 * Does not cover looking whether the checkpoints of the next job are still there (lost-checkpoints.ts), or the rules
 * (decisions/sweep-due.ts, sweep-batch.ts).
 */
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { EvaluatedBenchmark } from '../configs/schema.ts';
import type { Sweep } from '../configs/schema-schedule.ts';
import type { Evaluation, EvaluationKey } from '../decisions/evaluation.ts';
import { hoursRan } from '../decisions/run-hours.ts';
import { nextBatch } from '../decisions/sweep-batch.ts';
import { dueEvaluations } from '../decisions/sweep-due.ts';
import { titleOfEvaluation } from '../decisions/sweep-sentences.ts';
import type {
  DueEvaluation,
  FailedRound,
  LostCheckpoint,
  ScheduleCounters,
  Skipped,
  SkippedNights,
  SweptCheckpoint,
  WhySkipped,
} from '../decisions/sweep.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { SweepRecord } from '../store/ledger/sweeps.ts';
import { type PhaseContext, sweepPhase } from '../workflows/contract.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** What a sweep decided at its start; kept in its row of the ledger. */
export interface SweepPlan {
  readonly sweep: Sweep;
  readonly profile: string;
  readonly notifies: boolean;
  readonly checkpoints: readonly SweptCheckpoint[];
  /** By the group of a checkpoint: what its benchmarks are, all night. */
  readonly groups: Readonly<Record<string, SweptBenchmarks>>;
  readonly skipped: readonly Skipped[];
  /** By the id of each schedule that was seen so far. */
  readonly counters: Readonly<Record<string, ScheduleCounters>>;
  readonly nights: SkippedNights;
  readonly clock: readonly string[];
  /** Of one of its jobs; absent in plans from before they were counted. */
  readonly gpus?: number;
}

export interface SweptBenchmarks extends Pick<PhaseContext, 'recipe' | 'dataDigests'> {
  readonly benchmarks: Readonly<Record<string, EvaluatedBenchmark>>;
}

export interface SweepState {
  /** Without their answers. */
  readonly evaluations: readonly Evaluation[];
  /** That its jobs ran. */
  readonly hours: number;
  readonly gpuHours: number;
  /** Jobs of this sweep, and those that could not make what they were to make. */
  readonly rounds: number;
  /** The most informative first, what is left out too. */
  readonly due: readonly DueEvaluation[];
  /** What the next job makes; empty where nothing more is to be made. */
  readonly now: readonly DueEvaluation[];
  readonly skipped: readonly Skipped[];
}

/** Questions of decisions of a sweep; their answers are a FailedRound and a LostCheckpoint. */
export const failedRound = 'sweep-failure';
export const lostCheckpoint = 'sweep-lost';

export async function sweepState(
  { ledger }: Pick<ActivityDependencies, 'ledger'>,
  { runId, workflowId, plan }: SweepRecord<SweepPlan>,
): Promise<SweepState> {
  const { sweep, checkpoints } = plan;
  const { benchmarks } = sweep;
  const { gpus = 1 } = plan;
  const evaluations = await ledger.scoredEvaluationsOf({ checkpoints: checkpoints.map(({ id }) => id), benchmarks });
  const jobs = await ledger.attemptsOf({ workflowId, runId, phase: sweepPhase, purpose: 'evaluate' });
  const decisions = await ledger.decisionsOf({ runId, phase: sweepPhase });
  const failed = decisions
    .filter(({ question }) => question === failedRound)
    .map(({ answer }) => answer as FailedRound);
  const lost = decisions
    .filter(({ question }) => question === lostCheckpoint)
    .map(({ answer }) => answer as LostCheckpoint);
  const failuresOf = (key: EvaluationKey) =>
    failed.filter((round) => round.evaluations.some((one) => textOf(one) === textOf(key))).length +
    // One that failed alone fails again.
    failed.filter((round) => round.evaluations.length === 1 && textOf(round.evaluations[0]) === textOf(key)).length;
  const hours = hoursRan(jobs);
  const spentHours = hours * gpus;
  const here = checkpoints.filter(({ id }) => !lost.some(({ checkpoint }) => checkpoint === id));
  const due = await dueEvaluations({ checkpoints: here, benchmarks, evaluations, seeds: sweep.seeds }, othersTurn);
  const hoursOf = (on: Pick<EvaluationKey, 'benchmark' | 'version'>) => {
    const each = hoursPerEvaluation(on, jobs, evaluations);
    return each === null ? null : each * gpus;
  };
  const batch = nextBatch({ due, spentHours, hours: sweep.gpuHours, hoursOf, failuresOf });
  const skipped = [
    ...plan.skipped,
    ...lost.map(({ checkpoint: what, because }): Skipped => ({ what, because })),
    ...due.filter((one) => failuresOf(one) > 1).map((one) => failedOf(one, failed)),
    ...batch.beyondBudget.map((one) => beyondBudget(one, { spentHours, hours: sweep.gpuHours, gpus })),
  ];
  return {
    evaluations,
    hours,
    gpuHours: spentHours,
    rounds: jobs.length + failed.length,
    due,
    now: batch.now,
    skipped,
  };
}

const textOf = (key: EvaluationKey | undefined): string =>
  JSON.stringify(key && [key.checkpoint, key.benchmark, key.version, key.seed]);

function failedOf(one: EvaluationKey, failed: readonly FailedRound[]): Skipped {
  const last = failed.findLast((round) => round.evaluations.some((key) => textOf(key) === textOf(one)));
  return { what: titleOfEvaluation(one), because: { rule: 'failed', why: last?.because ?? '' } };
}

function beyondBudget(one: EvaluationKey, spent: Omit<Extract<WhySkipped, { rule: 'budget' }>, 'rule'>): Skipped {
  return { what: titleOfEvaluation(one), because: { rule: 'budget', ...spent } };
}

/** What the jobs of this sweep took that made such ones, loading, retries and shards included; else what was ever seen; null where nobody knows. */
function hoursPerEvaluation(
  of: Pick<EvaluationKey, 'benchmark' | 'version'>,
  jobs: readonly AttemptRecord[],
  evaluations: readonly Evaluation[],
): number | null {
  const own = jobs
    .map(({ request, evidence }) => ({ asked: askedOf(request), seconds: evidence?.ranSeconds ?? 0 }))
    .filter(({ asked, seconds }) => seconds > 0 && asked.some(({ benchmark }) => isOn(of, benchmark)));
  const made = new Set(own.flatMap(({ asked }) => asked.map(({ key }) => key)));
  if (made.size > 0) return sum(own.map(({ seconds }) => seconds)) / made.size / 3600;
  const seen = evaluations.filter(({ benchmark: name, version }) => isOn(of, { name, version }));
  const problems = seen.flatMap((one) => one.problems);
  return seen.length === 0 ? null : sum(problems.map(({ seconds }) => seconds)) / seen.length / 3600;
}

interface Asked {
  readonly key: string;
  readonly benchmark: { readonly name: string; readonly version: number };
}

const askedOf = (request: unknown): readonly Asked[] =>
  (request as { readonly evaluations?: readonly Asked[] } | null)?.evaluations ?? [];
const isOn = (of: Pick<EvaluationKey, 'benchmark' | 'version'>, { name, version }: Asked['benchmark']): boolean =>
  of.benchmark === name && of.version === version;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
