/** The counts as a table, and what they must reach. */
import { columns } from '../support/table.ts';
import type { Counts } from './count.ts';

export interface Bar {
  readonly what: string;
  readonly measured: string;
  readonly bar: string;
  readonly met: boolean;
}

/** Shares over all draws of a design. */
interface Shares {
  readonly nearBest: number;
  readonly regressions: number;
  readonly held: number;
  readonly ofFixed: number;
  /** Of the score of the chosen one over its true one, on the average. */
  readonly above: number;
  readonly aboveAfterShrinkage: number;
}

export function barsOf(counts: readonly Counts[], majorityMilliseconds: number): readonly Bar[] {
  const gate = sharesOf(counts, 'gate');
  const single = sharesOf(counts, 'highest single run');
  const three = sharesOf(counts, 'highest mean of 3 runs');
  const fixed = sharesOf(counts, '8 runs of everything');
  const fewest = Math.min(single.regressions, three.regressions);
  const [nearBar, heldBar] = [fixed.nearBest - 0.02, 0.2];
  return [
    {
      what: 'promotes a regression',
      measured: percent(gate.regressions),
      bar: `< ${percent(fewest)}, the lesser of one run and three`,
      met: gate.regressions < fewest,
    },
    {
      what: 'evaluations, of 8 runs of everything',
      measured: percent(gate.ofFixed),
      bar: '≤ 50 %',
      met: gate.ofFixed <= 0.5,
    },
    {
      what: 'the best, or within a point of it',
      measured: percent(gate.nearBest),
      bar: `≥ ${percent(nearBar)}, 2 points below 8 runs of everything`,
      met: gate.nearBest >= nearBar,
    },
    { what: 'holds', measured: percent(gate.held), bar: '≤ 20 %', met: gate.held <= heldBar },
    {
      what: 'maj@8 of 285 problems × 16 samples',
      measured: `${majorityMilliseconds.toFixed(0)} ms of processor`,
      bar: '< 100 ms',
      met: majorityMilliseconds < 100,
    },
  ];
}

export function gateTable(report: {
  readonly draws: number;
  readonly counts: readonly Counts[];
  readonly bars: readonly Bar[];
}): string {
  const { draws, counts, bars } = report;
  const head = [
    'shape',
    'design',
    'draws',
    'best or within a point',
    'regressions',
    'held',
    'evaluations a draw',
    'score − truth',
    'after shrinkage',
  ];
  const designs = [...new Set(counts.map(({ design }) => design))];
  const rows = counts.map((row) => [
    row.shape,
    row.design,
    String(row.draws),
    percent(row.nearBest / row.draws),
    percent(row.regressions / row.draws),
    percent(row.held / row.draws),
    (row.evaluations / row.draws).toFixed(1),
    points(row.above / row.scored),
    points(row.aboveAfterShrinkage / row.scored),
  ]);
  const all = designs.map((design) => {
    const { nearBest, regressions, held, ofFixed, above, aboveAfterShrinkage } = sharesOf(counts, design);
    const shares = [nearBest, regressions, held].map(percent);
    const luck = [above, aboveAfterShrinkage].map(points);
    return ['all', design, String(draws), ...shares, `${percent(ofFixed)} of 8 runs`, ...luck];
  });
  rows.sort((a, b) => shapeOrder(counts, a[0]) - shapeOrder(counts, b[0]));
  const verdicts = bars.map(({ what, measured, bar, met }) => [what, measured, bar, met ? 'met' : 'not met']);
  return `${columns([head, ...rows, ...all])}\n\n${columns([['what', 'measured', 'bar', ''], ...verdicts])}`;
}

function sharesOf(counts: readonly Counts[], design: string): Shares {
  const own = counts.filter((row) => row.design === design);
  const sum = (number: (row: Counts) => number) => own.reduce((total, row) => total + number(row), 0);
  const draws = sum((row) => row.draws);
  return {
    nearBest: sum((row) => row.nearBest) / draws,
    regressions: sum((row) => row.regressions) / draws,
    held: sum((row) => row.held) / draws,
    ofFixed: sum((row) => row.evaluations) / sum((row) => row.ofFixed),
    above: sum((row) => row.above) / sum((row) => row.scored),
    aboveAfterShrinkage: sum((row) => row.aboveAfterShrinkage) / sum((row) => row.scored),
  };
}

function shapeOrder(counts: readonly Counts[], shape: string | undefined): number {
  return counts.findIndex((row) => row.shape === shape);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function points(share: number): string {
  return (100 * share).toFixed(1);
}
