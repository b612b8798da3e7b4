/**
 * Whether what a person asks of a pipeline can be done in the state that its phase is in, and of which phase it is asked.
 *
 * Does not cover the shape of a message (configs/schema-input-steering.ts) or doing it (workflows/steering/).
 */
import type { PhaseState } from './states.ts';

/** A phase as its pipeline knows it. */
export interface SteeredPhase {
  readonly name: string;
  readonly kind: string;
  readonly state: PhaseState;
  /** It is to be held as soon as it can be. */
  readonly toBeHeld: boolean;
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
  return { kind: 'may', phase };
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
