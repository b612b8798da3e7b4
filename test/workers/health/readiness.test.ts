import type { Connection } from '@temporalio/client';
import { problemLog } from '../../../workers/health/problem-log.ts';
import { readinessOf } from '../../../workers/health/readiness.ts';

/** A connection whose server answers as told. */
function connectionThat(answers: () => Promise<object>): Connection {
  const workflowService = { getSystemInfo: answers };
  const withDeadline = (_at: number, ask: () => Promise<object>) => ask();
  return { workflowService, withDeadline } as unknown as Connection;
}
const answering = () => Promise.resolve({});
const fine = {
  connection: connectionThat(answering),
  backend: { unseenSeconds: () => 0 },
  polls: () => true,
  problems: problemLog(() => undefined),
};
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
    want: ["temporal: the server does not answer: see the worker's log"],
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

test('what Temporal says goes to the log alone, once while it stays the same', async () => {
  const answers = [
    '14 UNAVAILABLE: 10.0.0.7:7233',
    '14 UNAVAILABLE: 10.0.0.7:7233',
    null,
    '14 UNAVAILABLE: 10.0.0.7:7233',
  ];
  const connection = connectionThat(() => {
    const problem = answers.shift();
    return typeof problem === 'string' ? Promise.reject(new Error(problem)) : answering();
  });
  const lines: string[] = [];
  const readiness = readinessOf({ ...fine, connection, problems: problemLog((line) => lines.push(line)) });
  const found = [await readiness(), await readiness(), await readiness(), await readiness()];
  expect(found.map(({ isReady }) => isReady)).toEqual([false, false, true, false]);
  expect(JSON.stringify(found)).not.toContain('10.0.0.7');
  const line = 'health: Temporal does not answer: 14 UNAVAILABLE: 10.0.0.7:7233';
  expect(lines).toEqual([line, line]);
});
