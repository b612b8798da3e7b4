/**
 * What came in from outside of a pipeline's checkpoints, as its page and its query `leaderboard` are told.
 *
 * Covers how little each message says, however many scores there are. Does not cover what a row says (leaderboard.ts, outside-rows.ts).
 */
import type { LeaderboardRow } from './leaderboard.ts';
import type { OutsideRow } from './outside-rows.ts';
import type { ScoreKey } from './scores.ts';

/** Scores from outside that checkpoints of a pipeline have, in one message. */
export interface OutsideOfPipeline {
  readonly rows: readonly OutsideRow[];
  /** How many more there are than these; absent: none. Only where `changed` is absent. */
  readonly leftOut?: number;
  /** When the ledger was asked, ISO 8601: of two that are sent at once the one that was asked for later stays. */
  readonly asOf: string;
  /** Absent from workers of before: then the rows are all that there is. */
  readonly changed?: ChangedScores;
}

export interface ChangedScores {
  /** What the message is about: of these, what has no row has nothing any more, evaluations included. All others stay as they are. */
  readonly keys: readonly ScoreKey[];
  /** Rows of scores from outside that there are in all. */
  readonly total: number;
}

/** What came in from outside while a pipeline is open, for its page. */
export interface ShownScores {
  readonly pipelineId: string;
  readonly runId: string;
  /** Of outcomes that were imported. */
  readonly rows: readonly LeaderboardRow[];
  readonly outside: OutsideOfPipeline;
}

/** As a history keeps it for good. */
const mostRowsTold = 20;
const mostSourcesTold = 3;

/** `changed`: what came in; null where the newest are told. */
export function toldOutside(
  rows: readonly OutsideRow[],
  { changed, asOf }: { readonly changed: readonly ScoreKey[] | null; readonly asOf: string },
): OutsideOfPipeline {
  const names = changed && new Set(changed.map(scoreKeyText));
  const about = names === null ? rows : rows.filter((row) => names.has(scoreKeyText(row)));
  const told = about.slice(-mostRowsTold).map((row) => withSources(row, mostSourcesTold));
  const keys = (changed ?? told).map(({ checkpoint, benchmark, version }) => ({ checkpoint, benchmark, version }));
  return { rows: told, asOf, changed: { keys, total: rows.length } };
}

/** Of its sources the newest, and how many more there are. */
export function withSources<Row extends OutsideRow>(row: Row, most: number): Row {
  const omitted = row.sources.length - most;
  if (omitted <= 0) return row;
  return { ...row, sources: row.sources.slice(omitted), sourcesOmitted: omitted };
}

/** `2 older left out; round 3; round 4`. */
export function sourcesText({ sources, sourcesOmitted = 0 }: OutsideRow): string {
  return [...(sourcesOmitted > 0 ? [`${String(sourcesOmitted)} older left out`] : []), ...sources].join('; ');
}

export function scoreKeyText({ checkpoint, benchmark, version }: ScoreKey): string {
  return `${checkpoint} ${benchmark}@${String(version)}`;
}
