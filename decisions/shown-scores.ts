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
  /** Absent from older workers: then the rows are all that there is. */
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

/** A page has room for fewer. One message may tell as many, so that no older row stays there in place of one that is cut. */
export const mostRowsOfPage = 100;
/** As a history keeps it for good. */
const mostNewestTold = 20;
const mostGoneTold = 100;
const [mostSourcesOfRow, mostSourcesTold] = [3, 60];

/** `changed`: what came in or went; null where the newest are told. Of what is cut nothing is said but the number of all. */
export function toldOutside(
  rows: readonly OutsideRow[],
  { changed, asOf }: { readonly changed: readonly ScoreKey[] | null; readonly asOf: string },
): OutsideOfPipeline {
  const names = changed && new Set(changed.map(scoreKeyText));
  const about =
    names === null
      ? rows.slice(-mostNewestTold)
      : rows.filter((row) => names.has(scoreKeyText(row))).slice(-mostRowsOfPage);
  const sources = Math.max(1, Math.min(mostSourcesOfRow, Math.floor(mostSourcesTold / about.length)));
  const told = about.map((row) => withSources(row, sources));
  const there = new Set(rows.map(scoreKeyText));
  const gone = (changed ?? []).filter((key) => !there.has(scoreKeyText(key))).slice(0, mostGoneTold);
  const keys = [...told, ...gone].map(({ checkpoint, benchmark, version }) => ({ checkpoint, benchmark, version }));
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
