/**
 * What a person did to a pipeline, in words: for its page, `temper explain` and the ledger.
 *
 * Does not cover releases (sentences.ts) or why a message is refused (steering.ts).
 */
import type { ExtendedBudgets } from './steering.ts';

/** Who, and why. */
export interface SteeredBy {
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

/** What was asked, as the ledger keeps it. */
export type SteeringRequest =
  | { readonly message: 'hold' | 'skipPhase' }
  | { readonly message: 'retryPhase'; readonly set: Readonly<Record<string, unknown>> }
  | { readonly message: 'promote'; readonly checkpoint: string }
  | { readonly message: 'extendBudget'; readonly budgets: ExtendedBudgets };

/** For example `ann asked to hold it: the node is needed`; without a full stop. */
export function sentenceOfSteering(request: SteeringRequest, { by = 'a person', reason }: SteeredBy): string {
  return `${by} ${deedOf(request)}${reason === undefined ? '' : `: ${reason}`}`;
}

/** Why an attempt starts where the phase starts; without a full stop. */
export function sentenceOfBeginningAnew(
  set: Readonly<Record<string, unknown>>,
  { by = 'a person', reason }: SteeredBy,
): string {
  return `${by} had it begin anew${changesText(set)}${reason === undefined ? '' : `: ${reason}`}`;
}

function deedOf(request: SteeringRequest): string {
  switch (request.message) {
    case 'hold':
      return 'asked to hold it';
    case 'skipPhase':
      return 'had it skipped';
    case 'retryPhase':
      return `had it begin anew from its start${changesText(request.set)}`;
    case 'promote':
      return `promoted ${request.checkpoint}`;
    case 'extendBudget':
      return `extended ${budgetsText(request.budgets)}`;
  }
}

/** For example ` with params.steps 100`; nothing where nothing changes. */
export function changesText(set: Readonly<Record<string, unknown>>): string {
  const changes = Object.entries(set).map(
    ([field, value]) => `${field} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return changes.length === 0 ? '' : ` with ${changes.join(', ')}`;
}

/** For example `budgets.attempts to 9`. */
export function budgetsText(budgets: ExtendedBudgets): string {
  return Object.entries(budgets)
    .map(([name, value]) => `budgets.${name} to ${String(value)}`)
    .join(', ');
}
