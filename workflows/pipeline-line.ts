/**
 * The line from a phase to its pipeline: reports and leaderboard rows, as signals.
 *
 * Covers delivery. Does not cover what the pipeline makes of them (pipeline-board.ts).
 */
import { CancellationScope, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { LeaderboardRow } from '../decisions/leaderboard.ts';
import type { PhaseReport } from './contract.ts';
import { phaseReportSignal, rowsSignal } from './messages.ts';

export interface PipelineLine {
  report(report: PhaseReport): void;
  rows(rows: readonly LeaderboardRow[]): void;
  /** Resolves when everything that was said has arrived, or cannot. */
  delivered(): Promise<void>;
}

/** A phase that was started by itself has no pipeline, and says nothing. */
export function pipelineLine(): PipelineLine {
  const { parent } = workflowInfo();
  let sent: Promise<unknown> = Promise.resolve();

  function say(signal: (pipeline: ReturnType<typeof getExternalWorkflowHandle>) => Promise<void>): void {
    if (!parent) return;
    const pipeline = getExternalWorkflowHandle(parent.workflowId, parent.runId);
    // A cancelled phase still says so; a pipeline that has closed meanwhile needs no report.
    const arrived = CancellationScope.nonCancellable(() => signal(pipeline)).catch(() => undefined);
    sent = Promise.all([sent, arrived]);
  }

  return {
    report(report) {
      say((pipeline) => pipeline.signal(phaseReportSignal, report));
    },
    rows(rows) {
      if (rows.length > 0) say((pipeline) => pipeline.signal(rowsSignal, rows));
    },
    async delivered() {
      await CancellationScope.nonCancellable(() => sent);
    },
  };
}
