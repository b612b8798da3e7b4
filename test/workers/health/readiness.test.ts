import type { Connection } from '@temporalio/client';
import { readinessOf } from '../../../workers/health/readiness.ts';

/** A connection whose server answers as told. */
function connectionThat(answers: () => Promise<object>): Connection {
  const workflowService = { getSystemInfo: answers };
  const withDeadline = (_at: number, ask: () => Promise<object>) => ask();
  return { workflowService, withDeadline } as unknown as Connection;
}
const answering = () => Promise.resolve({});
const fine = { connection: connectionThat(answering), backend: { unseenSeconds: () => 0 }, polls: () => true };
const watch = "see the worker's log, and `temper doctor`";

test.each([
  { title: 'that works', change: {}, isReady: true, want: ['worker: ok', 'temporal: ok', 'backend: ok'] },
  { title: 'whose backend is never unseen', change: { backend: {} }, isReady: true, want: ['backend: ok'] },
  {
    title: 'that leaves',
    change: { polls: () => false },
    isReady: false,
    want: ['worker: it takes no work: it begins, or it leaves', 'temporal: ok'],
  },
  {
    title: 'whose server is away',
    change: { connection: connectionThat(() => Promise.reject(new Error('14 UNAVAILABLE'))) },
    isReady: false,
    want: ['temporal: the server does not answer (14 UNAVAILABLE)'],
  },
  {
    title: 'that has not heard of its jobs since a while',
    change: { backend: { unseenSeconds: () => 130.4 } },
    isReady: false,
    want: [`backend: nothing was heard of the jobs for 130 s: ${watch}`],
  },
  {
    title: 'that never heard of them',
    change: { backend: { unseenSeconds: () => Infinity } },
    isReady: false,
    want: [`backend: nothing was heard of the jobs yet: ${watch}`],
  },
])('of a worker $title', async ({ change, isReady, want }) => {
  const found = await readinessOf({ ...fine, ...change })();
  expect(found.isReady).toBe(isReady);
  expect(found.lines).toEqual(expect.arrayContaining(want));
});

test('who asks while an answer is on its way gets the same one, and who asks later a new one', async () => {
  let asked = 0;
  const readiness = readinessOf({ ...fine, connection: connectionThat(() => Promise.resolve({ asked: ++asked })) });
  await Promise.all([readiness(), readiness()]);
  expect(asked).toBe(1);
  await readiness();
  expect(asked).toBe(2);
});
