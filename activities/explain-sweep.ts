/**
 * Everything that a sweep looked at, evaluated, skipped and found, and what happened to its jobs, by the ledger alone.
 *
 * Does not cover finding it (named-run.ts) or the words (decisions/sweep-sentences.ts).
 */
import {
  sentenceOfComparison,
  sentenceOfNights,
  sentenceOfRegression,
  sentenceOfSkipped,
  sentenceOfSubject,
  sentenceOfSweep,
  titleOfEvaluation,
} from '../decisions/sweep-sentences.ts';
import { count, percent } from '../decisions/stage-sentences.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { SweepRecord } from '../store/ledger/sweeps.ts';
import type { ExplainedSweep } from '../decisions/explained-sweep.ts';
import type { Explanation } from '../workflows/contract-questions.ts';
import { sweepPhase } from '../workflows/contract.ts';
import { eventsOf, evidenceWish, type ExplainWish, toldEnd, withinBounds } from './explain.ts';
import { type SweepPlan, sweepState, type SweepState } from './sweep-state.ts';

/** Of each list. */
const mostLines = 50;
/** More than a sweep makes. */
const mostTotals = 100_000;

/** Throws `not-found` when there is no such job. */
export async function explanationOfSweep(
  ledger: Ledger,
  sweep: SweepRecord<SweepPlan>,
  { end, ...wish }: ExplainWish,
): Promise<Explanation> {
  const { workflowId, runId, name, startedAt, report } = sweep;
  const now = report === null ? await sweepState({ ledger }, sweep) : null;
  const because = report === null ? sentenceSoFar(now, sweep.plan) : `${sentenceOfSweep(report)}.`;
  const events = await eventsOf(ledger, { workflowId, runId, phase: sweepPhase }, evidenceWish(wish, 1));
  // Of what nobody goes on with, the phase has no word of its own.
  const state = report?.outcome ?? (end.state === 'running' ? 'running' : 'cancelled');
  return {
    ...{ answer: 'explain', pipeline: workflowId, runId, recipe: name, startedAt, ...toldEnd(end) },
    ...withinBounds([{ phase: sweepPhase, kind: sweepPhase, state, because, events }], wish.attempt),
    sweep: await explainedSweep(ledger, sweep, now),
  };
}

/** Without what is left out. */
function dueTitles({ due, skipped }: SweepState): readonly string[] {
  const isLeftOut = new Set(skipped.map(({ what }) => what));
  return due.map(titleOfEvaluation).filter((title) => !isLeftOut.has(title));
}

function sentenceSoFar(now: SweepState | null, { sweep }: SweepPlan): string {
  if (now === null) return '';
  const { hours, gpuHours } = now;
  const due = count(dueTitles(now).length, 'evaluation');
  return `${hours.toFixed(2)} h of jobs, ${gpuHours.toFixed(2)} of ${String(sweep.gpuHours)} GPU-hours so far; ${due} due, one seed of each.`;
}

async function explainedSweep(
  ledger: Ledger,
  sweep: SweepRecord<SweepPlan>,
  now: SweepState | null,
): Promise<ExplainedSweep> {
  const { plan, report } = sweep;
  const skipped = report?.skipped ?? now?.skipped ?? [];
  const nights = sentenceOfNights(plan.nights);
  const comparison = report === null ? null : sentenceOfComparison(report);
  return {
    benchmarks: plan.sweep.benchmarks,
    looksAt: cut(plan.checkpoints.map(({ id, subjects }) => `${id}: ${subjects.map(sentenceOfSubject).join(', ')}`)),
    evaluated: cut(await evaluatedBy(ledger, sweep)),
    due: now === null ? [] : cut(dueTitles(now)),
    skipped: cut(skipped.map(sentenceOfSkipped), report?.skippedMore),
    comparedWith: report === null || report.compared === 0 ? null : report.comparedWith,
    ...(comparison !== null && { comparison }),
    regressions: cut((report?.regressions ?? []).map(sentenceOfRegression)),
    schedule: [...(nights === null ? [] : [nights]), ...plan.clock],
  };
}

/** What it made itself, in the order in which it was made. */
async function evaluatedBy(ledger: Ledger, { runId }: SweepRecord<SweepPlan>): Promise<readonly string[]> {
  const totals = await ledger.evaluationTotals({ runId, limit: mostTotals });
  return totals.map((one) => `${titleOfEvaluation(one)}: ${percent(one.mean)}`).reverse();
}

function cut(lines: readonly string[], unnamed = 0): readonly string[] {
  const more = Math.max(0, lines.length - mostLines) + unnamed;
  return more === 0 ? lines : [...lines.slice(0, mostLines), `… and ${String(more)} more`];
}
