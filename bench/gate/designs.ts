/**
 * Ways to select a checkpoint: fixed numbers of runs of which the highest mean wins, and the gate of a recipe.
 *
 * Fixed designs look at the parent as at any candidate, and keep it when it is the highest: the harder rival.
 */
import { gateStage } from '../../configs/schema-fields.ts';
import type { CheckpointFact, Evaluation } from '../../decisions/evaluation.ts';
import { type GateVerdict, judgeGate } from '../../decisions/gate.ts';
import { mean } from '../../decisions/statistics.ts';
import type { SimulatedCheckpoint, SimulatedSelection } from './simulated-checkpoints.ts';

export interface Selection {
  /** Null: held for a person. */
  readonly chosen: SimulatedCheckpoint | null;
  readonly evaluations: number;
  /** What it says of the chosen one, as shares; after shrinkage the same where nothing is shrunken. */
  readonly said: { readonly score: number; readonly afterShrinkage: number } | null;
}

export type Design = (selection: SimulatedSelection) => Selection;

export function highestMeanOf(runs: number): Design {
  return ({ parent, candidates, evaluate }) => {
    const all = [parent, ...candidates];
    const meanOf = (one: SimulatedCheckpoint) =>
      mean(Array.from({ length: runs }, (_, index) => shareOf(evaluate(one, index + 1)))) ?? 0;
    const { one: chosen, score } = all
      .map((one) => ({ one, score: meanOf(one) }))
      .reduce((best, other) => (other.score > best.score ? other : best));
    return { chosen, evaluations: runs * all.length, said: { score, afterShrinkage: score } };
  };
}

/** The default gate: compare the candidates, then hold the highest against the parent. */
const stages = [
  gateStage.parse({ compare: { benchmark: 'benchmark' } }),
  gateStage.parse({ require: { notWorseThanParent: { benchmark: 'benchmark', margin: 0 } } }),
];

/** With a budget for each selection of so many runs of candidate and parent on the average, and so many seeds of one at most. */
export function gateWithin({ runs, maxSeeds }: { readonly runs: number; readonly maxSeeds: number }): Design {
  return ({ parent, candidates, evaluate }) => {
    const evaluations: Evaluation[] = [];
    const all = new Map([parent, ...candidates].map((one) => [one.id, one]));
    const budget = runs * all.size;
    for (;;) {
      const verdict = judgeGate({
        stages,
        evaluate: { benchmarks: ['benchmark'], seeds: 1, maxSeeds },
        candidates: candidates.map(factOf),
        parent: factOf(parent),
        evaluations,
        versions: { benchmark: 1 },
        evaluationBudgetLeft: budget - evaluations.length,
      });
      const spent = evaluations.length;
      switch (verdict.kind) {
        case 'promote':
          return { chosen: all.get(verdict.checkpoint.id) ?? null, evaluations: spent, said: saidBy(verdict) };
        case 'reject':
          return { chosen: parent, evaluations: spent, said: null };
        case 'hold':
          return { chosen: null, evaluations: spent, said: null };
        case 'more-evaluations':
          for (const { checkpoint, seed } of verdict.missing) {
            const asked = all.get(checkpoint);
            if (asked !== undefined) evaluations.push(evaluate(asked, seed));
          }
      }
    }
  };
}

function saidBy({ checkpoint, score, shrunken }: Extract<GateVerdict, { kind: 'promote' }>): Selection['said'] {
  if (score === null) return null;
  return { score, afterShrinkage: shrunken?.scores.find(({ id }) => id === checkpoint.id)?.mean ?? score };
}

function factOf({ id, step }: SimulatedCheckpoint): CheckpointFact {
  return { id, step, phase: 'sft', parent: id === 'parent' ? null : 'parent' };
}

function shareOf({ problems }: Evaluation): number {
  return mean(problems.map(({ correct, samples }) => correct / samples)) ?? 0;
}
