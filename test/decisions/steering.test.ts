/** Each message against each state of its phase. */
import { phaseStates, type PhaseState } from '../../decisions/states.ts';
import {
  mayExtend,
  mayHold,
  mayEndHold,
  maySkip,
  type Steer,
  type SteeredPhase,
  type SteeredPhases,
} from '../../decisions/steering.ts';

const phaseIn = (state: PhaseState, more: Partial<SteeredPhase> = {}): SteeredPhase => ({
  name: 'sft',
  kind: 'sft',
  state,
  toBeHeld: false,
  isSettled: false,
  ...more,
});
const base = phaseIn('completed', { name: 'base', kind: 'base' });
const phasesIn = (state: PhaseState, more: Partial<SteeredPhase> = {}): SteeredPhases => [base, phaseIn(state, more)];
const saidOf = (steer: Steer) =>
  steer.kind === 'may' ? steer.phase.name : steer.kind === 'refused' ? steer.why : steer;

const over: Readonly<Record<string, string>> = Object.fromEntries(
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

describe('skipPhase', () => {
  const want: Readonly<Record<string, string>> = {
    ...over,
    waiting: 'sft',
    running: 'phase "sft" runs: hold it first',
    evaluating: 'phase "sft" runs: hold it first',
    held: 'sft',
  };
  test.each(phaseStates)('of a phase that is %s', (state) => {
    expect(saidOf(maySkip(phasesIn(state), 'sft'))).toBe(want[state]);
  });

  test('is refused of a base, twice, and without a name where nothing is held', () => {
    expect(saidOf(maySkip([phaseIn('held', { name: 'base', kind: 'base' })], 'base'))).toMatch(/^phase "base" makes/);
    expect(saidOf(maySkip(phasesIn('waiting', { isSettled: true }), 'sft'))).toBe(
      'phase "sft" is to be skipped already',
    );
    expect(saidOf(maySkip(phasesIn('waiting'), undefined))).toBe(
      'no phase is held now; one that has not begun, such as "sft", is skipped by its name',
    );
  });
});

describe('retryPhase and promote', () => {
  const final = Object.fromEntries(
    Object.entries(over).map(([state, why]) => [state, `${why}: what follows may have begun from its checkpoint`]),
  );
  const want: Readonly<Record<string, string>> = {
    ...final,
    waiting: 'phase "sft" has not begun',
    running: 'phase "sft" runs: hold it first',
    evaluating: 'phase "sft" runs: hold it first',
    held: 'sft',
  };
  test.each(phaseStates)('of a phase that is %s', (state) => {
    expect(saidOf(mayEndHold(phasesIn(state), 'sft'))).toBe(want[state]);
  });

  test('without a name is of the phase that is held, once', () => {
    expect(saidOf(mayEndHold(phasesIn('held'), undefined))).toBe('sft');
    expect(saidOf(mayEndHold(phasesIn('held', { isSettled: true }), undefined))).toBe('no phase is held now');
    expect(saidOf(mayEndHold(phasesIn('held', { isSettled: true }), 'sft'))).toBe('phase "sft" goes on already');
  });
});

describe('extendBudget', () => {
  const now = { attempts: 5, evaluations: 100, waitMinutes: 60 };
  const extend = (state: PhaseState, wanted: object) => saidOf(mayExtend(phasesIn(state), { now, wanted }));

  test.each(phaseStates)('while a phase is %s', (state) => {
    expect(extend(state, { attempts: 6 })).toBe(state in over ? 'every phase is over' : 'sft');
  });

  test('is refused where it extends nothing', () => {
    expect(extend('running', {})).toBe('no budget is named: attempts, gpuHours or evaluations');
    expect(extend('running', { attempts: 5 })).toBe('budgets.attempts is 5 already');
    expect(extend('running', { attempts: 4 })).toBe(
      'budgets.attempts is 5, and is only made larger: hold the phase, and it spends no more',
    );
    expect(extend('running', { gpuHours: 5 })).toBe('budgets.gpuHours has no limit');
  });
});
