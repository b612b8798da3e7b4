/**
 * A sweep: evaluates what is due of many checkpoints, job after job, and says what became worse since the last one.
 *
 * Covers the order of jobs and what the run's page shows. Does not cover what is due (decisions/sweep-due.ts) or running a job (evaluate.ts).
 */
import {
  CancellationScope,
  continueAsNew,
  ContinueAsNew,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { NextOfSweep, OpenedSweep, SweepRun } from '../activities/sweeps.ts';
import { sweepInputSchema } from '../configs/schema-input.ts';
import { linesOfSweep } from '../decisions/sweep-sentences.ts';
import type { SweepOutcome, SweepReport } from '../decisions/sweep.ts';
import { whenIdIsFree } from './child-run.ts';
import { childIds, type SweepInput, sweepPhase } from './contract.ts';
import { evaluateCheckpoint } from './evaluate.ts';
import { explained, messageOf } from './explained.ts';
import { inputOfWorkflow } from './input-of.ts';
import { activities } from './jobs.ts';
import { noticesOf } from './notices.ts';
import { sweepBoard, type SweepBoard } from './sweep-board.ts';

/** Each costs about twenty events; after so many the story goes on in a new history. */
const roundsPerRun = 50;

const exampleInput = '{"sweep": "<name of a schedule that the worker has>"}';

const startedBySchedule = defineSearchAttributeKey('TemporalScheduledById', 'KEYWORD');

export async function evalSweep(input?: SweepInput): Promise<SweepReport> {
  const checked = inputOfWorkflow<SweepInput>(sweepInputSchema, input, exampleInput);
  const { workflowId, firstExecutionRunId: runId } = workflowInfo();
  const run = { workflowId, runId };
  const opened = await open(run, checked);
  const board = sweepBoard(opened);
  try {
    for (let rounds = 0; ; rounds += 1) {
      const next = await activities('choose what is evaluated next').nextOfSweep(run);
      if (next.kind === 'done') break;
      if (rounds === roundsPerRun) await continueAsNew<typeof evalSweep>(checked);
      await evaluate(run, next, board);
    }
    return await close({ run, opened, board }, 'completed');
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    const outcome = isCancellation(error) ? 'cancelled' : 'failed';
    await CancellationScope.nonCancellable(() => close({ run, opened, board }, outcome, messageOf(error)));
    throw explained(error);
  }
}

async function open(run: SweepRun, input: SweepInput): Promise<OpenedSweep> {
  const { startTime, typedSearchAttributes } = workflowInfo();
  const schedule = typedSearchAttributes.get(startedBySchedule) ?? null;
  // Its first task is at work now: until then it waited for a worker.
  const waited = { from: startTime.toISOString(), until: new Date().toISOString() };
  try {
    return await activities('look what there is to evaluate').openSweep({ ...run, input, schedule, waited });
  } catch (error) {
    throw explained(error);
  }
}

/** One job. What it could not make is tried alone, and then left out: a sweep goes on. */
async function evaluate(
  run: SweepRun,
  { round, input, rows }: Extract<NextOfSweep, { kind: 'evaluate' }>,
  board: SweepBoard,
): Promise<void> {
  board.evaluating(input, rows);
  try {
    const workflowId = childIds.evaluation(run.workflowId, sweepPhase, round);
    await whenIdIsFree(workflowId, () =>
      executeChild(evaluateCheckpoint, {
        workflowId,
        args: [input],
        staticSummary: input.title,
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      }),
    );
  } catch (error) {
    if (isCancellation(error)) throw error;
    const because = messageOf(error);
    board.failed(because);
    const { evaluations } = input;
    await activities('record what failed').recordSweepFailure({ ...run, round, evaluations, because });
  }
}

interface OpenSweep {
  readonly run: SweepRun;
  readonly opened: OpenedSweep;
  readonly board: SweepBoard;
}

/** Ends the sweep in the ledger, shows its table, and tells a person who has something to look at. */
async function close({ run, opened, board }: OpenSweep, outcome: SweepOutcome, because?: string): Promise<SweepReport> {
  const end = await activities(`record that it is ${outcome}`).closeSweep({ ...run, outcome });
  board.ended(end);
  if (end.needsAPerson && opened.notifies) {
    const lines = [...(because === undefined ? [] : [because]), ...linesOfSweep(end.report)];
    await noticesOf(noticedRun(run, opened), { decided: ignore }).tell('sweep', lines.join('\n'));
  }
  return end.report;
}

const noticedRun = ({ workflowId: pipelineId, runId }: SweepRun, { profile }: OpenedSweep) =>
  ({ pipelineId, runId, profile, phase: { name: sweepPhase }, notifies: true }) as const;

/** A sweep ends without waiting for what becomes of its notice, which has a page of its own. */
const ignore = () => undefined;
