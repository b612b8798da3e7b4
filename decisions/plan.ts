/**
 * Would a phase run, or is there finished work of the same identity? Which finished work comes nearest, and what differs.
 *
 * Covers the answer as data and in words. Does not cover looking into the ledger or at the store (activities/plan.ts).
 */
import { differingFields, type IdentityDifference } from './identity.ts';
import { minuteOf } from './utc-minute.ts';

/** A phase that was finished before, in whichever run. */
export interface FinishedBefore {
  readonly pipeline: string;
  readonly phase: string;
  /** ISO 8601. */
  readonly at: string;
}

export type PhasePlan =
  | { readonly would: 'reuse'; readonly from: FinishedBefore; readonly checkpoint: string }
  | { readonly would: 'run'; readonly because: RunReason };

export type RunReason =
  | { readonly rule: 'nothing-finished' }
  /** The same work is finished, but its checkpoint is not what was sealed any more. */
  | { readonly rule: 'not-sealed'; readonly from: FinishedBefore; readonly path: string }
  /** The same work is finished, in a store that jobs of this profile do not see. */
  | { readonly rule: 'elsewhere'; readonly from: FinishedBefore; readonly path: string }
  /** The same work is finished, as its recipe said because nobody came: this one says otherwise. */
  | { readonly rule: 'undecided'; readonly from: FinishedBefore; readonly path: string }
  | { readonly rule: 'differs'; readonly from: FinishedBefore; readonly differences: readonly IdentityDifference[] }
  /** What it starts from would run, so that what it starts from is not known yet; beside that, this differs. */
  | { readonly rule: 'start-runs'; readonly start: string; readonly differences: readonly IdentityDifference[] };

/** The finished phase with the fewest differing fields, the newest of several; null when there is none. `finished` is newest first. */
export function nearestFinished<F extends { readonly identityText: string }>(
  identityText: string,
  finished: readonly F[],
): { readonly finished: F; readonly differences: readonly IdentityDifference[] } | null {
  const compared = finished.map((one) => ({
    finished: one,
    differences: differingFields(one.identityText, identityText),
  }));
  const [nearest] = compared.toSorted((a, b) => a.differences.length - b.differences.length);
  return nearest ?? null;
}

/** What would happen to the phase `name`, and why; `startsFrom` is the checkpoint of another pipeline that it names. */
export function sentenceOfPlan(name: string, plan: PhasePlan, startsFrom?: string): string {
  const what = whatWouldHappen(name, plan);
  return startsFrom === undefined ? what : `${what} Starts from ${startsFrom}.`;
}

function whatWouldHappen(name: string, plan: PhasePlan): string {
  if (plan.would === 'reuse')
    return `Reused from ${finishedText(plan.from)}: the same work, and ${plan.checkpoint} is still sealed.`;
  const { because } = plan;
  switch (because.rule) {
    case 'nothing-finished':
      return 'Runs: nothing of its kind was finished before.';
    case 'not-sealed':
      return `Runs: the same work was finished by ${finishedText(because.from)}, but its checkpoint is not what was sealed any more (${because.path}).`;
    case 'elsewhere':
      return `Runs: the same work was finished by ${finishedText(because.from)}, in a store that is not this profile’s (${because.path}).`;
    case 'undecided':
      return `Runs: the same work was finished by ${finishedText(because.from)}, but nobody decided its gate, and this recipe says otherwise what follows then (hold.then).`;
    case 'differs':
      return `Runs: ${changes(name, because.differences)}, compared with ${finishedText(because.from)}.`;
    case 'start-runs':
      return because.differences.length === 0
        ? `Runs: ${because.start} runs, and this phase starts from it.`
        : `Runs: ${because.start} runs, and this phase starts from it; also ${changes(name, because.differences)}.`;
  }
}

const mostChanges = 3;

function changes(phase: string, differences: readonly IdentityDifference[]): string {
  const said = differences.slice(0, mostChanges).map((difference) => change(phase, difference));
  const more = differences.length - said.length;
  return `${said.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

function change(phase: string, { path, before, after }: IdentityDifference): string {
  if (path === 'start') return `it starts from another checkpoint (${shown(after)} instead of ${shown(before)})`;
  return `${fieldOf(phase, path)} was ${shown(before)} and is now ${shown(after)}`;
}

/** A path of the identity as a field of the recipe. */
export function fieldOf(phase: string, path: string): string {
  const ofRecipe = ['seed', 'model', 'benchmarks', 'identity'].includes(path.split('.')[0] ?? '');
  return ofRecipe ? path : `phases.${phase}.${path}`;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'absent';
  if (typeof value === 'string' && /^[0-9a-f]{40,}$/.test(value)) return value.slice(0, 12);
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function finishedText({ pipeline, phase, at }: FinishedBefore): string {
  return `${pipeline} (phase ${phase}, ${minuteOf(at)} UTC)`;
}
