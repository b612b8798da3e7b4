/** What a design does on each shape, over seeded draws: all designs see the same draws, and the same runs of them. */
import type { Design } from './designs.ts';
import { type Shape, shapes } from './shapes.ts';
import { mean } from '../../decisions/statistics.ts';
import { type SimulatedCheckpoint, simulate } from './simulated-checkpoints.ts';

export interface Counts {
  readonly design: string;
  readonly shape: string;
  readonly draws: number;
  /** Went on from the best, or from one within a point of it; the parent is one of them. */
  readonly nearBest: number;
  /** Promoted a candidate that is worse than its parent. */
  readonly regressions: number;
  readonly held: number;
  /** Evaluations, and what eight runs of everything take. */
  readonly evaluations: number;
  readonly ofFixed: number;
  /** Selections that say a score of the chosen one, and by how much that is above its true one on such problems, summed; also after shrinkage. */
  readonly scored: number;
  readonly above: number;
  readonly aboveAfterShrinkage: number;
}

const withinAPoint = 0.01;

/** One row for each shape; the draws are shared out among them. */
export function count({ name, design, draws }: { name: string; design: Design; draws: number }): Counts[] {
  return shapes.map((shape, index) => {
    const own = Math.floor(draws / shapes.length) + (index < draws % shapes.length ? 1 : 0);
    return countShape(shape, { name, design, draws: own });
  });
}

function countShape(shape: Shape, { name, design, draws }: { name: string; design: Design; draws: number }): Counts {
  const total = { nearBest: 0, regressions: 0, held: 0, evaluations: 0, scored: 0, above: 0, aboveAfterShrinkage: 0 };
  for (let draw = 1; draw <= draws; draw += 1) {
    const selection = simulate(shape, draw);
    const { parent, candidates } = selection;
    const { chosen, evaluations, said } = design(selection);
    const best = Math.max(parent.accuracy, ...candidates.map(({ accuracy }) => accuracy));
    total.evaluations += evaluations;
    if (chosen === null) total.held += 1;
    else if (chosen.accuracy >= best - withinAPoint) total.nearBest += 1;
    if (chosen !== null && chosen.accuracy < parent.accuracy) total.regressions += 1;
    if (chosen === null || said === null) continue;
    const truth = chosen.accuracy + luckOfProblems(candidates);
    total.scored += 1;
    total.above += said.score - truth;
    total.aboveAfterShrinkage += said.afterShrinkage - truth;
  }
  return { design: name, shape: shape.name, draws, ...total, ofFixed: 8 * draws * (shape.candidates.length + 1) };
}

/** How much easier these problems are than others, for all: it lifts nobody over another, and would hide what does. */
function luckOfProblems(candidates: readonly SimulatedCheckpoint[]): number {
  return mean(candidates.map(({ accuracy, chances }) => (mean(chances) ?? accuracy) - accuracy)) ?? 0;
}
