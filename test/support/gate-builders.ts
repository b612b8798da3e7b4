/** Builders of what a gate looks at: three candidates of a phase, a parent, and one benchmark of forty problems. */
import type { GateStage } from '../../configs/schema.ts';
import type { GateInput, GateVerdict } from '../../decisions/gate.ts';
import { checkpoint, type EvaluationBuilder } from './builders.ts';

export const notWorse: GateStage = { require: { notWorseThanParent: { benchmark: 'addition', margin: 0.02 } } };
export const atLeast = (score: number): GateStage => ({ require: { scoreAtLeast: { benchmark: 'addition', score } } });
export const rank = (...tie: ('tokens' | 'earlier')[]): GateStage => ({ rank: { by: 'addition', tie } });

export const c10 = checkpoint('c10', 10);
export const c20 = checkpoint('c20', 20);
export const c30 = checkpoint('c30', 30);
export const parent = checkpoint('parent', 50, { phase: 'base', parent: null });

/** Correct samples of 4 on each of 40 problems: `base` on each, one more on the first `more`. */
export const level = (base: number, more = 0): number[] =>
  Array.from({ length: 40 }, (_, index) => base + (index < more ? 1 : 0));
/** As good as `level(2)` on the mean, but with luck spread over problems. */
export const noisy = (shift = 0): number[] =>
  Array.from(
    { length: 40 },
    (_, index) => (index % 2 === 0 ? 4 : 0) + (index < shift ? (index % 2 === 0 ? -1 : 1) : 0),
  );

export function gateInput(
  change: Partial<Omit<GateInput, 'evaluations'>> & { readonly seen?: readonly EvaluationBuilder[] } = {},
): GateInput {
  const { seen = [], ...rest } = change;
  return {
    stages: [notWorse, rank('tokens', 'earlier')],
    evaluate: { benchmarks: ['addition'], seeds: 1, maxSeeds: 3 },
    candidates: [c10, c20],
    parent,
    versions: { addition: 1, other: 2 },
    evaluationBudgetLeft: 100,
    evaluations: seen.map((one) => one.build()),
    ...rest,
  };
}
export const keys = (verdict: GateVerdict): string[] =>
  verdict.kind === 'more-evaluations'
    ? verdict.missing.map((one) => `${one.checkpoint} ${one.benchmark}@${one.version} ${one.seed}`)
    : [];
