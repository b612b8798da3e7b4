/**
 * The line from a phase to its pipeline: reports and leaderboard rows, as signals.
 *
 * Covers delivery in order: the server passes on signals of one moment in any order, so that each waits for the one before, and only
 * the newest report goes out. They go to whichever run of the pipeline is open: after a reset that is another one. Does not cover what
 * the pipeline makes of them (pipeline-board.ts).
 */
import { CancellationScope, getExternalWorkflowHandle, patched, workflowInfo } from '@temporalio/workflow';
import type { LeaderboardRow } from '../decisions/leaderboard.ts';
import type { OutsideOfPipeline } from '../decisions/shown-scores.ts';
import type { PhaseReport } from './contract.ts';
import { phaseReportSignal, rowsSignal } from './messages.ts';

export interface PipelineLine {
  report(report: PhaseReport): void;
  /** Of scores from outside all that there are now, where the gate looks at some. */
  rows(rows: readonly LeaderboardRow[], outside?: OutsideOfPipeline): void;
  /** Resolves when everything that was said has arrived, or cannot. */
  delivered(): Promise<void>;
}

/** `run`: that the phase belongs to, as its context says. A phase that was started by itself has no pipeline, and says nothing. */
export function pipelineLine(run: string): PipelineLine {
  const { parent } = workflowInfo();
  let untoldReport: PhaseReport | null = null;
  let untoldRows: readonly LeaderboardRow[] = [];
  let untoldOutside: OutsideOfPipeline | undefined;
  let sending: Promise<void> | null = null;

  async function send(pipeline: ReturnType<typeof getExternalWorkflowHandle>): Promise<void> {
    await Promise.resolve(); // what is said in one moment goes out together
    while (untoldReport !== null || untoldRows.length > 0 || untoldOutside !== undefined) {
      const [report, rows, outside] = [untoldReport, untoldRows, untoldOutside];
      [untoldReport, untoldRows, untoldOutside] = [null, [], undefined];
      // A pipeline that has closed meanwhile needs no report.
      if (rows.length > 0 || outside !== undefined)
        await pipeline
          .signal(rowsSignal, rows, run, ...(outside === undefined ? [] : [outside]))
          .catch(() => undefined);
      if (report !== null) await pipeline.signal(phaseReportSignal, report, run).catch(() => undefined);
    }
    sending = null;
  }

  function tell(): void {
    if (!parent) return;
    const pipeline = getExternalWorkflowHandle(parent.workflowId);
    // A cancelled phase still says so.
    sending ??= CancellationScope.nonCancellable(() => send(pipeline));
  }

  return {
    report(report) {
      untoldReport = report;
      tell();
    },
    rows(rows, outside) {
      untoldRows = [...untoldRows, ...rows];
      // An older worker told of no scores from outside, and may have carried out this moment.
      const isTold = outside !== undefined && (rows.length > 0 || patched('outside-scores-are-shown'));
      if (isTold) untoldOutside = outside;
      if (rows.length > 0 || isTold) tell();
    },
    async delivered() {
      await CancellationScope.nonCancellable(async () => {
        await sending;
      });
    },
  };
}
