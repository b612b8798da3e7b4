import { waitKinds } from '../../decisions/states.ts';
import { waitRules } from '../../decisions/wait-rules.ts';
import {
  judgeWaiting,
  sentenceOfWait,
  type WaitBudgets,
  type Waiting,
  withWaitBefore,
} from '../../decisions/waiting.ts';

const since = '2026-11-29T10:00:00.000Z';
const after = (seconds: number) => ({ now: new Date(Date.parse(since) + seconds * 1000).toISOString() });
const queued: Waiting = { for: 'queue', since, reason: 'waits for 8 of 8 slots' };
const budgets: WaitBudgets = { waitMinutes: 60 };

test.each([
  { title: 'within the bound', moment: after(3600), want: { kind: 'waits', waitedSeconds: 3600 } },
  { title: 'by a clock that runs behind', moment: after(-300), want: { kind: 'waits', waitedSeconds: 0 } },
  {
    title: 'beyond it, for its place: that is given up',
    moment: after(3660),
    want: {
      kind: 'too-long',
      waitedSeconds: 3660,
      because:
        'It waited 61 min to start (waits for 8 of 8 slots), and budgets.waitMinutes allows 60 min: its place in the queue is given up, and no attempt is charged.',
      wait: { for: 'queue', reason: queued.reason, seconds: 3660, node: null },
    },
  },
])('$title', ({ moment, want }) => {
  expect(judgeWaiting(queued, budgets, moment)).toEqual(want);
});

test('beyond the bound of what it has its place for: what it waited for is to be judged, with its reason and its node', () => {
  const wait: Waiting = { for: 'mount', since, reason: 'FailedMount: no such export', node: 'gpu-7' };
  expect(judgeWaiting(wait, budgets, after(601))).toEqual({
    kind: 'too-long',
    waitedSeconds: 601,
    because:
      'It waited 10 min for its volumes (FailedMount: no such export), and 10 min are allowed: what it holds is released.',
    wait: { for: 'mount', reason: 'FailedMount: no such export', seconds: 601, node: 'gpu-7' },
  });
});

const takeTheirTime: Waiting['for'][] = ['pulling', 'init', 'starting'];

/** How long a job may wait for this, by trying. Seconds. */
function boundOf(kind: Waiting['for'], more: Partial<WaitBudgets> = {}, share?: number): number {
  const waits = (seconds: number) =>
    judgeWaiting(
      { for: kind, since, reason: null },
      { ...budgets, ...more },
      { ...after(seconds), ...(share === undefined ? {} : { share }) },
    ).kind === 'waits';
  let seconds = 0;
  while (waits(seconds + 1)) seconds += 1;
  return seconds;
}

test.each<{ title: string; kinds: Waiting['for'][]; budgets?: Partial<WaitBudgets>; want: number }>([
  {
    title: 'a place, for as long as the recipe says',
    kinds: ['queue', 'quota', 'unschedulable'],
    budgets: { waitMinutes: 90 },
    want: 5400,
  },
  {
    title: 'a place, whatever startMinutes says',
    kinds: ['queue', 'quota', 'unschedulable'],
    budgets: { startMinutes: 1 },
    want: 3600,
  },
  {
    title: 'an image, a mount, a sandbox: ten minutes',
    kinds: ['image-pull', 'mount', 'sandbox', 'claim', 'init-crashing'],
    want: 600,
  },
  {
    title: 'as long as startMinutes says',
    kinds: ['image-pull', 'mount', 'sandbox'],
    budgets: { startMinutes: 30 },
    want: 1800,
  },
  { title: 'what only a person mends: two minutes', kinds: ['config', 'admission', 'image-refused'], want: 120 },
  { title: 'the rest of its pods: five minutes', kinds: ['half-scheduled'], want: 300 },
  {
    title: 'a large image that is being pulled, a slow init container: an hour',
    kinds: takeTheirTime,
    budgets: { waitMinutes: 720, startMinutes: 1 },
    want: 3600,
  },
  { title: 'and so that it can be tried again, half of what all may take', kinds: takeTheirTime, want: 1800 },
  {
    title: 'nothing longer than waitMinutes',
    kinds: waitKinds.filter((kind) => kind !== 'half-scheduled' && !takeTheirTime.includes(kind)),
    budgets: { waitMinutes: 0.5 },
    want: 30,
  },
])('$title', ({ kinds, budgets: more, want }) => {
  expect(kinds.map((kind) => [kind, boundOf(kind, more)])).toEqual(kinds.map((kind) => [kind, want]));
});

test('of two jobs that hold what the other needs, one lets go first', () => {
  expect([boundOf('half-scheduled', {}, 0.1), boundOf('half-scheduled', {}, 0.9)]).toEqual([315, 435]);
  expect([boundOf('mount', {}, 0.1), boundOf('mount', {}, 0.9)]).toEqual([600, 600]);
});

test('what holds GPUs while it fails to start lets go of them in ten minutes, and is judged', () => {
  for (const kind of waitKinds.filter((one) => waitRules[one].isTrouble)) {
    expect(boundOf(kind)).toBeLessThanOrEqual(600);
    expect(judgeWaiting({ for: kind, since, reason: null }, budgets, after(7200))).toMatchObject({
      wait: { for: kind },
    });
  }
});

test('what a person reads meanwhile: for what, since when, for how long at most, and why', () => {
  const wait: Waiting = { for: 'image-pull', since, reason: 'ImagePullBackOff: Back-off pulling image "x"' };
  expect(sentenceOfWait(wait, budgets)).toBe(
    'waits for its image since 2026-11-29 10:00 UTC, at most 10 min (ImagePullBackOff: Back-off pulling image "x")',
  );
});

test('a wait for a place goes on from the wait for the job itself; trouble there begins when it begins', () => {
  const before = '2026-11-29T09:15:00.000Z';
  const roomless: Waiting = { for: 'unschedulable', since, reason: null };
  expect(withWaitBefore(roomless, before).since).toBe(before);
  expect(withWaitBefore(roomless, undefined).since).toBe(since);
  expect(withWaitBefore({ ...roomless, for: 'mount' }, before).since).toBe(since);
});

test('the words of a cluster are cut before they go into a history', () => {
  const reason = `Unschedulable: ${'node has a taint, '.repeat(200)}`;
  const verdict = judgeWaiting({ for: 'unschedulable', since, reason }, budgets, after(7200));
  expect(JSON.stringify(verdict).length).toBeLessThan(1000);
  expect(sentenceOfWait({ for: 'unschedulable', since, reason }, budgets).length).toBeLessThan(450);
});
