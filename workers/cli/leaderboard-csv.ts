/**
 * The leaderboard as CSV (RFC 4180): one line a row, names of columns that stay.
 *
 * A text that a spreadsheet would take for a formula gets an apostrophe before it. Does not cover evaluations that are not there.
 */
import type { LedgerRow } from '../../workflows/contract-questions.ts';

type Cell = string | number | null | undefined;

const columns = {
  pipeline: (row) => row.pipeline,
  phase: (row) => row.phase,
  checkpoint: (row) => row.checkpoint,
  step: (row) => row.step,
  benchmark: (row) => row.benchmark,
  version: (row) => row.version,
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
} satisfies Record<string, (row: LedgerRow) => Cell>;

/** Another harness may not have told its tokens, nor its time: no answer has none. */
function isCounted({ tokensPerSample }: LedgerRow): boolean {
  return tokensPerSample > 0;
}

export function leaderboardCsv(rows: readonly LedgerRow[]): string {
  const lines = rows.map((row) => Object.values<(row: LedgerRow) => Cell>(columns).map((cell) => cellText(cell(row))));
  return [Object.keys(columns), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null || cell === undefined ? '' : String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
