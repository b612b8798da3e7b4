import type { Progress } from '../../decisions/failure.ts';
import { idleAfterLook, judgeProgress, stallBudgets, stallBudgetsOf } from '../../decisions/stall.ts';
import { activitiesOfTrainer } from '../../decisions/states.ts';
import { progress } from '../support/builders.ts';

test.each<{ title: string; last: Progress | null; idleMinutes: number; want: string }>([
  { title: 'a trainer that has just begun', last: null, idleMinutes: 5, want: 'alive' },
  { title: 'one that says nothing for half an hour', last: null, idleMinutes: 30, want: 'stalled' },
  { title: 'a training step of twenty minutes', last: progress('training'), idleMinutes: 20, want: 'stalled' },
  { title: 'a save of twenty minutes (C26)', last: progress('saving'), idleMinutes: 20, want: 'alive' },
  {
    title: 'an engine that compiles for four minutes (C26)',
    last: progress('compiling'),
    idleMinutes: 4,
    want: 'alive',
  },
  { title: 'a save that never ends', last: progress('saving'), idleMinutes: 61, want: 'stalled' },
])('$title: $want', ({ last, idleMinutes, want }) => {
  expect(judgeProgress(last, idleMinutes * 60).kind).toBe(want);
});

test('says what it was doing, for how long, and what was allowed', () => {
  expect(judgeProgress(progress('generating', { step: 7 }), 1860)).toEqual({
    kind: 'stalled',
    doing: 'generating',
    step: 7,
    idleSeconds: 1860,
    budgetSeconds: 1800,
  });
});

test.each(activitiesOfTrainer)('%s is alive at its budget and stalled a second later', (doing) => {
  const at = (seconds: number) => judgeProgress(progress(doing), seconds).kind;
  expect([at(stallBudgets[doing]), at(stallBudgets[doing] + 1)]).toEqual(['alive', 'stalled']);
});

test('a recipe raises or lowers the budget of what it names, in minutes, and no other', () => {
  const budgets = stallBudgetsOf({ compiling: 90, training: 0.5 });
  expect(budgets).toEqual({ ...stallBudgets, compiling: 5400, training: 30 });
  expect(judgeProgress(progress('compiling'), 4000, budgets).kind).toBe('alive');
  expect(judgeProgress(progress('training'), 31, budgets)).toMatchObject({ kind: 'stalled', budgetSeconds: 30 });
});

describe('time counts as far as it was watched', () => {
  test.each([
    { title: 'ten seconds between two looks are ten', since: 10, want: 110 },
    { title: 'a laptop that slept for an hour, trainer and all, has not stalled', since: 3600, want: 160 },
    { title: 'a clock that was set back takes nothing away', since: -7200, want: 100 },
  ])('$title', ({ since, want }) => {
    expect(idleAfterLook(100, since)).toBe(want);
  });
});
