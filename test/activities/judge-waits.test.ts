/** What follows an attempt that was stopped because it could not start. */
import { activityBench, type ActivityBench, runId, startAttempt } from '../support/activity-bench.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
});
afterEach(() => bench.close());

const incidents = () => bench.ledger.incidentsOf({ runId: 'run-1', phase: 'sft' });

const unmounted = { for: 'mount', reason: 'FailedMount: exit status 32', seconds: 601, node: 'gpu-7' } as const;

test('costs nothing, is tried again, and is held with the reason when all its waits are as long as one may wait', async () => {
  const sentences: string[] = [];
  for (let opened = 1; opened <= 6; opened += 1) {
    const attempt = await startAttempt(bench, opened);
    await bench.as(runId).stopJob({ ...attempt, reason: 'waited' });
    const judged = await bench.as(runId).judgeAttempt({ ...attempt, waited: unmounted });
    sentences.push(judged.sentence);
    if (judged.kind !== 'wait') break;
  }
  expect(sentences).toHaveLength(6);
  expect(sentences[0]).toBe(
    'attempt 1, node gpu-7: it waited 10 min for its volumes (FailedMount: exit status 32). Waits and tries again in 30 s: mount, waited 10 min of at most 60 min.',
  );
  expect(sentences[1]).toContain('away from gpu-7');
  expect(sentences[5]).toMatch(/Holds for a person, GPUs released: mount, waited 76 min of at most 60 min\.$/);
  expect((await incidents())[0]).toMatchObject({ class: 'mount', node: 'gpu-7', waitedSeconds: 601 });
});

test('for what only a person mends it is held at once, with what is missing', async () => {
  const attempt = await startAttempt(bench);
  await bench.as(runId).stopJob({ ...attempt, reason: 'waited' });
  const reason = 'CreateContainerConfigError: secret "hf" not found';
  const waited = { for: 'config', reason, seconds: 121, node: null } as const;
  expect(await bench.as(runId).judgeAttempt({ ...attempt, waited })).toMatchObject({
    kind: 'hold',
    sentence: `attempt 1, node node-1: it waited 2 min for its container to be made (${reason}). Holds for a person, GPUs released: make the secret "hf", then let it go on.`,
  });
});
