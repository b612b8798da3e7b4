import { judgeWaiting } from '../../decisions/waiting.ts';

const since = '2026-11-29T10:00:00.000Z';
const at = (minutes: number) => new Date(Date.parse(since) + minutes * 60_000).toISOString();

test.each([
  { title: 'within the bound', now: at(60), want: { kind: 'waits', waitedSeconds: 3600 } },
  { title: 'by a clock that runs behind', now: at(-5), want: { kind: 'waits', waitedSeconds: 0 } },
  {
    title: 'beyond it',
    now: at(61),
    want: {
      kind: 'too-long',
      waitedSeconds: 3660,
      because:
        'It waited 61 min to start (waits for 8 of 8 slots), and budgets.waitMinutes allows 60 min: its place in the queue is given up, and no attempt is charged.',
    },
  },
])('$title', ({ now, want }) => {
  expect(judgeWaiting({ since, now, reason: 'waits for 8 of 8 slots' }, 60)).toEqual(want);
});
