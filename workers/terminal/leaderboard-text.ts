/** The leaderboard as a person reads it on a terminal. */
import { type LeaderboardRow, verdictWords } from '../../decisions/leaderboard.ts';
import { sourcesText } from '../../decisions/shown-scores.ts';
import type {
  LeaderboardAnswer,
  LedgerOutsideRow,
  LedgerRow,
  MissingEvaluation,
} from '../../workflows/contract-questions.ts';
import { type Column, columnsText } from './columns.ts';
import { printable } from './printable.ts';
import { withdrawnText } from './withdrawn-text.ts';

type Row = LeaderboardRow & Partial<LedgerRow>;

interface OptionalColumn extends Column<Row> {
  /** Left out where it says this of no row. */
  readonly saysSomething?: (row: Row) => boolean;
}

const columns: readonly OptionalColumn[] = [
  { head: 'pipeline', cell: (row) => row.pipeline ?? '', saysSomething: () => false },
  { head: 'phase', cell: (row) => row.phase },
  { head: 'step', align: 'right', cell: (row) => String(row.step) },
  { head: 'benchmark', cell: (row) => row.benchmark },
  { head: 'n', align: 'right', cell: sampledOf },
  {
    head: 'by',
    cell: (row) => (row.byVote === true ? 'vote' : 'sample'),
    saysSomething: (row) => row.byVote === true,
  },
  { head: 'mean', align: 'right', cell: (row) => row.mean.toFixed(3) },
  {
    head: 'SD',
    align: 'right',
    cell: (row) => row.sdOverSeeds?.toFixed(3) ?? '',
    spare: 6,
    saysSomething: (row) => row.sdOverSeeds !== null,
  },
  { head: '95 %', cell: (row) => `${row.low.toFixed(3)}–${row.high.toFixed(3)}` },
  {
    head: 'shrunken',
    align: 'right',
    cell: (row) => row.shrunken?.mean.toFixed(3) ?? '',
    saysSomething: (row) => row.shrunken !== undefined,
  },
  { head: 'gain in points', cell: gainOf, saysSomething: (row) => row.gain !== null },
  {
    head: 'maj@k',
    align: 'right',
    cell: (row) => row.majorityAtK?.toFixed(3) ?? '',
    spare: 5,
    saysSomething: (row) => typeof row.majorityAtK === 'number',
  },
  {
    head: 'pass@k',
    align: 'right',
    cell: (row) => row.passAtK.value.toFixed(3),
    spare: 3,
    saysSomething: (row) => row.passAtK.k > 1,
  },
  {
    head: 'tokens',
    align: 'right',
    cell: ({ tokensPerSample, tokensP95 }) => (tokensPerSample ? pair(tokensPerSample, tokensP95) : ''),
    spare: 2,
  },
  {
    head: 'cut',
    align: 'right',
    cell: (row) => `${(row.truncatedShare * 100).toFixed(1)} %`,
    spare: 4,
    saysSomething: (row) => row.truncatedShare > 0,
  },
  {
    head: 'late',
    align: 'right',
    cell: (row) => `${((row.timedOutShare ?? 0) * 100).toFixed(1)} %`,
    saysSomething: (row) => row.timedOutShare !== undefined,
  },
  {
    head: 'run, s',
    align: 'right',
    cell: (row) => (row.run && row.run.p95 > 0 ? pair(row.run.p50, row.run.p95) : ''),
    spare: 1,
  },
  { head: 'verdict', cell: (row) => verdictWords[row.verdict] },
];

const legend =
  'n: problems × samples (× seeds). gain: over the parent. tokens: of a sample, mean/p95. run: p50/p95. k: the samples.';

function legendOf(rows: readonly Row[]): string {
  return rows.some(({ shrunken }) => shrunken !== undefined)
    ? `${legend}\nshrunken: the mean less the luck of being picked.`
    : legend;
}

function sampledOf({ problems, samples, seeds, lacking }: Row): string {
  const of = lacking === undefined ? '' : ` of ${String(problems + lacking)}`;
  const each = Math.round(samples / problems / seeds);
  return `${String(problems)}${of}×${String(each)}${seeds > 1 ? `×${String(seeds)}` : ''}`;
}

/** `17.3/21.0`; without decimals where they say nothing. */
function pair(middle: number, high: number | null | undefined): string {
  const text = (value: number) => value.toFixed(value < 100 ? 1 : 0);
  return high === undefined || high === null ? text(middle) : `${text(middle)}/${text(high)}`;
}

function gainOf({ gain }: Row): string {
  if (gain === null) return '';
  const [value, low, high] = [gain.mean, gain.low, gain.high].map(
    (share) => `${share < 0 ? '' : '+'}${(100 * share).toFixed(1)}`,
  );
  return `${value ?? ''} [${low ?? ''}, ${high ?? ''}]`;
}

/** One line a candidate (`3 of 40`: the others are lacking), then why each verdict is what it is. */
export function leaderboardText(rows: readonly LeaderboardRow[]): string {
  return [tableOf(rows), '', legendOf(rows), ...reasonsOf(rows)].join('\n');
}

/** What the ledger has of one pipeline, of a sweep, or of all. */
export function leaderboardAnswerText(answer: LeaderboardAnswer): string {
  const { pipeline, sweep, rows, outside = [], missing } = answer;
  const isOfMany = pipeline === null || sweep !== undefined;
  if (rows.length === 0 && outside.length === 0 && missing.length === 0)
    return ['Nothing was evaluated yet.', ...besideRows(answer)].join('\n\n');
  const parts = rows.length === 0 ? [] : isOfMany ? benchmarkTables(rows) : [leaderboardText(rows)];
  return [...parts, ...outsideText(outside, isOfMany), ...besideRows(answer)].join('\n\n');
}

const outsideColumns: readonly Column<LedgerOutsideRow>[] = [
  { head: 'pipeline', cell: ({ pipeline }) => pipeline },
  { head: 'phase', cell: ({ phase }) => phase },
  { head: 'step', align: 'right', cell: ({ step }) => String(step) },
  { head: 'benchmark', cell: ({ benchmark, version }) => `${benchmark}@${String(version)}` },
  { head: 'n', align: 'right', cell: ({ score }) => (score === null ? '' : timesRuns(score)) },
  { head: 'mean', align: 'right', cell: ({ score }) => score?.mean.toFixed(3) ?? '' },
  { head: '95 %', cell: ({ score }) => (score ? `${score.low.toFixed(3)}–${score.high.toFixed(3)}` : '') },
  { head: 'place', align: 'right', cell: ({ place }) => place?.toString() ?? '' },
  {
    head: 'runtime',
    cell: ({ runtime }) => (typeof runtime === 'number' ? `${String(runtime)} min` : (runtime ?? '')),
  },
  { head: 'from', cell: sourcesText, spare: 1 },
];

const timesRuns = ({ problems, runs }: { readonly problems: number; readonly runs: number }): string =>
  `${String(problems)}${runs > 1 ? `×${String(runs)}` : ''}`;

/** A table of its own: nothing in it is paired with anything, and no job of Temper made it. */
function outsideText(rows: readonly LedgerOutsideRow[], ofAll: boolean): string[] {
  if (rows.length === 0) return [];
  const shown = outsideColumns.filter(
    ({ head, cell }) => (head !== 'pipeline' || ofAll) && rows.some((row) => cell(row) !== ''),
  );
  return [`Scores from outside (n: problems × runs):\n\n${columnsText(shown, rows)}`];
}

/** What the rows do not show: evaluations that are not there, what was left out, and that nothing more comes. */
export function besideRows(answer: LeaderboardAnswer): readonly string[] {
  const { ended } = answer;
  return [
    ...missingText(answer),
    ...withdrawnText(answer),
    ...omittedText(answer),
    ...(ended === undefined ? [] : [printable(ended)]),
  ];
}

/** A table for each benchmark and version: between two of them nothing can be compared. */
function benchmarkTables(rows: readonly LedgerRow[]): string[] {
  const tables = [...Map.groupBy(rows, nameOf)].map(
    ([name, own]) => `${printable(name)}, best first:\n\n${tableOf(own, true)}`,
  );
  return [...tables, `${legendOf(rows)}\nWhy a gate decided: temper explain <pipeline> <phase>`];
}

function nameOf({ benchmark, version }: Pick<Row, 'benchmark' | 'version'>): string {
  return `${benchmark}, version ${String(version)}`;
}

function tableOf(rows: readonly Row[], ofAll = false): string {
  const versions = Map.groupBy(rows, ({ benchmark }) => benchmark);
  const isMixed = [...versions.values()].some((own) => new Set(own.map(({ version }) => version)).size > 1);
  const shown = columns
    .filter(({ head, saysSomething }) => {
      if (head === 'pipeline') return ofAll;
      if (head === 'benchmark') return !ofAll;
      return saysSomething === undefined || rows.some(saysSomething);
    })
    .map((column) => (column.head === 'benchmark' && isMixed ? { ...column, cell: withVersion } : column));
  return columnsText(shown, rows);
}

const withVersion = ({ benchmark, version }: Row): string => `${benchmark}@${String(version)}`;

function reasonsOf(rows: readonly Row[]): readonly string[] {
  const reasons = rows
    .filter(({ why }) => why !== '')
    .map((row) => printable(`  ${row.phase} ${String(row.step)}: ${row.why}`));
  return reasons.length > 0 ? ['', 'Why:', ...reasons] : [];
}

/** An evaluation that failed is none. */
function missingText({ missing, missingOmitted }: LeaderboardAnswer): string[] {
  if (missing.length === 0) return [];
  const lines = missing.map((one) => {
    const why = one.because === '' ? '' : `: ${one.because}`;
    return printable(
      `  ${one.checkpoint} on ${nameOf(one)}, seed ${String(one.seed)}: evaluation job ${String(one.job)} ${jobWords(one)}${why}`,
    );
  });
  const more = missingOmitted > 0 ? [`  … and ${String(missingOmitted)} more`] : [];
  return [['Not evaluated:', ...lines, ...more].join('\n')];
}

function jobWords({ state }: MissingEvaluation): string {
  return state === 'completed' ? 'left no outcome' : `is ${state}`;
}

function omittedText({ omitted, outsideOmitted = 0, olderLeftOut, pipeline, sweep }: LeaderboardAnswer): string[] {
  const more = pipeline === null || sweep !== undefined ? ' (--most shows more)' : '';
  return [
    ...(omitted > 0 ? [`${String(omitted)} more are left out${more}.`] : []),
    ...(outsideOmitted > 0 ? [`${String(outsideOmitted)} more scores from outside are left out.`] : []),
    ...(olderLeftOut ? ['Only the newest 2,000 evaluations were looked at.'] : []),
  ];
}
