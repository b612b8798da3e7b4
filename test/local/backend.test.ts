import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRef } from '../../activities/backend.ts';
import { jobFiles } from '../../local/job-files.ts';
import { entryOf, isAlive } from '../../local/process-identity.ts';
import { endOf, isEnded, isRunning, pidsIn, statusWhen, textOf, type Workplace, workplace } from './jobs.ts';

let place: Workplace;
beforeAll(async () => {
  place = await workplace();
});
afterAll(() => place.close());

const supervisorOf = async (job: JobRef) => {
  const claim = await jobFiles(job.directory).readClaim();
  if (claim === null) throw new Error('no claim');
  return claim.supervisor;
};
const trainerOf = async (job: JobRef) => {
  const started = await jobFiles(job.directory).readStarted();
  if (started === null) throw new Error('not started');
  return started.trainer;
};

describe('how a job ended', () => {
  test.each([
    { script: 'exit 0', want: { exitCode: 0, signal: null, reason: null } },
    { script: 'exit 75', want: { exitCode: 75, signal: null, reason: null } },
    { script: 'kill -KILL $$', want: { exitCode: null, signal: 'SIGKILL', reason: null } },
    { script: 'kill -ABRT $$', want: { exitCode: null, signal: 'SIGABRT', reason: null } },
    { script: 'exec /no/such/program', want: { exitCode: 127, signal: null, reason: null } },
  ])('$script', async ({ script, want }) => {
    const backend = place.backend();
    const job = await backend.submit(await place.job(script));
    expect(await endOf(backend, job)).toMatchObject({ rank: 0, ...want, stopRequested: null });
  });

  test('comes with the last lines of the log', async () => {
    const backend = place.backend();
    const job = await backend.submit(await place.job('echo one; echo two >&2; exit 1'));
    expect((await endOf(backend, job)).lastLines).toEqual(['one', 'two']);
  });

  test('stays known to a worker that comes hours later', async () => {
    const job = await place.backend().submit(await place.job('exit 9'));
    const first = await statusWhen(place.backend(), job, isEnded);
    expect(await place.backend().status(job)).toEqual(first);
  });
});

test('the trainer is told its request and its token', async () => {
  const backend = place.backend();
  const spec = await place.job('echo "$TEMPER_REQUEST $TEMPER_JOB_TOKEN"');
  const job = await backend.submit(spec);
  expect((await endOf(backend, job)).lastLines).toEqual([`${spec.requestPath} ${job.uid}`]);
});

describe('one job of a name, whoever asks and however often', () => {
  test('a lost reply: the second submit finds the first job', async () => {
    const spec = await place.job('echo $$ >> pids; sleep 60');
    const first = await place.backend().submit(spec);
    const second = await place.backend().submit(spec);
    expect(second).toEqual(first);
  });

  test('a submitted job is listed at once', async () => {
    const backend = place.backend();
    const job = await backend.submit(await place.job('sleep 60'));
    expect(await place.backend().list()).toContainEqual(job);
  });

  test('an ended job is found, not run again', async () => {
    const backend = place.backend();
    const spec = await place.job('echo x >> runs');
    await endOf(backend, await backend.submit(spec));
    await endOf(backend, await place.backend().submit(spec));
    expect(await readFile(join(spec.directory, 'runs'), 'utf8')).toBe('x\n');
  });

  test('two workers submit at once, twenty times: one trainer each time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const spec = await place.job('echo $$ >> pids');
      const [one, other] = [place.backend(), place.backend()];
      const jobs = await Promise.all([one.submit(spec), other.submit(spec)]);
      expect(jobs[0]).toEqual(jobs[1]);
      await endOf(one, jobs[0]);
      expect(await pidsIn(join(spec.directory, 'pids'))).toHaveLength(1);
    }
  });

  test('the same name in another directory is the living job, not a second one', async () => {
    const spec = await place.job('sleep 60');
    const job = await place.backend().submit(spec);
    const elsewhere = await place.job('sleep 60', { name: spec.name });
    expect(await place.backend().submit(elsewhere)).toEqual(job);
  });

  test('a directory of another job is refused', async () => {
    const backend = place.backend();
    const spec = await place.job('exit 0');
    await backend.submit(spec);
    await expect(backend.submit({ ...spec, name: 'other' })).rejects.toMatchObject({ code: 'job-refused' });
  });
});

test.each([
  { title: 'more slots than the machine has', more: { slots: 9 }, want: 'job-refused' },
  { title: 'a directory that does not exist', more: { directory: '/no/such/directory' }, want: 'not-found' },
])('refuses $title', async ({ more, want }) => {
  await expect(place.backend().submit(await place.job('exit 0', more))).rejects.toMatchObject({ code: want });
});

describe('adoption', () => {
  test('a second worker watches a job of the first to its end', async () => {
    const first = place.backend();
    const job = await first.submit(await place.job('until [ -e go ]; do sleep 0.02; done; exit 5'));
    await statusWhen(first, job, isRunning);
    first.close();
    const second = place.backend();
    expect(await second.list()).toContainEqual(job);
    const end = endOf(second, job);
    await writeFile(join(job.directory, 'go'), '');
    expect(await end).toMatchObject({ exitCode: 5 });
    expect((await second.list()).map(({ name }) => name)).not.toContain(job.name);
  });

  test('a reference to another job of that directory is vanished, as is one without records', async () => {
    const backend = place.backend();
    const job = await backend.submit(await place.job('exit 0'));
    expect(await backend.status({ ...job, uid: 'another' })).toEqual({ state: 'vanished' });
    await endOf(backend, job);
    await rm(job.directory, { recursive: true });
    expect(await backend.status(job)).toEqual({ state: 'vanished' });
  });
});

describe('a killed supervisor', () => {
  test('while the trainer lives: it runs on, and its end is seen without an exit code', async () => {
    const backend = place.backend();
    const job = await backend.submit(await place.job('echo x > began; until [ -e go ]; do sleep 0.02; done; exit 5'));
    await textOf(join(job.directory, 'began'));
    process.kill((await supervisorOf(job)).pid, 'SIGKILL');
    const orphaned = await statusWhen(
      backend,
      job,
      (status) => isRunning(status) && 'reason' in status && status.reason !== null,
    );
    expect(orphaned).toMatchObject({
      state: 'running',
      reason: expect.stringContaining('supervisor is dead') as string,
    });
    process.kill((await trainerOf(job)).pid, 'SIGKILL');
    expect(await endOf(backend, job)).toMatchObject({
      exitCode: null,
      signal: null,
      endedAt: null,
      reason: 'no-exit-record',
    });
    expect((await backend.list()).map(({ name }) => name)).not.toContain(job.name);
  });

  test('before the trainer began: the trainer never begins', async () => {
    const backend = place.backend({ slots: 1 });
    const busy = await backend.submit(await place.job('sleep 60'));
    const job = await backend.submit(await place.job('echo began > began; sleep 60'));
    await statusWhen(backend, job, ({ state }) => state === 'queued');
    process.kill((await supervisorOf(job)).pid, 'SIGKILL');
    expect(await endOf(backend, job)).toMatchObject({ exitCode: null, reason: 'never-started' });
    await backend.stop(busy, { reason: 'cancel', graceSeconds: 0 });
    expect(await readdir(job.directory)).not.toContain('began');
  });

  test('and a dead trainer that left a child: the child is ended before the job counts as ended', async () => {
    const backend = place.backend();
    const job = await backend.submit(await place.job('sleep 60 & echo $! > child; wait'));
    const [child = 0] = await pidsIn(join(job.directory, 'child'));
    process.kill((await supervisorOf(job)).pid, 'SIGKILL');
    process.kill((await trainerOf(job)).pid, 'SIGKILL');
    await endOf(backend, job);
    expect(await entryOf(child)).toBeNull();
  });
});

test('a trainer that ends leaves nothing running', async () => {
  const backend = place.backend();
  const job = await backend.submit(await place.job('sleep 60 & setsid sleep 60 & echo $! > strayed; exit 0'));
  const [strayed = 0] = await pidsIn(join(job.directory, 'strayed'));
  expect(await endOf(backend, job)).toMatchObject({ exitCode: 0 });
  expect(await entryOf(strayed)).toBeNull();
});

test('a pid that was given away again is not life', async () => {
  const backend = place.backend();
  const spec = await place.job('exit 0');
  const other = await backend.submit(await place.job('sleep 60'));
  await statusWhen(backend, other, isRunning);
  // A record whose supervisor and trainer have the pids of living processes, but began at another time.
  const stranger = await trainerOf(other);
  const reused = { ...stranger, startTime: '1' };
  const files = jobFiles(spec.directory);
  await files.claim({ name: spec.name, token: 'old', supervisor: reused, claimedAt: '2026-01-01T00:00:00.000Z' });
  await files.recordStarted({ token: 'old', trainer: reused, slots: [0], startedAt: '2026-01-01T00:00:00.000Z' });
  const job = { name: spec.name, uid: 'old', directory: spec.directory };
  expect(await backend.status(job)).toMatchObject({ state: 'ended', ranks: [{ reason: 'no-exit-record' }] });
  expect(await isAlive(stranger)).toBe(true);
});

test('a job from before the machine last came up is over, and that is why', async () => {
  const backend = place.backend();
  const spec = await place.job('exit 0');
  const other = await backend.submit(await place.job('sleep 60'));
  await statusWhen(backend, other, isRunning);
  // Pid and start time are those of a living process: after a boot both may come again.
  const stranger = await trainerOf(other);
  const before = { ...stranger, boot: 'an earlier one' };
  const files = jobFiles(spec.directory);
  await files.claim({ name: spec.name, token: 'old', supervisor: before, claimedAt: '2026-01-01T00:00:00.000Z' });
  await files.recordStarted({ token: 'old', trainer: before, slots: [0], startedAt: '2026-01-01T00:00:00.000Z' });
  const job = { name: spec.name, uid: 'old', directory: spec.directory };
  expect(await backend.status(job)).toMatchObject({
    state: 'ended',
    ranks: [{ exitCode: null, endedAt: null, reason: 'machine-restarted' }],
  });
  expect(await isAlive(stranger)).toBe(true);
});

test('nextChange answers with the current status when its signal comes', async () => {
  const backend = place.backend();
  const job = await backend.submit(await place.job('sleep 60'));
  const seen = await statusWhen(backend, job, isRunning);
  const controller = new AbortController();
  const next = backend.nextChange(job, seen, controller.signal);
  controller.abort();
  expect(await next).toEqual(seen);
});

test('the log is there while the job runs', async () => {
  const backend = place.backend();
  const job = await backend.submit(await place.job('echo hello; sleep 60'));
  expect(await textOf(join(job.directory, 'log.txt'))).toBe('hello');
});
