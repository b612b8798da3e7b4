/**
 * What came in from outside of a pipeline's checkpoints, as its page and its query `leaderboard` are told.
 *
 * Does not cover what a row says (leaderboard.ts, outside-rows.ts).
 */
import type { LeaderboardRow } from './leaderboard.ts';
import type { OutsideRow } from './outside-rows.ts';

/** Scores from outside that checkpoints of a pipeline have. */
export interface OutsideOfPipeline {
  /** Of the newest checkpoints, where there are very many. */
  readonly rows: readonly OutsideRow[];
  /** How many more there are; absent: none. */
  readonly leftOut?: number;
  /** When the ledger was asked, ISO 8601: of two that are sent at once the one that was asked for later stays. */
  readonly asOf: string;
}

/** What came in from outside while a pipeline is open, for its page. */
export interface ShownScores {
  readonly pipelineId: string;
  readonly runId: string;
  /** Of outcomes that were imported. */
  readonly rows: readonly LeaderboardRow[];
  readonly outside: OutsideOfPipeline;
}
