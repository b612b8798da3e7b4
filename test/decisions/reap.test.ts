import { judgeOwner, type OwnerState, type ReapDecision } from '../../decisions/reap.ts';
import { ownerRunOf, reservationKey } from '../../decisions/reservation-key.ts';

const now = '2026-11-29T10:00:00.000Z';
test.each<{ title: string; owner: OwnerState; want: ReapDecision }>([
  { title: 'an open run keeps its job', owner: { kind: 'open' }, want: { kind: 'leave', because: 'owner-open' } },
  {
    title: 'a run that nobody knows keeps its job',
    owner: { kind: 'unknown' },
    want: { kind: 'leave', because: 'owner-unknown' },
  },
  {
    title: 'a run that closed ten minutes ago may still be at its last acts',
    owner: { kind: 'closed', closedAt: '2026-11-29T09:50:00.000Z' },
    want: { kind: 'leave', because: 'closed-lately' },
  },
  {
    title: 'a run that closed longer ago has a job for nobody',
    owner: { kind: 'closed', closedAt: '2026-11-29T09:49:59.000Z' },
    want: { kind: 'stop', closedAt: '2026-11-29T09:49:59.000Z' },
  },
])('$title', ({ owner, want }) => {
  expect(judgeOwner(owner, now)).toEqual(want);
});

test('the key of a wish names the run that makes it, and nothing else does', () => {
  for (const purpose of ['train', 'evaluate', 'seal'] as const)
    expect(ownerRunOf(reservationKey({ ownerRunId: 'run-1', purpose, opened: 3 }))).toBe('run-1');
  for (const text of ['', 'run-1', 'run-1/train', 'a/b/train/1', 'run-1/train/x']) expect(ownerRunOf(text)).toBeNull();
});
