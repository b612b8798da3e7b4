import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { jobFiles } from '../../local/job-files.ts';
import { entryOf } from '../../local/process-identity.ts';
import { endOf, isQueued, isRunning, pidsIn, statusWhen, textOf, type Workplace, workplace } from './jobs.ts';

let place: Workplace;
beforeAll(async () => {
  place = await workplace();
});
afterAll(() => place.close());

const soon = { reason: 'cancel', graceSeconds: 0.3 } as const;
const patient = { reason: 'shutdown', graceSeconds: 20 } as const;
/** The shell also says that its own child was terminated. */
const saved = expect.arrayContaining(['saved']) as string[];
const deaf = "trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $$ $! > pids; while :; do sleep 1; done";

test('a trainer may save: it gets SIGTERM and its exit code counts', async () => {
  const backend = place.backend();
  const script = "trap 'echo saved; exit 75' TERM; echo ready > ready; while :; do sleep 0.05; done";
  const job = await backend.submit(await place.job(script));
  await textOf(join(job.directory, 'ready'));
  await backend.stop(job, patient);
  expect(await endOf(backend, job)).toMatchObject({ exitCode: 75, lastLines: saved, stopRequested: 'shutdown' });
});

test('what ignores SIGTERM is killed after the grace, its children too', async () => {
  const backend = place.backend();
  const job = await backend.submit(await place.job(deaf));
  const pids = await pidsIn(join(job.directory, 'pids'));
  await backend.stop(job, soon);
  for (const pid of pids) expect(await entryOf(pid)).toBeNull();
  expect(await endOf(backend, job)).toMatchObject({ exitCode: null, signal: 'SIGKILL', stopRequested: 'cancel' });
});

test('a grandchild in a session of its own is ended too', async () => {
  const backend = place.backend();
  const job = await backend.submit(await place.job("setsid sh -c 'echo $$ > strayed; sleep 60' & sleep 60"));
  const pids = await pidsIn(join(job.directory, 'strayed'));
  await backend.stop(job, soon);
  for (const pid of pids) expect(await entryOf(pid)).toBeNull();
});

test('again, at once, and by another worker: one stop, all resolve', async () => {
  const backend = place.backend();
  const job = await backend.submit(await place.job('sleep 60'));
  await Promise.all([
    backend.stop(job, soon),
    place.backend().stop(job, soon),
    backend.stop(job, { ...patient, reason: 'cancel' }),
  ]);
  await backend.stop(job, { reason: 'deadline', graceSeconds: 0 });
  expect(await endOf(backend, job)).toMatchObject({ stopRequested: 'cancel' });
});

test('a queued job is stopped before it began', async () => {
  const backend = place.backend({ slots: 1 });
  const busy = await backend.submit(await place.job('sleep 60'));
  const job = await backend.submit(await place.job('echo began > began'));
  await statusWhen(backend, job, isQueued);
  await place.backend().stop(job, patient);
  expect(await endOf(backend, job)).toMatchObject({
    exitCode: null,
    reason: 'never-started',
    stopRequested: 'shutdown',
  });
  await backend.stop(busy, soon);
  expect(await readdir(job.directory)).not.toContain('began');
});

test('a stop that comes before the claim ends the job as soon as it is claimed', async () => {
  const backend = place.backend();
  const spec = await place.job('echo began > began');
  await backend.stop({ name: spec.name, uid: 'not yet known', directory: spec.directory }, soon);
  const job = await backend.submit(spec);
  expect(await endOf(backend, job)).toMatchObject({ reason: 'never-started', stopRequested: 'cancel' });
  expect(await readdir(job.directory)).not.toContain('began');
});

test('a stop in the middle of the start leaves nothing, twenty times', async () => {
  const backend = place.backend();
  for (let round = 0; round < 20; round += 1) {
    const job = await backend.submit(await place.job('echo $$ > pid; sleep 60'));
    await backend.stop(job, { reason: 'cancel', graceSeconds: 5 });
    const started = await jobFiles(job.directory).readStarted();
    if (started !== null) expect(await entryOf(started.trainer.pid)).toBeNull();
    expect(await endOf(backend, job)).toMatchObject({ stopRequested: 'cancel' });
  }
});

test('an orphan whose supervisor was killed gets its grace from the worker', async () => {
  const backend = place.backend();
  const script = "trap 'echo saved; exit 75' TERM; echo ready > ready; while :; do sleep 0.05; done";
  const job = await backend.submit(await place.job(script));
  await textOf(join(job.directory, 'ready'));
  const claim = await jobFiles(job.directory).readClaim();
  process.kill(claim?.supervisor.pid ?? 0, 'SIGKILL');
  await backend.stop(job, patient);
  expect(await endOf(backend, job)).toMatchObject({
    exitCode: null,
    reason: 'no-exit-record',
    lastLines: saved,
    stopRequested: 'shutdown',
  });
});

test('a supervisor that does not answer is killed with its job', async () => {
  const backend = place.backend();
  const job = await backend.submit(await place.job(deaf));
  const pids = await pidsIn(join(job.directory, 'pids'));
  await statusWhen(backend, job, isRunning);
  const claim = await jobFiles(job.directory).readClaim();
  const supervisor = claim?.supervisor.pid ?? 0;
  process.kill(supervisor, 'SIGSTOP');
  await backend.stop(job, { reason: 'cancel', graceSeconds: 0 });
  for (const pid of [...pids, supervisor]) expect(await entryOf(pid)).toBeNull();
});

test('a job of another token in the same directory is left alone', async () => {
  const backend = place.backend();
  const job = await backend.submit(await place.job('sleep 60'));
  const running = await statusWhen(backend, job, isRunning);
  await backend.stop({ ...job, uid: 'another' }, soon);
  expect(await backend.status(job)).toEqual(running);
});

test('a directory that is gone is a job that is gone', async () => {
  await place.backend().stop({ name: 'gone', uid: 'gone', directory: '/no/such/directory' }, soon);
});
