/** Each message against each state of its phase. */
import { phaseStates, type PhaseState } from '../../decisions/states.ts';
import { mayHold, type Steer, type SteeredPhase, type SteeredPhases } from '../../decisions/steering.ts';

const phaseIn = (state: PhaseState, more: Partial<SteeredPhase> = {}): SteeredPhase => ({
  name: 'sft',
  kind: 'sft',
  state,
  toBeHeld: false,
  ...more,
});
const base = phaseIn('completed', { name: 'base', kind: 'base' });
const phasesIn = (state: PhaseState, more: Partial<SteeredPhase> = {}): SteeredPhases => [base, phaseIn(state, more)];
const saidOf = (steer: Steer) =>
  steer.kind === 'may' ? steer.phase.name : steer.kind === 'refused' ? steer.why : steer;

const over = Object.fromEntries(
  phaseStates
    .filter((state) => !['waiting', 'running', 'evaluating', 'held'].includes(state))
    .map((state) => [state, `phase "sft" is over (${state})`]),
);

describe('hold', () => {
  const want: Readonly<Record<string, string>> = {
    ...over,
    waiting: 'sft',
    running: 'sft',
    evaluating: 'sft',
    held: 'phase "sft" is held already',
  };
  test.each(phaseStates)('of a phase that is %s', (state) => {
    expect(saidOf(mayHold(phasesIn(state), 'sft'))).toBe(want[state]);
  });

  test('without a name is of the phase that runs, else of the next', () => {
    expect(saidOf(mayHold(phasesIn('running'), undefined))).toBe('sft');
    expect(saidOf(mayHold(phasesIn('waiting'), undefined))).toBe('sft');
    expect(saidOf(mayHold([base], undefined))).toBe('every phase is over');
  });

  test('is refused twice, of an unknown phase, and before there are any', () => {
    expect(saidOf(mayHold(phasesIn('running', { toBeHeld: true }), 'sft'))).toBe('phase "sft" is to be held already');
    expect(saidOf(mayHold(phasesIn('running'), 'sfd'))).toEqual({
      kind: 'unknown-phase',
      named: 'sfd',
      names: ['base', 'sft'],
    });
    expect(saidOf(mayHold([], undefined))).toBe('the recipe is being read: try again in a moment');
  });
});
