/**
 * `npm run bench -- gate [--draws 1000] [--json]`: how often a gate selects well, on simulated checkpoints whose accuracy is known.
 *
 * The default gate against the highest single run, the highest mean of three, and eight runs of everything, on the sizes and scores of
 * published selections (gate/shapes.ts); and how long maj@8 of 285 problems × 16 samples takes. The draws are seeded: the same numbers
 * every time. Ends with a table; exits with 1 when a bar is missed. Does not cover real checkpoints.
 */
import { parseArgs } from 'node:util';
import { count, type Counts } from './gate/count.ts';
import { gateWithin, highestMeanOf } from './gate/designs.ts';
import { majorityMilliseconds } from './gate/majority-time.ts';
import { shapes } from './gate/shapes.ts';
import { barsOf, gateTable } from './gate/table.ts';

const { values } = parseArgs({
  options: { draws: { type: 'string', default: '1000' }, json: { type: 'boolean', default: false } },
});
const draws = Number(values.draws);
if (!Number.isInteger(draws) || draws < shapes.length) {
  console.error(
    `--draws is "${values.draws}", and must be a whole number of at least ${shapes.length}, one for each shape`,
  );
  process.exit(64);
}

/** Half of eight runs on the average: what an easy selection leaves is there for a hard one. */
const designs = {
  'highest single run': highestMeanOf(1),
  'highest mean of 3 runs': highestMeanOf(3),
  '8 runs of everything': highestMeanOf(8),
  gate: gateWithin({ runs: 6, maxSeeds: 12 }),
};
const counts: Counts[] = Object.entries(designs).flatMap(([name, design]) => count({ name, design, draws }));
const milliseconds = majorityMilliseconds();
const bars = barsOf(counts, milliseconds);
console.log(values.json ? JSON.stringify({ draws, counts, milliseconds, bars }) : gateTable({ draws, counts, bars }));
process.exitCode = bars.every(({ met }) => met) ? 0 : 1;
