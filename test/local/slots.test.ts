import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jobFiles } from '../../local/job-files.ts';
import { endOf, isQueued, isRunning, statusWhen, textOf, type Workplace, workplace } from './jobs.ts';

let place: Workplace;
beforeEach(async () => {
  place = await workplace();
});
afterEach(() => place.close());

const untilGo = 'until [ -e go ]; do sleep 0.02; done';
const letGo = (directory: string) => writeFile(join(directory, 'go'), '');

test('jobs beyond the slots wait, say why, and start in the order they came', async () => {
  const witness = join(place.root, '..', 'witness');
  await appendFile(witness, '');
  const backend = place.backend({ slots: 1 });
  const first = await backend.submit(await place.job(`echo 1 >> ${witness}; ${untilGo}`));
  await statusWhen(backend, first, isRunning);
  const waiting = [];
  for (const number of [2, 3, 4]) {
    const job = await backend.submit(await place.job(`echo ${String(number)} >> ${witness}`));
    await statusWhen(backend, job, isQueued);
    waiting.push(job);
  }
  const [second] = waiting;
  if (second === undefined) throw new Error('none');
  expect(await backend.status(second)).toMatchObject({ state: 'queued', reason: 'waits for 1 of 1 slots' });
  backend.close(); // the queue needs no worker
  await letGo(first.directory);
  for (const job of waiting) await endOf(place.backend({ slots: 1 }), job);
  expect(await readFile(witness, 'utf8')).toBe('1\n2\n3\n4\n');
});

test('never more at once than there are slots, with workers of one machine submitting together', async () => {
  const witness = join(place.root, '..', 'witness');
  const script = `echo + >> ${witness}; sleep 0.05; echo - >> ${witness}`;
  const backends = [place.backend({ slots: 2 }), place.backend({ slots: 2 })];
  const jobs = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => backends[index % 2]?.submit(await place.job(script))),
  );
  for (const job of jobs) if (job !== undefined) await endOf(place.backend(), job);
  let [now, most] = [0, 0];
  for (const mark of (await readFile(witness, 'utf8')).trim().split('\n')) {
    now += mark === '+' ? 1 : -1;
    most = Math.max(most, now);
  }
  expect({ now, most }).toEqual({ now: 0, most: 2 });
});

test('a job that needs all slots gets them although small ones keep coming', async () => {
  const backend = place.backend({ slots: 2 });
  const small = await backend.submit(await place.job(untilGo));
  await statusWhen(backend, small, isRunning);
  const large = await backend.submit(await place.job('sleep 0.1', { slots: 2 }));
  await statusWhen(backend, large, isQueued);
  const late = await backend.submit(await place.job('exit 0'));
  await statusWhen(backend, late, isQueued);
  await letGo(small.directory);
  const [ofLarge, ofLate] = [await endOf(backend, large), await endOf(backend, late)];
  expect(String(ofLarge.endedAt) <= String(ofLate.endedAt)).toBe(true);
});

test('the slot of a supervisor that was killed with its trainer is taken over', async () => {
  const backend = place.backend({ slots: 1 });
  const first = await backend.submit(await place.job('sleep 60'));
  await statusWhen(backend, first, isRunning);
  const second = await backend.submit(await place.job('exit 6'));
  await statusWhen(backend, second, isQueued);
  const files = jobFiles(first.directory);
  const [claim, started] = [await files.readClaim(), await files.readStarted()];
  process.kill(claim?.supervisor.pid ?? 0, 'SIGKILL');
  process.kill(started?.trainer.pid ?? 0, 'SIGKILL');
  expect(await endOf(backend, second)).toMatchObject({ exitCode: 6 });
});

test('the slot of a dead supervisor whose trainer lives is still in use', async () => {
  const backend = place.backend({ slots: 1 });
  const first = await backend.submit(await place.job(`echo x > began; ${untilGo}`));
  await textOf(join(first.directory, 'began'));
  const second = await backend.submit(await place.job('exit 6'));
  await statusWhen(backend, second, isQueued);
  process.kill((await jobFiles(first.directory).readClaim())?.supervisor.pid ?? 0, 'SIGKILL');
  await statusWhen(backend, first, (status) => isRunning(status) && 'reason' in status && status.reason !== null);
  expect(await backend.status(second)).toMatchObject({ state: 'queued' });
  await letGo(first.directory);
  expect(await endOf(backend, second)).toMatchObject({ exitCode: 6 });
});

test('a dead job at the head of the queue holds nobody up', async () => {
  const backend = place.backend({ slots: 1 });
  const first = await backend.submit(await place.job(untilGo));
  await statusWhen(backend, first, isRunning);
  const dead = await backend.submit(await place.job('exit 0'));
  await statusWhen(backend, dead, isQueued);
  const next = await backend.submit(await place.job('exit 7'));
  await statusWhen(backend, next, isQueued);
  process.kill((await jobFiles(dead.directory).readClaim())?.supervisor.pid ?? 0, 'SIGKILL');
  await letGo(first.directory);
  expect(await endOf(backend, next)).toMatchObject({ exitCode: 7 });
});

test('each job sees the devices of its slots', async () => {
  const before = process.env['CUDA_VISIBLE_DEVICES'];
  process.env['CUDA_VISIBLE_DEVICES'] = '3,5';
  try {
    const backend = place.backend({ slots: 'auto' });
    const script = `echo "$CUDA_VISIBLE_DEVICES" > seen; ${untilGo}`;
    const jobs = [await backend.submit(await place.job(script)), await backend.submit(await place.job(script))];
    const seen = [];
    for (const job of jobs) seen.push(await textOf(join(job.directory, 'seen')));
    expect(seen.sort()).toEqual(['3', '5']);
  } finally {
    if (before === undefined) delete process.env['CUDA_VISIBLE_DEVICES'];
    else process.env['CUDA_VISIBLE_DEVICES'] = before;
  }
});
