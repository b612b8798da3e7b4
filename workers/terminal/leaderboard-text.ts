/** The leaderboard as a person reads it on a terminal. */
import type { LeaderboardRow } from '../../decisions/leaderboard.ts';
import { type Column, columnsText } from './columns.ts';

const columns: readonly Column<LeaderboardRow>[] = [
  { head: 'phase', align: 'left', cell: (row) => row.phase },
  { head: 'step', align: 'right', cell: (row) => String(row.step) },
  { head: 'benchmark', align: 'left', cell: (row) => row.benchmark },
  {
    head: 'n',
    align: 'right',
    cell: problemsOf,
  },
  { head: 'mean', align: 'right', cell: (row) => row.mean.toFixed(3) },
  { head: '95 % interval', align: 'left', cell: (row) => `${row.low.toFixed(3)}–${row.high.toFixed(3)}` },
  { head: 'gain in points', align: 'left', cell: gainOf },
  { head: 'tokens', align: 'right', cell: (row) => row.tokensPerSample.toFixed(1) },
  { head: 'runtime', align: 'right', cell: (row) => `${row.seconds.toFixed(1)} s` },
  { head: 'verdict', align: 'left', cell: (row) => row.verdict },
];

function problemsOf({ problems, samples, lacking }: LeaderboardRow): string {
  const of = lacking === undefined ? '' : ` of ${String(problems + lacking)}`;
  return `${String(problems)}${of}×${String(Math.round(samples / problems))}`;
}

function gainOf({ gain }: LeaderboardRow): string {
  if (gain === null) return '';
  const [value, low, high] = [gain.mean, gain.low, gain.high].map(
    (share) => `${share < 0 ? '' : '+'}${(100 * share).toFixed(1)}`,
  );
  return `${value ?? ''} [${low ?? ''}, ${high ?? ''}]`;
}

/** One line a candidate (`n` is problems × samples of each; `3 of 40`: the others are lacking), then why each verdict is what it is. */
export function leaderboardText(rows: readonly LeaderboardRow[]): string {
  const reasons = rows.filter(({ why }) => why !== '').map((row) => `  ${row.phase} ${String(row.step)}: ${row.why}`);
  return [columnsText(columns, rows), ...(reasons.length > 0 ? ['', 'Why:', ...reasons] : [])].join('\n');
}
