/** What a person asks of a sweep: why, its logs, its scores; by its workflow id, or, of the newest, by its name. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answerActivities } from '../../activities/answers.ts';
import { sentenceOfSweep } from '../../decisions/sweep-sentences.ts';
import type { Explanation, LeaderboardAnswer, Log, Question } from '../../workflows/contract-questions.ts';
import { explanationText } from '../../workers/terminal/explanation-text.ts';
import { leaderboardAnswerText } from '../../workers/terminal/leaderboard-text.ts';
import { activityBench, type ActivityBench, runId } from '../support/activity-bench.ts';
import { level } from '../support/gate-builders.ts';
import { nightly, sweepsOn } from '../support/sweeps-on.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
});
afterEach(() => bench.close());

const { trains, promotes, open, next, close, record, firstJobRan, run, idOf } = sweepsOn(() => bench);
const ask = (question: Question) => answerActivities(bench.dependencies).answerQuestion(question);
const explain = async (pipeline: string) =>
  explanationText((await ask({ question: 'explain', pipeline })) as Explanation).split('\n\n');
const champions = { ...nightly, seeds: 1, checkpoints: { running: false } };

/** Two nights: then the champion of alpha was good, and now it is a worse one. */
async function twoNights(): Promise<void> {
  await trains('alpha', 20);
  await open({ ...nightly, name: 'other' }, 9); // and its checkpoint is in the ledger
  await promotes('alpha', 20);
  await open(champions);
  await record(idOf('alpha', 20), level(3));
  await close();
  bench.pass(86_400);
  const kept = await bench.ledger.checkpoint(idOf('alpha', 20));
  if (kept === null) throw new Error('not in the ledger');
  await bench.ledger.recordCheckpoint({ ...kept, id: idOf('alpha', 30), step: 30, at: kept.createdAt });
  await promotes('alpha', 30);
  await open({ ...champions, benchmarks: ['addition', 'other'] }, 2);
}

describe('explain', () => {
  test('of a sweep that has ended: what became worse, what was skipped and why, what was evaluated, what it looked at', async () => {
    await twoNights();
    await firstJobRan(1800, { night: 2 });
    await record(idOf('alpha', 30), level(2), { of: 'sweep-2' });
    await close(2);
    const [head, ...parts] = await explain('nightly');
    expect(head).toMatch(/^nightly-2: sweep nightly, completed, 2026-11-30 .* \(run sweep-2\)$/);
    expect(parts).toEqual([
      expect.stringMatching(
        /^Worse than in the sweep of 2026-11-29 10:00:\n {2}champion of alpha is worse on addition: 75\.0 % /,
      ),
      `Skipped:\n  ${idOf('alpha', 30)}: recipe small has no benchmark "other"`,
      `Evaluated:\n  ${idOf('alpha', 30)} on addition, seed 1: 50.0 %`,
      `Looks at, on addition, other:\n  ${idOf('alpha', 30)}: champion of alpha`,
      expect.stringMatching(
        /^sweep: completed\n {2}1 evaluation in 0\.50 h of jobs, 0\.50 GPU-hours, 1 worse than last time, 1 skipped\.\n.* Evaluation job 1: completed/,
      ),
    ]);
  });

  test('evaluated is what it made itself, in the version that it asked for', async () => {
    await twoNights();
    await firstJobRan(60, { night: 2 });
    await record(idOf('alpha', 30), level(2), { of: 'sweep-2' });
    await record(idOf('alpha', 30), level(1), { seed: 2, of: 'the pipeline' });
    await record(idOf('alpha', 30), level(4), { of: 'the pipeline', version: 2 });
    const parts = await explain('nightly-2');
    expect(parts).toContain(`Evaluated:\n  ${idOf('alpha', 30)} on addition, seed 1: 50.0 %`);
  });

  test('of one that runs: what is due still, the next first, and what its jobs could not make', async () => {
    await trains('alpha', 20);
    await trains('beta', 40);
    await open({ ...nightly, seeds: 1 });
    const first = await next();
    if (first.kind === 'done') throw new Error('nothing to evaluate');
    const failed = { evaluations: first.input.evaluations, because: 'gpu-oom: no memory' };
    await bench.as(runId).recordSweepFailure({ ...run(), round: first.round, ...failed });
    const text = (await explain('nightly-1')).join('\n\n');
    expect(text).toContain(
      `Skipped:\n  ${idOf('alpha', 20)} on addition, seed 1: its evaluation failed, gpu-oom: no memory\n\nDue still, the next first:\n  ${idOf('beta', 40)} on addition, seed 1\n`,
    );
    expect(text).toContain(`sweep         Not made, ${idOf('alpha', 20)} on addition, seed 1: gpu-oom: no memory`);
    expect(text).toContain('0.00 h of jobs, 0.00 of 1 GPU-hours so far; 1 evaluation due, one seed of each.');
    expect(text).not.toMatch(/nothing to compare|Nothing is worse/);
  });

  test('a night without an earlier one has nothing to compare with; of a quiet one nothing is worse', async () => {
    await twoNights();
    await record(idOf('alpha', 30), level(3));
    await close(2);
    expect(await explain('nightly-1')).toContain('There is nothing to compare it with yet.');
    expect(await explain('nightly-2')).toContain('Nothing is worse than in the sweep of 2026-11-29 10:00.');
    bench.pass(86_400);
    await open(champions, 3);
    expect(sentenceOfSweep(await close(3))).toMatch(/, the same checkpoints as last time$/);
    expect(await explain('nightly-3')).toContain(
      'Nothing is worse than in the sweep of 2026-11-30 10:00: 1 score is of the same checkpoint as then, by the same evaluations.',
    );
  });

  test('a night whose checkpoint was not evaluated then is compared with nothing, and says so', async () => {
    await twoNights();
    await close(2); // before it evaluated anything
    expect(await explain('nightly-2')).toContain(
      'Nothing of it can be compared with the sweep of 2026-11-29 10:00: none of what both look at was evaluated in both.',
    );
  });

  test('a misspelt name and a phase that it has not are refused with the right one', async () => {
    await open();
    await expect(ask({ question: 'explain', pipeline: 'nigthly' })).rejects.toThrow('did you mean "nightly"?');
    await expect(ask({ question: 'explain', pipeline: 'nightly', phase: 'sft' })).rejects.toThrow(
      'a sweep has no phase "sft"; there are: sweep',
    );
    await expect(ask({ question: 'explain', pipeline: 'nightly', attempt: 7 })).rejects.toThrow(
      'there is no attempt 7; there are: none yet',
    );
  });
});

test('logs: the end of the log of its newest evaluation job, and of another by its number', async () => {
  await trains('alpha', 20);
  await open();
  await expect(ask({ question: 'logs', pipeline: 'nightly' })).rejects.toThrow(
    'sweep nightly-1 has no such evaluation job; there are: none yet',
  );
  const directory = await firstJobRan(60);
  await appendFile(join(directory, 'log.txt'), 'problem 1 of 20\n');
  const log = async (pipeline: string, attempt?: number) => (await ask({ question: 'logs', pipeline, attempt })) as Log;
  expect(await log('nightly')).toMatchObject({
    phase: 'sweep',
    purpose: 'evaluate',
    attempt: 1,
    text: 'problem 1 of 20\n',
  });
  expect((await log('nightly-1', 1)).directory).toBe(directory);
  await expect(log('nightly', 2)).rejects.toThrow('sweep nightly-1 has no such evaluation job; there are: 1');
});

test('leaderboard: its checkpoints on its benchmarks, the best first, and no others', async () => {
  for (const pipeline of ['alpha', 'beta', 'gamma']) await trains(pipeline, 20);
  await open();
  await trains('later', 20);
  await record(idOf('alpha', 20), level(1));
  await record(idOf('beta', 20), level(3));
  await record(idOf('later', 20), level(4));
  const answer = (await ask({ question: 'leaderboard', pipeline: 'nightly' })) as LeaderboardAnswer;
  expect([answer.pipeline, answer.sweep, answer.rows.map(({ pipeline }) => pipeline)]).toEqual([
    ...['nightly-1', 'nightly'],
    ['beta', 'alpha'],
  ]);
  expect(leaderboardAnswerText(answer)).toMatch(
    /^addition, version 1, best first:\n\npipeline +phase[^]*\nbeta [^]*\nalpha /,
  );
});
