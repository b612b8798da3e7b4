/**
 * Whether a pipeline may still make evaluations: `budgets.evaluations` counts those of all its phases together.
 *
 * Covers what is asked for beside the training. Does not cover what the gate asks for (gate.ts).
 */

export interface EvaluationSpending {
  readonly budget: number;
  /** In the ledger, of the whole pipeline. */
  readonly made: number;
  /** Asked for by jobs that have not ended. */
  readonly onTheirWay: number;
  readonly wanted: number;
}

export type EvaluationBudget = { readonly kind: 'room' } | { readonly kind: 'spent'; readonly sentence: string };

export function evaluationBudget({ budget, made, onTheirWay, wanted }: EvaluationSpending): EvaluationBudget {
  if (made + onTheirWay + wanted <= budget) return { kind: 'room' };
  const coming = onTheirWay === 0 ? '' : ` and ${String(onTheirWay)} are being made`;
  const sentence = `The evaluation budget is spent: ${String(made)} of ${String(budget)} (budgets.evaluations, all phases together) are made${coming}, and ${String(wanted)} more ${wanted === 1 ? 'was' : 'were'} asked for`;
  return { kind: 'spent', sentence };
}
