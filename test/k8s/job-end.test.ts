/** How a job ended, read after everything else is gone. */
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JobEnd, readJobEnd, writeJobEnd } from '../../k8s/job-end.ts';

const directory = await mkdtemp(join(tmpdir(), 'temper-job-end-'));
afterAll(() => rm(directory, { recursive: true }));

const job = { name: 't-sft-a1', uid: 'first', directory };
const end: JobEnd = {
  state: 'ended',
  startedAt: null,
  ranks: [],
  endedAt: '2026-11-29T10:00:00Z',
  stopRequested: null,
};

test('an end is that of the very Job it was written for', async () => {
  expect(await readJobEnd(job)).toBeNull();
  await writeJobEnd(job, end);
  expect(await readJobEnd(job)).toEqual(end);
  expect(await readJobEnd({ ...job, uid: 'another' })).toBeNull();
});

test('a record that a power cut left empty is none', async () => {
  await writeFile(join(directory, 'job-end.json'), '');
  expect(await readJobEnd(job)).toBeNull();
});

test('a link that a pod left in its place leads nobody elsewhere', async () => {
  const elsewhere = join(directory, 'elsewhere');
  await writeFile(elsewhere, 'mine');
  await rm(join(directory, 'job-end.json'), { force: true });
  await symlink(elsewhere, join(directory, 'job-end.json'));
  await writeJobEnd(job, end);
  expect(await readFile(elsewhere, 'utf8')).toBe('mine');
  expect(await readJobEnd(job)).toEqual(end);
});
