/**
 * Where a sweep stands by the ledger and the store: what is due, what one job makes next, and what is left out and why.
 *
 * Covers looking whether the checkpoints of the next job are still there. Does not cover the rules (decisions/sweep-due.ts, sweep-batch.ts).
 */
import type { Sweep } from '../configs/schema-schedule.ts';
import type { Evaluation, EvaluationKey } from '../decisions/evaluation.ts';
import { nextBatch } from '../decisions/sweep-batch.ts';
import { dueEvaluations } from '../decisions/sweep-due.ts';
import type { DueEvaluation, Skipped, SkippedNights, SweptCheckpoint, WhySkipped } from '../decisions/sweep.ts';
import type { AttemptRecord } from '../store/ledger/attempts.ts';
import type { SweepRecord } from '../store/ledger/sweeps.ts';
import { sweepPhase } from '../workflows/contract.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** What a sweep decided at its start; kept in its row of the ledger. */
export interface SweepPlan {
  readonly sweep: Sweep;
  readonly profile: string;
  readonly notifies: boolean;
  readonly checkpoints: readonly SweptCheckpoint[];
  readonly skipped: readonly Skipped[];
  /** By the id of each schedule that was seen so far: its counters. */
  readonly counters: Readonly<Record<string, SkippedNights>>;
  readonly nights: SkippedNights;
  readonly clock: readonly string[];
}

export interface SweepState {
  readonly evaluations: readonly Evaluation[];
  readonly spentHours: number;
  /** Jobs of this sweep, and those that could not make what they were to make. */
  readonly rounds: number;
  /** What the next job makes; empty where nothing more is to be made. */
  readonly now: readonly DueEvaluation[];
  readonly skipped: readonly Skipped[];
}

/** Answer of a decision that is recorded for a job which failed. */
export interface FailedRound {
  readonly evaluations: readonly EvaluationKey[];
  readonly because: string;
}

export const failedRound = 'sweep-failure';

export async function sweepState(
  dependencies: ActivityDependencies,
  { runId, workflowId, plan }: SweepRecord<SweepPlan>,
): Promise<SweepState> {
  const { ledger } = dependencies;
  const { sweep, checkpoints } = plan;
  const evaluations = await ledger.evaluationsOf(checkpoints.map(({ id }) => id));
  const jobs = await ledger.attemptsOf({ workflowId, runId, phase: sweepPhase, purpose: 'evaluate' });
  const decisions = await ledger.decisionsOf({ runId, phase: sweepPhase });
  const failed = decisions
    .filter(({ question }) => question === failedRound)
    .map(({ answer }) => answer as FailedRound);
  const failuresOf = (key: EvaluationKey) =>
    failed.filter((round) => round.evaluations.some((one) => textOf(one) === textOf(key))).length +
    // One that failed alone fails again.
    failed.filter((round) => round.evaluations.length === 1 && textOf(round.evaluations[0]) === textOf(key)).length;
  const spentHours = sum(jobs.map(({ evidence }) => evidence?.ranSeconds ?? 0)) / 3600;
  const gone = new Map<string, WhySkipped>();
  for (;;) {
    const here = checkpoints.filter(({ id }) => !gone.has(id));
    const due = dueEvaluations({ checkpoints: here, benchmarks: sweep.benchmarks, evaluations, seeds: sweep.seeds });
    const hoursOf = (one: EvaluationKey) => hoursPerEvaluation(one, jobs, evaluations);
    const batch = nextBatch({ due, spentHours, hours: sweep.gpuHours, hoursOf, failuresOf });
    const lost = await lostOf(dependencies, plan, batch.now);
    for (const [id, because] of lost) gone.set(id, because);
    if (lost.size > 0) continue;
    const skipped = [
      ...plan.skipped,
      ...[...gone].map(([what, because]): Skipped => ({ what, because })),
      ...due.filter((one) => failuresOf(one) > 1).map((one) => failedOf(one, failed)),
      ...batch.beyondBudget.map((one) => beyondBudget(one, { spentHours, hours: sweep.gpuHours })),
    ];
    return { evaluations, spentHours, rounds: jobs.length + failed.length, now: batch.now, skipped };
  }
}

const textOf = (key: EvaluationKey | undefined): string =>
  JSON.stringify(key && [key.checkpoint, key.benchmark, key.version, key.seed]);

const titleOf = ({ checkpoint, benchmark, seed }: EvaluationKey): string =>
  `${checkpoint} on ${benchmark}, seed ${String(seed)}`;

function failedOf(one: EvaluationKey, failed: readonly FailedRound[]): Skipped {
  const last = failed.findLast((round) => round.evaluations.some((key) => textOf(key) === textOf(one)));
  return { what: titleOf(one), because: { rule: 'failed', why: last?.because ?? '' } };
}

function beyondBudget(one: EvaluationKey, spent: { readonly spentHours: number; readonly hours: number }): Skipped {
  return { what: titleOf(one), because: { rule: 'budget', ...spent } };
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

/** Checkpoints of a batch that were deleted meanwhile, or cannot be read. */
async function lostOf(
  dependencies: ActivityDependencies,
  { sweep }: SweepPlan,
  batch: readonly DueEvaluation[],
): Promise<ReadonlyMap<string, WhySkipped>> {
  const { store } = dependencies.placeOf(sweep.profile);
  const lost = new Map<string, WhySkipped>();
  for (const id of new Set(batch.map(({ checkpoint }) => checkpoint))) {
    const record = await dependencies.ledger.checkpoint(id);
    for (const path of record === null ? [] : [record.path, ...(record.base === null ? [] : [record.base])]) {
      const because = await store.inspect(path).then(whyLost(path), notAllowed);
      if (because !== null) lost.set(id, because);
    }
  }
  return lost;
}

const whyLost =
  (path: string) =>
  (found: { readonly level: string; readonly damage: string | null } | null): WhySkipped | null => {
    if (found === null) return { rule: 'deleted', path };
    return found.level === 'torn' ? { rule: 'unreadable', why: found.damage ?? 'it is torn' } : null;
  };

/** A store that is away comes back; what its user may not read will not. */
function notAllowed(error: unknown): WhySkipped {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'EACCES' && code !== 'EPERM') throw error;
  return { rule: 'unreadable', why: message };
}
