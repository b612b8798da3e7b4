/**
 * What a sweep's page and its query show: what it does, the scores so far with their intervals, and at its end what a person should know.
 *
 * Does not cover how markdown is written (markdown.ts).
 */
import { setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { ClosedSweep, OpenedSweep } from '../activities/sweeps.ts';
import type { LeaderboardRow } from '../decisions/leaderboard.ts';
import { linesOfSweep, sentenceOfSweep } from '../decisions/sweep-sentences.ts';
import type { EvaluationInput, SweepRow } from './contract.ts';
import { bytesOf, newestOf, paragraph, table } from './markdown.ts';
import { leaderboardQuery } from './messages.ts';

export interface SweepBoard {
  evaluating(input: EvaluationInput, rows: readonly SweepRow[]): void;
  failed(because: string): void;
  ended(end: ClosedSweep): void;
}

export function sweepBoard(opened: OpenedSweep): SweepBoard {
  let rows: readonly LeaderboardRow[] = [];
  setHandler(leaderboardQuery, () => ({ rows }), { description: 'No input. Every score, once the sweep has ended' });
  const failures: string[] = [];
  const show = (line: string, told: readonly string[], scores: readonly SweepRow[]) => {
    setCurrentDetails(sweepDetails(`**${opened.name}**, ${line}`, told, scores));
  };
  show(`${String(opened.checkpoints)} checkpoints on ${opened.benchmarks.join(', ')}`, [], []);
  return {
    evaluating({ title }, scores) {
      show(paragraph(title), failures.slice(-3), scores);
    },
    failed(because) {
      failures.push(because);
    },
    ended({ report, rows: scores }) {
      ({ rows } = report);
      show(`${report.outcome}: ${sentenceOfSweep(report)}`, linesOfSweep(report), scores);
    },
  };
}

/** Current details travel in an address. Bytes. */
const longestPage = 3900;

/** Markdown under 4 KB: what a person should know comes first, the table has what room is left. */
export function sweepDetails(headline: string, told: readonly string[], rows: readonly SweepRow[]): string {
  const top = told.length === 0 ? headline : `${headline}\n\n${newestOf(told)}`;
  const ofSeveral = new Set(rows.map(({ benchmark }) => benchmark)).size > 1;
  const cells = rows.map((row) => cellsOf(row, ofSeveral));
  const heads = ['checkpoint', 'whose', 'mean', '95 %', 'seeds'];
  for (let shown = cells.length; shown > 0; shown -= 1) {
    const left = cells.length - shown;
    const text = [top, table(heads, cells.slice(0, shown)), ...(left > 0 ? [`… and ${String(left)} more`] : [])];
    if (bytesOf(text.join('\n\n')) <= longestPage) return text.join('\n\n');
  }
  return top;
}

/** Narrow on purpose, as on the page of a pipeline. Which attempt made a checkpoint stands in the leaderboard. */
function cellsOf({ checkpoint, whose, benchmark, mean, low, high, seeds }: SweepRow, ofSeveral: boolean): string[] {
  const name = checkpoint.replace(/\/a\d+\/checkpoint-(\d+)$/, ' $1');
  return [
    `${name}${ofSeveral ? ` on ${benchmark}` : ''}`,
    whose,
    mean.toFixed(3),
    `${low.toFixed(3)}–${high.toFixed(3)}`,
    String(seeds),
  ];
}
