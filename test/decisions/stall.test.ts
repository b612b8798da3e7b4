import type { Progress } from '../../decisions/failure.ts';
import { judgeProgress, stallBudgets } from '../../decisions/stall.ts';
import { activitiesOfTrainer } from '../../decisions/states.ts';
import { progress } from '../support/builders.ts';

const startedAt = '2026-11-29T10:00:00.000Z';
const after = (minutes: number): string => new Date(Date.parse(startedAt) + minutes * 60_000).toISOString();

test.each<{ title: string; last: Progress | null; now: number; movedAt?: number; want: string }>([
  { title: 'a trainer that has just begun', last: null, now: 5, want: 'alive' },
  { title: 'one that says nothing for half an hour', last: null, now: 30, want: 'stalled' },
  { title: 'a training step of twenty minutes', last: progress('training'), now: 20, want: 'stalled' },
  { title: 'a save of twenty minutes (C26)', last: progress('saving'), now: 20, want: 'alive' },
  { title: 'an engine that compiles for four minutes (C26)', last: progress('compiling'), now: 4, want: 'alive' },
  { title: 'a save that never ends', last: progress('saving'), now: 61, want: 'stalled' },
  {
    title: 'fresh lines that repeat the same step (C25)',
    last: progress('training', { time: after(119) }),
    now: 120,
    movedAt: 90,
    want: 'stalled',
  },
  {
    title: 'a line from a clock that runs ahead',
    last: progress('training', { time: after(600) }),
    now: 5,
    want: 'alive',
  },
  { title: 'a line older than the job', last: progress('training', { time: after(-600) }), now: 5, want: 'alive' },
  {
    title: 'a line whose time cannot be read',
    last: progress('training', { time: 'yesterday' }),
    now: 16,
    want: 'stalled',
  },
])('$title: $want', ({ last, now, movedAt, want }) => {
  const moved = movedAt === undefined ? {} : { movedAt: after(movedAt) };
  expect(judgeProgress(last, { startedAt, now: after(now), ...moved }).kind).toBe(want);
});

test('says what it was doing, for how long, and what was allowed', () => {
  expect(judgeProgress(progress('generating', { step: 7 }), { startedAt, now: after(31) })).toEqual({
    kind: 'stalled',
    doing: 'generating',
    step: 7,
    idleSeconds: 1860,
    budgetSeconds: 1800,
  });
});

test.each(activitiesOfTrainer)('%s is alive at its budget and stalled a second later', (doing) => {
  const at = (seconds: number) => judgeProgress(progress(doing), { startedAt, now: after(seconds / 60) }).kind;
  expect([at(stallBudgets[doing]), at(stallBudgets[doing] + 1)]).toEqual(['alive', 'stalled']);
});

test('takes other budgets', () => {
  const budgets = { ...stallBudgets, training: 2 };
  expect(judgeProgress(progress('training'), { startedAt, now: after(1) }, budgets)).toMatchObject({
    kind: 'stalled',
    budgetSeconds: 2,
  });
});
