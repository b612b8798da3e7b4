/**
 * Candidates on a run's page: a short table of the leaderboard, the newest where room is short.
 *
 * Does not cover the numbers it leaves out: the query `leaderboard` and `temper leaderboard` have all of them.
 */
import { type LeaderboardRow, verdictWords } from '../decisions/leaderboard.ts';
import type { OutsideRow } from '../decisions/outside-rows.ts';
import { bytesOf, table } from './markdown.ts';

/** Evaluated, or scored from outside. */
export type Candidate = LeaderboardRow | OutsideRow;

const heads = ['candidate', 'n', 'mean', '95 %', 'verdict'];

/** Null where nothing was scored, or not even one row has room. */
export function candidatesTable(rows: readonly Candidate[], roomBytes: number): string | null {
  const ofSeveral = new Set(rows.map(({ benchmark }) => benchmark)).size > 1;
  const cells = rows.map((row) => ('sources' in row ? cellsOfOutside(row) : cellsOf(row, ofSeveral)));
  for (let left = 0; left < cells.length; left += 1) {
    const before = left === 0 ? '' : `\n\n… and ${String(left)} before: \`temper leaderboard\``;
    const text = `${table(heads, cells.slice(left))}${before}`;
    if (bytesOf(text) <= roomBytes) return text;
  }
  return null;
}

function cellsOf(row: LeaderboardRow, ofSeveral: boolean): readonly string[] {
  const { phase, step, benchmark, problems, samples, lacking, byVote, timedOutShare, mean, low, high, verdict } = row;
  const of = lacking === undefined ? '' : ` of ${String(problems + lacking)}`;
  const late = timedOutShare === undefined ? '' : `, ${(timedOutShare * 100).toFixed(1)} % late`;
  return [
    `${phase} ${String(step)}${ofSeveral ? ` on ${benchmark}` : ''}`,
    `${String(problems)}${of}×${String(Math.round(samples / problems))}`,
    `${mean.toFixed(3)}${byVote === true ? ' by vote' : ''}${late}`,
    `${low.toFixed(3)}–${high.toFixed(3)}`,
    verdictWords[verdict],
  ];
}

/** The benchmark is named: scores of jobs beside it are of another one. */
function cellsOfOutside({ phase, step, benchmark, score, place, runtime }: OutsideRow): readonly string[] {
  const told = [
    ...(score === null ? [] : [score.mean.toFixed(3)]),
    ...(place === null ? [] : [`place ${String(place)}`]),
    ...(runtime === null ? [] : [typeof runtime === 'number' ? `${String(runtime)} min` : `limit ${runtime}`]),
  ];
  return [
    `${phase} ${String(step)} on ${benchmark}`,
    score === null ? '' : `${String(score.problems)}×${String(score.runs)}`,
    told.join(', '),
    score === null ? '' : `${score.low.toFixed(3)}–${score.high.toFixed(3)}`,
    'outside',
  ];
}
