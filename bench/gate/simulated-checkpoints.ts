/**
 * Checkpoints of known accuracy: each has a chance on each problem, and evaluations of it are drawn.
 *
 * A problem is as hard for all as its difficulty says, and a little easier or harder for each by itself (a logistic model with an
 * interaction). The true accuracy of a checkpoint is that over all problems there could be: a benchmark is a draw of them.
 */
import type { Evaluation } from '../../decisions/evaluation.ts';
import { normalNumbers } from '../../decisions/normal.ts';
import { randomIntegers } from '../../decisions/random.ts';
import { jitter, type Shape } from './shapes.ts';

/** In logits. Half of the problems of such a benchmark are nearly always or nearly never solved. */
const spreadOfDifficulty = 2.5;
const spreadOfInteraction = 0.7;

export interface SimulatedCheckpoint {
  readonly id: string;
  readonly step: number;
  readonly accuracy: number;
  /** Chance of a right answer on each problem of the benchmark. */
  readonly chances: readonly number[];
}

export interface SimulatedSelection {
  readonly parent: SimulatedCheckpoint;
  readonly candidates: readonly SimulatedCheckpoint[];
  /** The same run for the same seed, whoever asks. */
  readonly evaluate: (checkpoint: SimulatedCheckpoint, seed: number) => Evaluation;
}

export function simulate(shape: Shape, draw: number): SimulatedSelection {
  const normal = normalNumbers(draw);
  const difficulties = Array.from({ length: shape.problems }, () => spreadOfDifficulty * normal());
  const make = (id: string, step: number, published: number): SimulatedCheckpoint => {
    const accuracy = Math.min(0.99, Math.max(0.01, published + jitter * normal()));
    const ability = abilityOf(accuracy);
    const chances = difficulties.map((difficulty) => logistic(ability - difficulty + spreadOfInteraction * normal()));
    return { id, step, accuracy, chances };
  };
  const parent = make('parent', 0, shape.parent);
  const candidates = shape.candidates.map((accuracy, index) => make(`c${String(index + 1)}`, index + 1, accuracy));
  return {
    parent,
    candidates,
    evaluate: (checkpoint, seed) => drawEvaluation(checkpoint, { seed, samples: shape.samples, draw }),
  };
}

function drawEvaluation(
  { id, step, chances }: SimulatedCheckpoint,
  { seed, samples, draw }: { readonly seed: number; readonly samples: number; readonly draw: number },
): Evaluation {
  const next = randomIntegers(draw * 7919 + step * 104729 + seed * 1299709);
  const problems = chances.map((chance, index) => {
    let correct = 0;
    for (let sample = 0; sample < samples; sample += 1) if (next() < chance * 2 ** 32) correct += 1;
    const rest = { tokens: samples, truncated: 0, seconds: samples, answers: [], correctAnswers: [] };
    return { problem: String(index), samples, correct, ...rest };
  });
  return { checkpoint: id, benchmark: 'benchmark', version: 1, seed, problems };
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** The ability whose accuracy over all problems this is, by halving. */
function abilityOf(accuracy: number): number {
  let low = -12;
  let high = 12;
  for (let round = 0; round < 30; round += 1) {
    const middle = (low + high) / 2;
    if (accuracyOf(middle) < accuracy) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Mean over the normal distribution of what problem and interaction add, on a grid. */
function accuracyOf(ability: number): number {
  const spread = Math.hypot(spreadOfDifficulty, spreadOfInteraction);
  let total = 0;
  let weights = 0;
  for (let z = -4; z <= 4; z += 0.1) {
    const weight = Math.exp((-z * z) / 2);
    total += weight * logistic(ability - spread * z);
    weights += weight;
  }
  return total / weights;
}
