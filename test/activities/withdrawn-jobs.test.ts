/** Jobs that come to nothing: there is no room for them, or they are withdrawn. */
import { TemperError } from '../../decisions/errors.ts';
import { activityBench, type ActivityBench, startAttempt, type StartedAttempt } from '../support/activity-bench.ts';

let bench: ActivityBench;
let attempt: StartedAttempt;
beforeEach(async () => {
  bench = await activityBench();
  attempt = await startAttempt(bench);
});
afterEach(() => bench.close());

const stateOf = async () => (await bench.ledger.attemptsOf({ workflowId: 'demo', phase: 'sft' }))[0]?.state;

describe('a submit for which there is no room', () => {
  const quota = new TemperError('no-room', 'exceeded quota: full');
  const submit = (more: { readonly waitsSince?: string; readonly toldRoom?: string } = {}) =>
    bench.as('phase-run-1').submitJob({ ...attempt, ...more });
  const waitsSince = '2026-11-29T10:00:00.000Z';
  beforeEach(() => {
    bench.backend.submit = () => Promise.reject(quota);
  });

  test('says so at once', async () => {
    expect(await submit()).toEqual({ kind: 'no-room', because: 'exceeded quota: full' });
  });

  test('is tried again within its bound, and given up beyond it', async () => {
    bench.pass(60 * 60);
    await expect(submit({ waitsSince })).rejects.toMatchObject({ type: 'no-room', nonRetryable: false });
    bench.pass(60);
    expect(await submit({ waitsSince })).toEqual({
      kind: 'waited',
      because:
        'It waited 61 min to start (exceeded quota: full), and budgets.waitMinutes allows 60 min: its place in the queue is given up, and no attempt is charged.',
      wait: { for: 'quota', reason: 'exceeded quota: full', seconds: 3660, node: null },
    });
  });

  test('says for which other reason there is none now, whoever was told of another; other numbers are none', async () => {
    const told = async (toldRoom: string) => await submit({ waitsSince, toldRoom });
    expect(await told('forbidden: paused')).toEqual({ kind: 'no-room', because: 'exceeded quota: full' });
    bench.backend.submit = () => Promise.reject(new TemperError('no-room', 'exceeded quota: 3 of 4'));
    await expect(told('exceeded quota: 4 of 4')).rejects.toMatchObject({ type: 'no-room' });
  });

  test('is no other trouble', async () => {
    bench.backend.submit = () => Promise.reject(new TemperError('backend-unavailable', 'busy'));
    await expect(submit()).rejects.toMatchObject({ type: 'backend-unavailable' });
  });
});

test.each(['cancel', 'deadline', 'shutdown'] as const)(
  'a stop (%s) that nobody judges closes the attempt',
  async (reason) => {
    await bench.as('phase-run-1').stopJob({ ...attempt, reason });
    expect(await stateOf()).toBe('cancelled');
  },
);

describe('withdrawJob', () => {
  test('finds the job that nobody heard of, and stops it', async () => {
    await bench.as('phase-run-1').withdrawJob({ ...attempt, reason: 'cancel' });
    expect(bench.backend.stopped).toEqual([{ job: attempt.job.name, reason: 'cancel', graceSeconds: 7 }]);
    expect(await stateOf()).toBe('cancelled');
  });

  test('records that the attempt is cancelled where there is none', async () => {
    bench.backend.find = () => Promise.resolve(null);
    await bench.as('phase-run-1').withdrawJob({ ...attempt, reason: 'deadline' });
    expect(bench.backend.stopped).toEqual([]);
    expect(await stateOf()).toBe('cancelled');
  });

  test('of one that waited too long leaves the rest to its judgement: an incident, free of charge, and a hold', async () => {
    bench.backend.find = () => Promise.resolve(null);
    await bench.as('phase-run-1').withdrawJob({ ...attempt, reason: 'waited' });
    const waited = { for: 'quota', reason: 'exceeded quota: full', seconds: 3660, node: null } as const;
    expect(await bench.as('phase-run-1').judgeAttempt({ ...attempt, job: null, waited })).toMatchObject({
      kind: 'hold',
      sentence:
        'attempt 1: it waited 61 min for room in a quota (exceeded quota: full). Holds for a person, GPUs released: quota, waited 61 min of at most 60 min.',
    });
    expect(await bench.ledger.incidentsOf({ runId: 'run-1', phase: 'sft' })).toMatchObject([{ class: 'quota' }]);
    expect(await stateOf()).toBe('failed');
  });
});

test('of a phase whose run is gone what still runs is stopped, and closing the phase closes it', async () => {
  const { context } = attempt;
  bench.backend.end(attempt.job, { exitCode: null, signal: 'SIGKILL' });
  await bench.as('phase-run-1').judgeAttempt(attempt);
  const second = await startAttempt(bench, 2);
  await bench.as('pipeline-run').stopJobsOf({ context });
  expect(bench.backend.stopped).toEqual([{ job: second.job.name, reason: 'cancel', graceSeconds: 7 }]);
  await bench.as('pipeline-run').closePhase({ context, state: 'failed', because: 'its run was terminated' });
  const attempts = await bench.ledger.attemptsOf({ workflowId: 'demo', phase: 'sft' });
  expect(attempts.map(({ state }) => state)).toEqual(['failed', 'cancelled']);
});

test('of a phase whose run is gone an attempt that ends while it is stopped stays as it ended', async () => {
  const stop = bench.backend.stop.bind(bench.backend);
  bench.backend.stop = async (job, how) => {
    bench.backend.end(attempt.job, { exitCode: null, signal: 'SIGKILL' });
    await bench.as('phase-run-1').judgeAttempt(attempt);
    await stop(job, how);
  };
  await bench.as('pipeline-run').stopJobsOf({ context: attempt.context });
  expect(await stateOf()).toBe('failed');
});
