/**
 * Whether what a person asks of a pipeline can be done in the state that its phase is in, and of which phase it is asked.
 *
 * Does not cover the shape of a message (configs/schema-input-steering.ts) or doing it (workflows/steering/).
 */
import type { Budgets } from '../configs/schema.ts';
import type { PhaseState } from './states.ts';

/** A phase as its pipeline knows it. */
export interface SteeredPhase {
  readonly name: string;
  readonly kind: string;
  readonly state: PhaseState;
  /** It is to be held as soon as it can be. */
  readonly toBeHeld: boolean;
  /** It is to be skipped, or was told what follows its hold. */
  readonly isSettled: boolean;
}

/** In the order of the recipe. */
export type SteeredPhases = readonly SteeredPhase[];

/** What may be done, and of which phase; or why not, in words. */
export type Steer<Found = { readonly phase: SteeredPhase }> =
  | ({ readonly kind: 'may' } & Found)
  | Refused
  /** A name that no phase has, and those that there are. */
  | { readonly kind: 'unknown-phase'; readonly named: string; readonly names: readonly string[] };

export interface Refused {
  readonly kind: 'refused';
  readonly why: string;
}

/** Where a phase stands, for a person's message. */
export type Standing = 'waiting' | 'at-work' | 'held' | 'over';

export function standingOf(state: PhaseState): Standing {
  switch (state) {
    case 'waiting':
    case 'held':
      return state;
    case 'running':
    case 'evaluating':
      return 'at-work';
    case 'completed':
    case 'reused':
    case 'skipped':
    case 'rejected':
    case 'failed':
    case 'cancelled':
      return 'over';
  }
}

/** A phase that runs, or is to begin; without a name, the one that runs, else the next. */
export function mayHold(phases: SteeredPhases, named: string | undefined): Steer {
  const phase = named === undefined ? currentOf(phases) : phases.find(({ name }) => name === named);
  if (phase === undefined) return named === undefined ? refused(nothingLeft(phases)) : unknownPhase(phases, named);
  const standing = standingOf(phase.state);
  if (standing === 'held') return refused(`phase "${phase.name}" is held already`);
  if (standing === 'over') return refused(overText(phase));
  if (phase.toBeHeld) return refused(`phase "${phase.name}" is to be held already`);
  if (phase.isSettled) return refused(settledText(phase));
  return { kind: 'may', phase };
}

/** A phase that has not begun, or is held; without a name, the one that is held. A base makes the start of all others. */
export function maySkip(phases: SteeredPhases, named: string | undefined): Steer {
  const phase = named === undefined ? heldOf(phases) : phases.find(({ name }) => name === named);
  if (phase === undefined) return named === undefined ? refused(nothingToSkip(phases)) : unknownPhase(phases, named);
  const standing = standingOf(phase.state);
  if (standing === 'over') return refused(overText(phase));
  if (standing === 'at-work') return refused(`phase "${phase.name}" runs: hold it first`);
  if (phase.kind === 'base')
    return refused(`phase "${phase.name}" makes the start: without it there is nothing to go on from`);
  if (phase.isSettled) return refused(settledText(phase));
  return { kind: 'may', phase };
}

/** What ends a hold otherwise than a release (begin anew, promote): of a phase that is held; without a name, the one that is. */
export function mayEndHold(phases: SteeredPhases, named: string | undefined): Steer {
  const phase = named === undefined ? heldOf(phases) : phases.find(({ name }) => name === named);
  if (phase === undefined) return named === undefined ? refused(nothingHeld) : unknownPhase(phases, named);
  const standing = standingOf(phase.state);
  if (standing === 'over') return refused(`${overText(phase)}: what follows may have begun from its checkpoint`);
  if (standing === 'waiting') return refused(`phase "${phase.name}" has not begun`);
  if (standing === 'at-work') return refused(`phase "${phase.name}" runs: hold it first`);
  if (phase.isSettled) return refused(settledText(phase));
  return { kind: 'may', phase };
}

/** What people may raise while a pipeline runs. */
export type ExtendedBudgets = Partial<Record<'attempts' | 'gpuHours' | 'evaluations', number | undefined>>;

/** Of the phase that runs or is next; each budget that is named becomes larger. */
export function mayExtend(
  phases: SteeredPhases,
  { now, wanted }: { readonly now: Budgets | null; readonly wanted: ExtendedBudgets },
): Steer {
  const phase = currentOf(phases);
  if (phase === undefined || now === null) return refused(nothingLeft(phases));
  const names = (['attempts', 'gpuHours', 'evaluations'] as const).filter((name) => wanted[name] !== undefined);
  if (names.length === 0) return refused('no budget is named: attempts, gpuHours or evaluations');
  for (const name of names) {
    const has = now[name];
    if (has === undefined) return refused(`budgets.${name} has no limit`);
    const asked = wanted[name] ?? 0;
    if (asked === has) return refused(`budgets.${name} is ${String(has)} already`);
    if (asked < has)
      return refused(
        `budgets.${name} is ${String(has)}, and is only made larger: hold the phase, and it spends no more`,
      );
  }
  return { kind: 'may', phase };
}

function heldOf(phases: SteeredPhases): SteeredPhase | undefined {
  return phases.find(({ state, isSettled }) => state === 'held' && !isSettled);
}

const nothingHeld = 'no phase is held now';

/** One that has not begun is skipped by its name alone, so that nobody skips what they did not mean. */
function nothingToSkip(phases: SteeredPhases): string {
  const [next] = phases.filter(({ state, kind, isSettled }) => state === 'waiting' && kind !== 'base' && !isSettled);
  return next === undefined
    ? nothingHeld
    : `${nothingHeld}; one that has not begun, such as "${next.name}", is skipped by its name`;
}

function settledText({ name, state }: SteeredPhase): string {
  return state === 'held' ? `phase "${name}" goes on already` : `phase "${name}" is to be skipped already`;
}

function currentOf(phases: SteeredPhases): SteeredPhase | undefined {
  return phases.find(({ state }) => standingOf(state) !== 'over');
}

function nothingLeft(phases: SteeredPhases): string {
  return phases.length === 0 ? beingRead : 'every phase is over';
}

const beingRead = 'the recipe is being read: try again in a moment';

function overText({ name, state }: SteeredPhase): string {
  return `phase "${name}" is over (${state})`;
}

function unknownPhase(phases: SteeredPhases, named: string): Steer<never> {
  if (phases.length === 0) return refused(beingRead);
  return { kind: 'unknown-phase', named, names: phases.map(({ name }) => name) };
}

function refused(why: string): Refused {
  return { kind: 'refused', why };
}
