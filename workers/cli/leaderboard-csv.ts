/**
 * The leaderboard as CSV (RFC 4180): one line a row, names of columns that stay.
 *
 * A text that a spreadsheet would take for a formula gets an apostrophe before it. Does not cover evaluations that are not there.
 */
import { sourcesText } from '../../decisions/shown-scores.ts';
import type { LedgerOutsideRow, LedgerRow } from '../../workflows/contract-questions.ts';

type Cell = string | number | null | undefined;

/** Of every row, wherever its score comes from. */
const sharedColumns = {
  pipeline: (row) => row.pipeline,
  phase: (row) => row.phase,
  checkpoint: (row) => row.checkpoint,
  step: (row) => row.step,
  benchmark: (row) => row.benchmark,
  version: (row) => row.version,
} satisfies Record<string, (row: LedgerRow | LedgerOutsideRow) => Cell>;

const columns = {
  ...sharedColumns,
  problems: (row) => row.problems,
  lacking: (row) => row.lacking ?? 0,
  samples: (row) => row.samples,
  seeds: (row) => row.seeds,
  mean: (row) => row.mean,
  sd_over_seeds: (row) => row.sdOverSeeds,
  low: (row) => row.low,
  high: (row) => row.high,
  k: (row) => row.passAtK.k,
  majority_at_k: (row) => row.majorityAtK,
  pass_at_k: (row) => row.passAtK.value,
  gain: (row) => row.gain?.mean,
  gain_low: (row) => row.gain?.low,
  gain_high: (row) => row.gain?.high,
  tokens_per_sample: (row) => (isCounted(row) ? row.tokensPerSample : null),
  tokens_p95: (row) => (isCounted(row) ? row.tokensP95 : null),
  truncated_share: (row) => (isCounted(row) ? row.truncatedShare : null),
  run_seconds_p50: (row) => (row.run?.p95 === 0 ? null : row.run?.p50),
  run_seconds_p95: (row) => (row.run?.p95 === 0 ? null : row.run?.p95),
  verdict: (row) => row.verdict,
  why: (row) => row.why,
  scored_by: (row) => (row.byVote === true ? 'vote' : 'sample'),
  timed_out_share: (row) => row.timedOutShare ?? 0,
  from: () => 'evaluation',
  runs: () => null,
  place: () => null,
  runtime: () => null,
  sources: () => null,
  shrunken: (row) => row.shrunken?.mean,
  shrunken_low: (row) => row.shrunken?.low,
  shrunken_high: (row) => row.shrunken?.high,
  looked_at: (row) => row.shrunken?.lookedAt,
} satisfies Record<string, (row: LedgerRow) => Cell>;

/** Another harness may not have told its tokens, nor its time: no answer has none. */
function isCounted({ tokensPerSample }: LedgerRow): boolean {
  return (tokensPerSample ?? 0) > 0;
}

/** Of a score from outside; the others are not known. */
const outsideColumns: Partial<Record<keyof typeof columns, (row: LedgerOutsideRow) => Cell>> = {
  ...sharedColumns,
  problems: (row) => row.score?.problems,
  mean: (row) => row.score?.mean,
  low: (row) => row.score?.low,
  high: (row) => row.score?.high,
  from: () => 'outside',
  runs: (row) => row.score?.runs,
  place: (row) => row.place,
  runtime: (row) => row.runtime,
  sources: sourcesText,
};

export function leaderboardCsv(rows: readonly LedgerRow[], outside: readonly LedgerOutsideRow[] = []): string {
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const lines = [
    ...rows.map((row) => names.map((name) => cellText(columns[name](row)))),
    ...outside.map((row) => names.map((name) => cellText(outsideColumns[name]?.(row)))),
  ];
  return [Object.keys(columns), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null || cell === undefined ? '' : String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
