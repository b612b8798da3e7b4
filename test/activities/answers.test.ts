/** What the command line asks a worker for, from a real ledger and a real store. */
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { phaseSchema } from '../../configs/schema.ts';
import { answerActivities } from '../../activities/answers.ts';
import type { BackendLogs } from '../../activities/backend.ts';
import type { LogsQuestion, Reaped } from '../../workflows/contract-questions.ts';
import type { ResolvedPipeline } from '../../workflows/contract.ts';
import { activityBench, type ActivityBench, contextOf, runId, startAttempt } from '../support/activity-bench.ts';
import { fakeTrainer } from '../support/fake-trainer.ts';
import { basePhase, leastPhases, recipeOf } from '../support/recipes.ts';

let bench: ActivityBench;
beforeEach(async () => {
  bench = await activityBench();
  await bench.as(runId).openPipeline({ pipelineId: 'demo', runId: 'run-1', resolved });
});
afterEach(() => bench.close());

const resolved = { recipe: { name: 'small' } } as unknown as ResolvedPipeline;
const explain = (pipeline: string, phase?: string) => bench.ask({ question: 'explain', pipeline, phase });

/** Attempt 1 is killed at step 23, and attempt 2 begins. */
async function killedOnce(): Promise<void> {
  const attempt = await startAttempt(bench);
  const trainer = fakeTrainer(attempt);
  await trainer.saves(20);
  await trainer.says(23, 'training');
  bench.pass(75);
  bench.backend.end(attempt.job, { exitCode: null, signal: 'SIGKILL', lastLines: ['step 22', 'step 23'] });
  await bench.as(runId).judgeAttempt(attempt);
  await startAttempt(bench, 2);
}

describe('explain', () => {
  test('tells attempts, incidents and decisions in the order they happened, with their numbers', async () => {
    await killedOnce();
    const { state, phases, omitted } = await explain('demo');
    expect([state, omitted, phases.map(({ phase, state: now }) => [phase, now])]).toEqual([
      'running',
      0,
      [['sft', 'running']],
    ]);
    expect(
      phases[0]?.events.map(({ about, attempt, sentence, lines }) => [about, attempt, sentence, ...lines]),
    ).toEqual([
      ['attempt', 1, 'Attempt 1: failed after 75 s.'],
      ['start', 1, "Starts at the phase's start: there is no checkpoint to go on from."],
      [
        'incident',
        1,
        'attempt 1, node node-1: rank 0 was killed by SIGKILL at step 23; went on from step 20 as attempt 2; 3 steps lost.',
        'killed: rank 0 was ended by SIGKILL. Newest complete checkpoint at step 20.',
        'log: step 22',
        'log: step 23',
      ],
      [
        'retry',
        1,
        expect.stringMatching(/^Resumes from the newest checkpoint in .*killed cost an attempt, 1 of 5 are spent\.$/),
      ],
      ['attempt', 2, 'Attempt 2: queued.', 'What it waits for: `temper status demo`.'],
      ['start', 2, 'Goes on from demo/sft/a1/checkpoint-20 at step 20. 3 steps lost.'],
    ]);
  });

  test('shows the evidence of one attempt alone, and of all failures where it is asked for', async () => {
    await killedOnce();
    const ask = (more: { readonly attempt?: number; readonly evidence?: boolean }) =>
      bench.ask({ question: 'explain', pipeline: 'demo', ...more });
    const first = (await ask({ attempt: 1 })).phases[0]?.events ?? [];
    expect(first.every(({ attempt }) => attempt === 1)).toBe(true);
    const incident = first.find(({ about }) => about === 'incident');
    // The last words stand in the evidence, and are told once.
    expect(incident?.lines).toEqual([expect.stringMatching(/^killed: /)]);
    const evidence = incident?.evidence;
    expect(evidence).toMatchObject({
      ranks: [{ rank: 0, signal: 'SIGKILL', lastLines: ['step 22', 'step 23'] }],
      cluster: null,
    });
    expect(
      (await ask({ evidence: true })).phases[0]?.events.find(({ about }) => about === 'incident')?.evidence,
    ).toEqual(evidence);
    expect((await explain('demo')).phases[0]?.events.some((event) => 'evidence' in event)).toBe(false);
    await expect(ask({ attempt: 7 })).rejects.toMatchObject({
      code: 'not-found',
      message: 'there is no attempt 7; there are: 1, 2',
    });
  });

  test('names who let a held phase go on, and says no more that it holds', async () => {
    await startAttempt(bench);
    const context = contextOf();
    await bench.as(runId).closePhase({ context, state: 'held', because: 'Holds for a person.' });
    await bench.as(runId).recordRelease({ context, release: { by: 'ann', reason: 'there is room' } });
    const [phase] = (await explain('demo')).phases;
    expect(phase).toMatchObject({ state: 'running', because: 'It was released by ann: there is room' });
    expect(phase?.events.at(-1)?.sentence).toBe('It was released by ann: there is room.');
  });

  test.each([
    {
      pipeline: 'dmeo',
      phase: undefined,
      want: 'no pipeline "dmeo" is in the ledger; did you mean "demo"? There are: demo',
    },
    { pipeline: 'demo', phase: 'stf', want: 'no phase "stf" of it has begun; did you mean "sft"? There are: sft' },
  ])('$pipeline $phase is not found', async ({ pipeline, phase, want }) => {
    await startAttempt(bench);
    await expect(explain(pipeline, phase)).rejects.toMatchObject({ code: 'not-found', message: want });
  });
});

describe('logs', () => {
  const logs = (more: Partial<LogsQuestion> = {}) => bench.ask({ question: 'logs', pipeline: 'demo', ...more });

  test('show the end of the newest attempt, then what came since, then the next attempt from its start', async () => {
    const first = await startAttempt(bench);
    await appendFile(join(first.ticket.directory, 'log.txt'), 'one\ntwo\nthr');
    const tail = await logs();
    expect(tail).toMatchObject({ phase: 'sft', attempt: 1, from: 0, to: 8, text: 'one\ntwo\n', isOver: false });
    const seen = { directory: tail.directory, to: tail.to };
    expect((await logs({ seen, waitSeconds: 0.1 })).text).toBe('');
    await appendFile(join(first.ticket.directory, 'log.txt'), 'ee\n');
    expect((await logs({ seen, waitSeconds: 5 })).text).toBe('three\n');
    bench.pass(1);
    const second = await startAttempt(bench, 2);
    await appendFile(join(second.ticket.directory, 'log.txt'), 'again\n');
    expect(await logs({ seen })).toMatchObject({ attempt: 2, from: 0, text: 'again\n' });
  });

  test('of a job that runs are brought from its backend first, each rank’s on its own', async () => {
    const { ticket, job } = await startAttempt(bench);
    bench.backend.run(job);
    const backendLogs: BackendLogs = {
      bring: (asked, rank) => appendFile(join(asked.directory, `log-${String(rank)}.txt`), 'brought\n'),
      follow: () => Promise.resolve(),
    };
    const place = bench.dependencies.placeOf(undefined);
    bench.dependencies.placeOf = () => ({ ...place, backend: { ...bench.backend, logs: backendLogs } });
    expect((await logs({ rank: 3 })).text).toBe('brought\n');
    await appendFile(join(ticket.directory, 'log.txt'), 'of rank 0\n');
    expect((await logs({ rank: 3 })).text).toBe('brought\nbrought\n');
  });

  test('hold a part of a huge log that fits into a history', async () => {
    const { ticket } = await startAttempt(bench);
    await appendFile(join(ticket.directory, 'log.txt'), `${'x'.repeat(99)}\n`.repeat(2000));
    const { from, to, text } = await logs();
    expect([to, text.length % 100, text.length <= 64 * 1024, to - from]).toEqual([200_000, 0, true, text.length]);
  });

  test('of a rank that the job did not have are not found, once it has ended', async () => {
    const attempt = await startAttempt(bench);
    await appendFile(join(attempt.ticket.directory, 'log.txt'), 'one\n');
    expect((await logs({ rank: 9 })).text).toBe('');
    bench.backend.end(attempt.job, { exitCode: 1 });
    await bench.as(runId).judgeAttempt(attempt);
    await expect(logs({ rank: 9 })).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('attempt 1 of sft has no log of rank 9; there are: 0.') as string,
    });
  });

  test('are over when the pipeline has ended and everything is told', async () => {
    await startAttempt(bench);
    await bench.as(runId).closePipeline({ pipelineId: 'demo', runId: 'run-1', state: 'failed' });
    expect((await logs()).isOver).toBe(true);
  });

  test('of an attempt that is not there name those that are', async () => {
    await startAttempt(bench);
    await expect(logs({ attempt: 7 })).rejects.toMatchObject({
      message: 'pipeline demo has no such attempt in its newest run; there are: 1',
    });
  });
});

describe('plan', () => {
  const base = { ...basePhase, params: { steps: 50, checkpointEvery: 10 } };
  const plan = async (set: Record<string, unknown> = {}) => {
    const recipe = { ...recipeOf(), phases: [base, leastPhases.sft] };
    return await bench.ask({ question: 'plan', input: { recipe, set } });
  };
  const sentences = async (set: Record<string, unknown> = {}) =>
    (await plan(set)).phases.map(({ sentence }) => sentence);

  /** The base of the recipe is trained and promoted; returns its checkpoint's path. */
  async function baseFinished(): Promise<string> {
    const context = contextOf({ phase: phaseSchema.parse(base), position: 0, start: null });
    const attempt = await startAttempt(bench, 1, { context });
    const trainer = fakeTrainer(attempt);
    const path = await trainer.saves(50);
    await trainer.finishes();
    bench.backend.end(attempt.job);
    await bench.as(runId).judgeAttempt(attempt);
    const [checkpoint] = await bench.ledger.checkpointsOf({ runId: 'run-1', phase: 'base' });
    if (!checkpoint) throw new Error('no checkpoint was recorded');
    await bench.as(runId).promote({ context, checkpoint, because: 'the newest', score: null });
    return path;
  }

  test('runs everything when nothing was finished', async () => {
    expect(await sentences()).toEqual([
      'Runs: nothing of its kind was finished before.',
      'Runs: base runs, and this phase starts from it.',
    ]);
  });

  test('reuses what is finished and sealed', async () => {
    await baseFinished();
    expect(await sentences()).toEqual([
      'Reused from demo (phase base, 2026-11-29 10:00 UTC): the same work, and demo/base/a1/checkpoint-50 is still sealed.',
      'Runs: nothing of its kind was finished before.',
    ]);
  });

  test('names the field that differs', async () => {
    await baseFinished();
    expect(await sentences({ 'phases.base.params.learningRate': 1e-3 })).toEqual([
      'Runs: phases.base.params.learningRate was 0.005 and is now 0.001, compared with demo (phase base, 2026-11-29 10:00 UTC).',
      'Runs: base runs, and this phase starts from it.',
    ]);
  });

  test('does not reuse a checkpoint whose files have changed', async () => {
    const path = await baseFinished();
    await rm(join(path, 'adapter_model.safetensors'));
    expect((await sentences())[0]).toBe(
      `Runs: the same work was finished by demo (phase base, 2026-11-29 10:00 UTC), but its checkpoint is not what was sealed any more (${path}).`,
    );
  });

  test('says where each value came from', async () => {
    const { values } = await plan({ seed: 7 });
    const of = (field: string) => values.find((value) => value.field === field);
    expect([of('seed'), of('phases.base.params.steps'), of('onFailure')]).toEqual([
      { field: 'seed', value: 7, from: 'set' },
      { field: 'phases.base.params.steps', value: 50, from: 'recipe' },
      { field: 'onFailure', value: 'hold', from: 'default' },
    ]);
  });

  test('refuses a recipe that is not valid', async () => {
    await expect(plan({ 'phases.base.params.step': 1 })).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

describe('reap', () => {
  const job = (name: string) => ({ name, uid: `uid of ${name}`, directory: `/store/${name}` });

  test('names the jobs that run for nobody, and why the others stay', async () => {
    const asked: unknown[] = [];
    const reaper = {
      judge: (how: unknown) => {
        asked.push(how);
        return Promise.resolve([
          { job: job('mine'), decision: { kind: 'leave', because: 'owner-open' } as const },
          { job: job('late'), decision: { kind: 'leave', because: 'closed-lately' } as const },
          { job: job('strange'), decision: { kind: 'leave', because: 'owner-unknown' } as const },
          { job: job('theirs'), decision: { kind: 'stop', closedAt: '2026-11-29T09:00:00.000Z' } as const },
        ]);
      },
    };
    const answer = await answerActivities({ ...bench.dependencies, reaper }).answerQuestion({
      question: 'reap',
      stop: false,
    });
    expect(answer).toEqual({
      answer: 'reap',
      stopped: false,
      go: [{ job: 'theirs', why: 'its workflow run closed at 2026-11-29T09:00:00.000Z', outcome: null }],
      stay: [
        { job: 'mine', why: 'its workflow run is open' },
        { job: 'late', why: 'its workflow run closed less than 10 minutes ago' },
        { job: 'strange', why: 'this Temporal server does not know its workflow run' },
      ],
      counts: { go: 1, stay: 3, stopped: 0, stopping: 0, refused: 0 },
    } satisfies Reaped);
    expect(asked).toEqual([{ stop: false }]);
  });

  test('counts every job, also those that its lists leave out', async () => {
    const decision = { kind: 'stop', closedAt: '2026-11-29T09:00:00.000Z' } as const;
    const [stopped, refused] = [{ kind: 'stopped' } as const, { kind: 'refused', because: 'it hangs' } as const];
    const going = Array.from({ length: 401 }, (_, index) => ({
      job: job(`t${String(index)}`),
      decision,
      outcome: index === 400 ? refused : stopped,
    }));
    const staying = { job: job('mine'), decision: { kind: 'leave', because: 'owner-open' } as const };
    const reaper = { judge: () => Promise.resolve([...going, staying]) };
    const question = { question: 'reap', stop: true } as const;
    const answer = await answerActivities({ ...bench.dependencies, reaper }).answerQuestion(question);
    expect(answer).toMatchObject({ counts: { go: 401, stay: 1, stopped: 400, stopping: 0, refused: 1 } });
    expect((answer as Reaped).go).toHaveLength(400);
  });

  test('is refused where no Temporal server can be asked', async () => {
    await expect(bench.ask({ question: 'reap', stop: true })).rejects.toThrow(/only a worker can say/);
  });
});
