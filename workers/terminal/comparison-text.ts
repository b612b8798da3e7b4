/** Two checkpoints side by side, as a person reads them on a terminal. */
import type { Comparison, MovedProblem, Side, TypeComparison } from '../../decisions/comparison.ts';
import type { OutsideComparison, OutsideMean } from '../../decisions/outside-rows.ts';
import type { Estimate } from '../../decisions/statistics.ts';
import { count, percent, points } from '../../decisions/stage-sentences.ts';
import type { ComparisonAnswer } from '../../workflows/contract-questions.ts';
import { coloured } from './colour.ts';
import { type Column, columnsText } from './columns.ts';
import { printable } from './printable.ts';
import { withdrawnText } from './withdrawn-text.ts';

export function comparisonText({
  first,
  second,
  relation,
  comparisons,
  outside = [],
  omitted,
  outsideOmitted = 0,
  incomparable = [],
  ...gone
}: ComparisonAnswer): string {
  const made = relation === undefined ? [] : [printable(relation)];
  const head = [`first:  ${printable(first)}`, `second: ${printable(second)}`, ...made].join('\n');
  const left = omitted + outsideOmitted;
  const more = [
    ...(incomparable.length > 0
      ? [`On ${incomparable.map(printable).join(', ')} they have no problem in common.`]
      : []),
    ...(left > 0 ? [`${count(left, 'more benchmark')} left out: --benchmark <name> shows one.`] : []),
  ];
  return [head, ...comparisons.map(oneText), ...outside.map(outsideText), ...withdrawnText(gone), ...more].join('\n\n');
}

function oneText(comparison: Comparison): string {
  const { benchmark, version, first, second, difference, tokens, seconds } = comparison;
  return [
    coloured('head', printable(`${benchmark}, version ${String(version)}`)),
    ...problemLines(comparison),
    '',
    `  ${'first'.padEnd(7)} ${sideText(first)}`,
    `  ${'second'.padEnd(7)} ${sideText(second)}`,
    '',
    `  difference  ${points(difference.mean)} points (${points(difference.low)} to ${points(difference.high)}): ${verdictOf(comparison)}`,
    ...(tokens ? [`  tokens      ${signed(tokens, 1)} a sample${shareOf(tokens.mean, first.tokensPerSample)}`] : []),
    ...(seconds ? [`  time        ${timeText(seconds)} a sample${shareOf(seconds.mean, first.secondsPerSample)}`] : []),
    ...transitionLines(comparison),
    ...typeLines(comparison),
    ...movedLines(comparison),
  ].join('\n');
}

/** Which problems were right is not known: nothing tells what moved. Its interval is mostly wider than one over the same problems. */
function outsideText({ benchmark, version, first, second, difference }: OutsideComparison): string {
  const { mean, low, high } = difference;
  const side = (one: OutsideMean) =>
    `${percent(one.mean).padStart(7)}  ${count(one.runs, 'run')} over ${count(one.problems, 'problem')} (${percent(one.low)} to ${percent(one.high)})`;
  return [
    coloured('head', printable(`${benchmark}, version ${String(version)}, from outside`)),
    '  not paired: scores from outside have no outcome per problem',
    '',
    `  ${'first'.padEnd(7)} ${side(first)}`,
    `  ${'second'.padEnd(7)} ${side(second)}`,
    '',
    `  difference  ${points(mean)} points (${points(low)} to ${points(high)}): ${sideOf(difference)}`,
  ].join('\n');
}

function problemLines({ problems, onlyFirst, onlySecond }: Comparison): string[] {
  const others = [
    ...(onlyFirst > 0 ? [`${String(onlyFirst)} that only the first has`] : []),
    ...(onlySecond > 0 ? [`${String(onlySecond)} that only the second has`] : []),
  ];
  const left = others.length === 0 ? '' : `; without ${others.join(' and ')}`;
  return [`  over the ${count(problems, 'problem')} that both have${left}`];
}

function sideText({
  mean,
  samples,
  seeds,
  tokensPerSample,
  truncatedShare,
  timedOutShare,
  secondsPerSample,
}: Side): string {
  const time = inMilliseconds(secondsPerSample)
    ? `${(secondsPerSample * 1000).toFixed(1)} ms`
    : `${secondsPerSample.toFixed(1)} s`;
  const cut = truncatedShare > 0 ? `, ${percent(truncatedShare)} cut` : '';
  const late = timedOutShare === undefined ? '' : `, ${percent(timedOutShare)} not done in time`;
  // Another harness may not have told them.
  const costs = [
    ...(tokensPerSample > 0 ? [`${tokensPerSample.toFixed(1)} tokens`] : []),
    ...(secondsPerSample > 0 ? [time] : []),
  ];
  const each = costs.length === 0 ? '' : `, ${costs.join(' and ')} each`;
  return `${percent(mean).padStart(7)}  ${count(samples, 'sample')} over ${count(seeds, 'seed')}${each}${cut}${late}`;
}

/** The interval decides, as in a gate; the chance and the test say how near it was. */
function verdictOf({ difference: { low, high, n }, chanceOfHigher, mcnemar }: Comparison): string {
  if (n < 2) return 'one problem says nothing';
  const words = sideOf({ low, high });
  const chance = chanceOfHigher === null ? '' : `; it is higher in ${percent(chanceOfHigher)} of draws`;
  const test = mcnemar === null ? '' : `; McNemar p = ${mcnemar.toPrecision(2)}`;
  return `${words}${chance}${test}`;
}

function sideOf({ low, high }: Pick<Estimate, 'low' | 'high'>): string {
  return low > 0 ? 'the second is higher' : high < 0 ? 'the second is lower' : 'inside the noise';
}

function signed({ mean, low, high }: Estimate, digits: number): string {
  const text = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
  return `${text(mean)} (${text(low)} to ${text(high)})`;
}

/** Seconds below a tenth are told in milliseconds. */
const inMilliseconds = (seconds: number): boolean => Math.abs(seconds) < 0.1;

function timeText({ mean, low, high, n }: Estimate): string {
  const isSmall = [mean, low, high].every(inMilliseconds);
  const scale = isSmall ? 1000 : 1;
  return `${signed({ mean: mean * scale, low: low * scale, high: high * scale, n }, isSmall ? 2 : 1)} ${isSmall ? 'ms' : 's'}`;
}

function shareOf(difference: number, before: number): string {
  if (before === 0) return '';
  const share = (100 * difference) / before;
  return `, ${share < 0 ? '−' : '+'}${Math.abs(share).toFixed(0)} %`;
}

const severalSamples = (isSingle: boolean): string =>
  isSingle ? '' : ' (several samples: counted by the share of pairs of one sample of each)';

function transitionLines({ transitions, problems, first, second, byVote, byLuck }: Comparison): string[] {
  const isSingle = first.samples === problems && second.samples === problems;
  const counted = byVote === true ? ' (by their votes)' : severalSamples(isSingle);
  const text = (value: number) => value.toFixed(isSingle ? 0 : 1).padStart(7);
  const { rightRight, rightWrong, wrongRight, wrongWrong } = transitions;
  return [
    '',
    `  problems, first → second${counted}`,
    `    right → right ${text(rightRight)}    right → wrong ${text(rightWrong)}`,
    `    wrong → right ${text(wrongRight)}    wrong → wrong ${text(wrongWrong)}`,
    ...(byLuck === undefined || byLuck === 0
      ? []
      : [
          `    by luck alone, from one sample of the first to another: ${text(byLuck).trim()} right → wrong, as many back`,
        ]),
  ];
}

const typeColumns: readonly Column<TypeComparison>[] = [
  { head: 'type', cell: ({ type }) => type ?? '(none)' },
  { head: 'problems', align: 'right', cell: ({ problems }) => String(problems) },
  { head: 'first', align: 'right', cell: ({ first }) => percent(first) },
  { head: 'second', align: 'right', cell: ({ second }) => percent(second) },
  {
    head: 'difference in points',
    cell: ({ difference: { mean, low, high } }) => `${points(mean)} (${points(low)} to ${points(high)})`,
  },
];

function typeLines({ types, typesOmitted }: Comparison): string[] {
  if (types.length === 0) return [];
  const more = typesOmitted > 0 ? [`    … and ${String(typesOmitted)} more types`] : [];
  return ['', indented(columnsText(typeColumns, types)), ...more];
}

const movedColumns: readonly Column<MovedProblem>[] = [
  { head: 'problem', cell: ({ problem }) => problem },
  { head: 'type', cell: ({ type }) => type ?? '' },
  { head: 'first', align: 'right', cell: ({ first }) => rightOf(first) },
  { head: 'second', align: 'right', cell: ({ second }) => rightOf(second) },
];

const rightOf = ({ correct, samples }: MovedProblem['first']): string => `${String(correct)} of ${String(samples)}`;

function movedLines({ moved, movedOmitted }: Comparison): string[] {
  if (moved.length === 0) return ['', '  No problem moved by half of its samples or more.'];
  const columns = movedColumns.filter(({ head }) => head !== 'type' || moved.some(({ type }) => type !== undefined));
  const more = movedOmitted > 0 ? [`  … and ${String(movedOmitted)} more`] : [];
  return [
    '',
    '  moved by half of their samples or more, right samples:',
    indented(columnsText(columns, moved)),
    ...more,
  ];
}

const indented = (text: string): string => text.replace(/^/gm, '    ');
