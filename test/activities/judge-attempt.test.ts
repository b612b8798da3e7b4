import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  activityBench,
  type ActivityBench,
  contextOf,
  runId,
  startAttempt,
  type StartedAttempt,
} from '../support/activity-bench.ts';
import { fakeTrainer, type FakeTrainer } from '../support/fake-trainer.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
});
afterEach(() => bench.close());

const judge = (attempt: StartedAttempt) => bench.as(runId).judgeAttempt(attempt);
const attempts = () => bench.ledger.attemptsOf({ workflowId: 'demo', phase: 'sft' });
const incidents = () => bench.ledger.incidentsOf({ runId: 'run-1', phase: 'sft' });

/** An attempt whose job has ended with these ranks, after its trainer did this. */
async function ended(
  opened: number,
  work: (trainer: FakeTrainer) => Promise<void>,
  ...ranks: Parameters<ActivityBench['backend']['end']> extends [unknown, ...infer Ranks] ? Ranks : never
): Promise<StartedAttempt> {
  const attempt = await startAttempt(bench, opened);
  await work(fakeTrainer(attempt));
  bench.backend.end(attempt.job, ...ranks);
  return attempt;
}
const nothing = () => Promise.resolve();

describe('success', () => {
  test('is proved by the result, the target step, a complete artifact and weights that changed', async () => {
    const attempt = await ended(1, async (trainer) => {
      for (const step of [10, 50]) await trainer.saves(step);
      await trainer.finishes();
    });
    expect(await judge(attempt)).toEqual({
      kind: 'completed',
      sentence: 'attempt 1 is complete at step 50',
      seconds: { training: 6 },
    });
    expect(await attempts()).toMatchObject([{ state: 'completed', evidence: { targetArtifactComplete: true } }]);
    expect(await incidents()).toEqual([]);
  });

  test('does not care for a bad exit code', async () => {
    const attempt = await ended(
      1,
      async (trainer) => {
        await trainer.saves(50);
        await trainer.finishes();
      },
      { exitCode: 134 },
    );
    expect((await judge(attempt)).kind).toBe('completed');
  });

  test('records every complete checkpoint of the attempt, and no torn one', async () => {
    const attempt = await ended(1, async (trainer) => {
      for (const step of [10, 20, 50]) await trainer.saves(step);
      await trainer.tears(30);
      await trainer.finishes();
    });
    await judge(attempt);
    const recorded = await bench.ledger.checkpointsOf({ runId: 'run-1', phase: 'sft' });
    expect(recorded.map(({ step, parent }) => [step, parent])).toEqual(
      [10, 20, 50].map((step) => [step, 'demo/base/a1/checkpoint-160']),
    );
  });

  const proofs: { title: string; work: (trainer: FakeTrainer) => Promise<void>; want: string }[] = [
    { title: 'no result', work: (trainer) => trainer.says(50, 'finishing'), want: 'unproven' },
    {
      title: 'the result of another attempt',
      work: async (trainer) => {
        await trainer.saves(50);
        await trainer.finishes({ attempt: 7 });
      },
      want: 'unproven',
    },
    {
      title: 'the result of another job',
      work: async (trainer) => {
        await trainer.saves(50);
        await trainer.finishes({ jobToken: 'a zombie' });
      },
      want: 'unproven',
    },
    {
      title: 'a step below the target',
      work: async (trainer) => {
        await trainer.saves(50);
        await trainer.finishes({ finalStep: 40 });
      },
      want: 'unproven',
    },
    { title: 'no artifact', work: (trainer) => trainer.finishes(), want: 'unproven' },
    {
      title: 'a torn artifact',
      work: async (trainer) => {
        await trainer.tears(50);
        await trainer.finishes();
      },
      want: 'unproven',
    },
    {
      title: 'numbers that are not finite',
      work: async (trainer) => {
        await trainer.saves(50);
        await trainer.finishes({ finite: false });
      },
      want: 'not-finite',
    },
    {
      title: 'weights that did not change',
      work: async (trainer) => {
        await trainer.saves(50);
        await trainer.finishes({ weightsAfter: 'before' });
      },
      want: 'no-progress',
    },
    {
      title: 'another start than it was told',
      work: async (trainer) => {
        await trainer.saves(50);
        await trainer.finishes({ startedFrom: { path: '/store/other', digest: 'another' } });
      },
      want: 'resume-mismatch',
    },
  ];
  test.each(proofs)('exit code 0 with $title is $want', async ({ work, want }) => {
    const attempt = await ended(1, work);
    expect((await judge(attempt)).kind).not.toBe('completed');
    expect(await incidents()).toMatchObject([{ class: want }]);
    expect(await attempts()).toMatchObject([{ state: 'failed' }]);
  });
});

describe('a failed attempt', () => {
  test('says what happened and what follows, and the next one goes on from its checkpoint', async () => {
    const attempt = await ended(
      1,
      async (trainer) => {
        await trainer.saves(20);
        await trainer.says(23, 'training');
      },
      { exitCode: null, signal: 'SIGKILL' },
    );
    const judged = await judge(attempt);
    expect(judged).toMatchObject({ kind: 'resume', delaySeconds: 1 });
    expect(judged.sentence).toMatch(
      /^attempt 1, node node-1: rank 0 was killed by SIGKILL at step 23\. Resumes from the newest checkpoint/,
    );
    const { ticket } = await startAttempt(bench, 2);
    expect(ticket.resumeStep).toBe(20);
    expect([ticket.sentence, ticket.before]).toEqual([
      'Goes on from demo/sft/a1/checkpoint-20 at step 20. 3 steps lost.',
      'Before: attempt 1, node node-1: rank 0 was killed by SIGKILL at step 23.',
    ]);
  });

  const worthless: [string, Readonly<Record<string, unknown>>][] = [
    ['changed nothing', { weightsAfter: 'before' }],
    ['began elsewhere', { startedFrom: { path: '/store/other', digest: 'another' } }],
  ];
  test.each(worthless)(
    'that %s leaves nothing to go on from: its last checkpoint would pass as success',
    async (_, end) => {
      const attempt = await ended(1, async (trainer) => {
        for (const step of [20, 50]) await trainer.saves(step);
        await trainer.finishes(end);
      });
      expect((await judge(attempt)).kind).toBe('restart');
      expect((await startAttempt(bench, 2)).ticket.resumeStep).toBe(0);
    },
  );

  test('is recorded once, however often it is judged, and the answer stays', async () => {
    const attempt = await ended(1, nothing, { exitCode: 1 });
    const first = await judge(attempt);
    bench.pass(3600);
    expect(await judge(attempt)).toEqual(first);
    expect(await incidents()).toHaveLength(1);
    const decisions = await bench.ledger.decisionsOf({ runId: 'run-1', phase: 'sft' });
    expect(decisions.filter(({ question }) => question === 'retry')).toHaveLength(1);
  });

  test('that no retry mends fails with the text of the trainer', async () => {
    const message = 'params.steps must be a whole number';
    const attempt = await ended(1, (trainer) => trainer.finishes({ status: 'failed', reason: 'usage', message }), {
      exitCode: 64,
    });
    const judged = await judge(attempt);
    expect([judged.kind, judged.sentence]).toEqual(['fail', expect.stringContaining(message)]);
  });

  test('whose job is gone is lost, and a person is asked', async () => {
    const attempt = await startAttempt(bench);
    bench.backend.lose(attempt.job);
    expect((await judge(attempt)).kind).toBe('hold');
    expect(await attempts()).toMatchObject([{ state: 'lost' }]);
  });

  test('whose node does not answer costs nothing, and the node is named', async () => {
    const attempt = await startAttempt(bench);
    await fakeTrainer(attempt).saves(20);
    await fakeTrainer(attempt).says(23, 'training');
    bench.backend.loseNode(attempt.job, 'gpu-7');
    await bench.as(runId).stopJob({ ...attempt, reason: 'node-lost' });
    const judged = await judge(attempt);
    expect(judged.sentence).toBe(
      'attempt 1, node gpu-7: the node did not answer any more at step 23. Resumes from the newest checkpoint in 5 s: node-lost costs no attempt (0 of 5 spent).',
    );
    expect(await incidents()).toMatchObject([{ class: 'node-lost', node: 'gpu-7' }]);
  });

  test('whose node does not answer has all the same done what it was to do, where its result proves it', async () => {
    const attempt = await startAttempt(bench);
    await fakeTrainer(attempt).saves(50);
    await fakeTrainer(attempt).finishes();
    bench.backend.loseNode(attempt.job, 'gpu-7');
    await bench.as(runId).stopJob({ ...attempt, reason: 'node-lost' });
    expect((await judge(attempt)).kind).toBe('completed');
  });

  test.each([
    { reason: 'preempted', want: 'preempted at step 20: its queue gave its place to another job.' },
    { reason: 'queue-evicted', want: 'its queue took its place away at step 20.' },
  ] as const)('whose place was taken away ($reason) costs nothing', async ({ reason, want }) => {
    const attempt = await startAttempt(bench);
    await fakeTrainer(attempt).saves(20);
    await bench.as(runId).stopJob({ ...attempt, reason });
    expect((await judge(attempt)).sentence).toContain(want);
    expect(await incidents()).toMatchObject([{ class: reason }]);
    expect((await startAttempt(bench, 2)).ticket.resumeStep).toBe(20);
  });

  test('a save that takes longer than a stop leaves is told once the attempt is over, with what mends it', async () => {
    const attempt = await startAttempt(bench);
    const said = [
      ['10:00:00', 'saving'],
      ['10:05:12', 'training'],
    ].map(([time, doing]) => ({ time: `2026-11-29T${time ?? ''}.000Z`, step: 20, of: 50, doing, metrics: {} }));
    const lines = said.map((line) => `${JSON.stringify(line)}\n`).join('');
    await writeFile(join(attempt.ticket.directory, 'progress.jsonl'), lines);
    bench.backend.end(attempt.job, { exitCode: 137 });
    expect((await judge(attempt)).sentence).toMatch(/A save took 5 min, and graceSeconds .*Raise graceSeconds\.$/);
    expect(await attempts()).toMatchObject([{ evidence: { saves: { longestSeconds: 312 } } }]);
  });

  test('that Temper stopped because it stalled is charged as a stall, and says where it hung', async () => {
    const attempt = await startAttempt(bench);
    await fakeTrainer(attempt).says(12, 'training');
    const stacks = 'Current thread 0x1 (most recent call first):\n  File "/lib/loss.py", line 7 in wait\n';
    await writeFile(join(attempt.ticket.directory, 'stacks.txt'), stacks);
    await bench.as(runId).stopJob({ ...attempt, reason: 'stalled' });
    expect((await judge(attempt)).kind).toBe('restart');
    expect(await incidents()).toMatchObject([{ class: 'stalled', rootCause: 'stalled while training' }]);
    const hung = [{ rank: 0, frames: ['File "/lib/loss.py", line 7 in wait'] }];
    expect(await attempts()).toMatchObject([{ evidence: { hung } }]);
  });
});

describe('a hold', () => {
  async function failThreeTimes(from: number): Promise<string[]> {
    const kinds = [];
    for (const opened of [from, from + 1, from + 2]) {
      const attempt = await ended(opened, nothing, { exitCode: 1, lastLines: ['ValueError: the same as ever'] });
      kinds.push((await judge(attempt)).kind);
    }
    return kinds;
  }

  test('comes when the same cause stops it three times without a new step', async () => {
    expect(await failThreeTimes(1)).toEqual(['restart', 'restart', 'hold']);
  });

  test('that a person releases forgives what was before', async () => {
    await failThreeTimes(1);
    await bench.as(runId).recordRelease({ context: contextOf() });
    await bench.as(runId).recordRelease({ context: contextOf() });
    expect(await failThreeTimes(4)).toEqual(['restart', 'restart', 'hold']);
    expect(await incidents()).toHaveLength(6);
    const decisions = await bench.ledger.decisionsOf({ runId: 'run-1', phase: 'sft' });
    expect(decisions.filter(({ question }) => question === 'release')).toMatchObject([{ attempt: 3 }]);
  });
});

test('a run started anew begins without charges', async () => {
  for (const opened of [1, 2]) await judge(await ended(opened, nothing, { exitCode: 1 }));
  const context = contextOf({ runId: 'run-2' });
  const attempt = await startAttempt(bench, 1, { context, run: 'phase-run-2' });
  bench.backend.end(attempt.job, { exitCode: 1 });
  expect((await bench.as('phase-run-2').judgeAttempt(attempt)).kind).toBe('restart');
});
