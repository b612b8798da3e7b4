/** What the jobs of a phase have taken of its GPU hours, when one of them has ended. */
import {
  activityBench,
  type ActivityBench,
  contextOf,
  runId,
  startAttempt,
  type StartedAttempt,
} from '../support/activity-bench.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
});
afterEach(() => bench.close());

const judge = (attempt: StartedAttempt) => bench.as(runId).judgeAttempt(attempt);
const { budgets } = contextOf();

test('a phase is held when they are spent', async () => {
  const attempt = await startAttempt(bench, 1, { context: contextOf({ budgets: { ...budgets, gpuHours: 2 } }) });
  bench.pass(48 * 3600); // in the queue: not charged
  bench.backend.run(attempt.job);
  bench.pass(2.5 * 3600);
  bench.backend.end(attempt.job, { exitCode: 1 });
  const judged = await judge(attempt);
  expect([judged.kind, judged.sentence]).toEqual(['hold', expect.stringContaining('2.50 of 2.00 GPU hours')]);
});

test('those of its evaluations count', async () => {
  const attempt = await startAttempt(bench, 1, { context: contextOf({ budgets: { ...budgets, gpuHours: 2 } }) });
  const at = bench.dependencies.now().toISOString();
  const of = { workflowId: 'demo', phase: 'sft', purpose: 'evaluate' } as const;
  await bench.ledger.reserveAttempt({ ...of, runId: 'run-1', reservationKey: 'evaluation', at });
  const evidence = { ranSeconds: 1.5 * 3600 } as never;
  await bench.ledger.changeAttempt({ ...of, number: 1 }, { state: 'completed', at, gpus: 1, evidence });
  bench.backend.run(attempt.job);
  bench.pass(3600);
  bench.backend.end(attempt.job, { exitCode: 1 });
  expect((await judge(attempt)).sentence).toContain('2.50 of 2.00 GPU hours');
});

test('an hour counts as often as the job had GPUs when it was opened', async () => {
  const { placeOf } = bench.dependencies;
  const profile = kubernetesProfile({ jobs: { sft: { nodes: 2, gpus: 8 } } });
  bench.dependencies.placeOf = (name) => ({ ...placeOf(name), profile });
  const attempt = await startAttempt(bench, 1, { context: contextOf({ budgets: { ...budgets, gpuHours: 40 } }) });
  bench.dependencies.placeOf = placeOf;
  bench.backend.run(attempt.job);
  bench.pass(2.5 * 3600);
  bench.backend.end(attempt.job, { exitCode: 1 });
  expect((await judge(attempt)).sentence).toContain('40.00 of 40.00 GPU hours');
});
