/**
 * Candidates on a run's page: a short table of the leaderboard. Where room is short, what no gate has judged goes first, then the oldest.
 *
 * Does not cover the numbers it leaves out: the query `leaderboard` and `temper leaderboard` have all of them.
 */
import { type LeaderboardRow, verdictWords } from '../decisions/leaderboard.ts';
import type { OutsideRow } from '../decisions/outside-rows.ts';
import { bytesOf, table } from './markdown.ts';

/** Evaluated, or scored from outside. */
export type Candidate = LeaderboardRow | OutsideRow;

const heads = ['candidate', 'n', 'mean', '95 %', 'verdict'];

/** Null where nothing was scored, or not even one row has room. `leftOut`: rows that nobody brought here. */
export function candidatesTable(rows: readonly Candidate[], roomBytes: number, leftOut = 0): string | null {
  const ofSeveral = new Set(rows.map(({ benchmark }) => benchmark)).size > 1;
  const nameOf = (row: Candidate) => {
    const isOneOfTwo = rows.some((other) => other.benchmark === row.benchmark && other.version !== row.version);
    if (isOneOfTwo) return ` on ${row.benchmark}, version ${String(row.version)}`;
    // Scores of jobs beside one from outside are of another benchmark.
    return ofSeveral || 'sources' in row ? ` on ${row.benchmark}` : '';
  };
  const cells = rows.map((row) => {
    const name = `${row.phase} ${String(row.step)}${nameOf(row)}`;
    return [name, ...('sources' in row ? cellsOfOutside(row) : cellsOf(row))];
  });
  const [judged, others] = [true, false].map((wanted) =>
    rows.flatMap((row, at) => (isJudged(row) === wanted ? at : [])),
  );
  const firstToGo = [...(others ?? []), ...(judged ?? [])];
  for (let left = 0; left < cells.length; left += 1) {
    const gone = new Set(firstToGo.slice(0, left));
    const more = left + leftOut;
    const text = `${table(
      heads,
      cells.filter((_, at) => !gone.has(at)),
    )}${more === 0 ? '' : `\n\n… and ${String(more)} more: \`temper leaderboard\``}`;
    if (bytesOf(text) <= roomBytes) return text;
  }
  return null;
}

const isJudged = (row: Candidate): boolean => !('sources' in row) && row.verdict !== 'none';

function cellsOf(row: LeaderboardRow): readonly string[] {
  const { problems, samples, lacking, byVote, timedOutShare, mean, low, high, verdict } = row;
  const of = lacking === undefined ? '' : ` of ${String(problems + lacking)}`;
  const late = timedOutShare === undefined ? '' : `, ${(timedOutShare * 100).toFixed(1)} % late`;
  return [
    `${String(problems)}${of}×${String(Math.round(samples / problems))}`,
    `${mean.toFixed(3)}${byVote === true ? ' by vote' : ''}${late}`,
    `${low.toFixed(3)}–${high.toFixed(3)}`,
    verdictWords[verdict],
  ];
}

function cellsOfOutside({ score, place, runtime }: OutsideRow): readonly string[] {
  const told = [
    ...(score === null ? [] : [score.mean.toFixed(3)]),
    ...(place === null ? [] : [`place ${String(place)}`]),
    ...(runtime === null ? [] : [typeof runtime === 'number' ? `${String(runtime)} min` : `limit ${runtime}`]),
  ];
  return [
    score === null ? '' : `${String(score.problems)}×${String(score.runs)}`,
    told.join(', '),
    score === null ? '' : `${score.low.toFixed(3)}–${score.high.toFixed(3)}`,
    'outside',
  ];
}
