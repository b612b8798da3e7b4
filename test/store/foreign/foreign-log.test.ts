import { appendFile, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { foreignLog } from '../../../store/foreign/foreign-log.ts';
import type { ForeignReading } from '../../../store/foreign/reading.ts';
import { scratch } from '../checkpoint-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
let path: string;
beforeEach(async () => {
  folder = await scratch();
  path = join(folder.path, 'log.txt');
});
afterEach(() => folder.remove());

const reading = (change: Partial<ForeignReading> = {}): ForeignReading => ({
  format: 'peft',
  folder: '.',
  source: folder.path,
  processes: 1,
  progress: { pattern: String.raw`step (?<step>\d+) loss (?<loss>\S+)` },
  dueSteps: [8],
  logRank: 0,
  targetStep: 8,
  resume: null,
  start: null,
  ...change,
});

test('says nothing before there is a log, then that it loads, then its steps, at the time of the file', async () => {
  const log = foreignLog(path, reading());
  expect(await log.readOn()).toBeNull();
  await writeFile(path, 'loading\n');
  await utimes(path, 1_800_000_000, 1_800_000_000);
  expect(await log.readOn()).toEqual({
    time: '2027-01-15T08:00:00.000Z',
    step: 0,
    of: 8,
    doing: 'loading',
    metrics: {},
  });
  await appendFile(path, 'step 1 loss 2.5\nstep 2 lo');
  expect(await log.readOn()).toMatchObject({ step: 1, doing: 'training', metrics: { loss: 2.5 } });
  await appendFile(path, 'ss nan\n');
  expect(await log.readOn()).toMatchObject({ step: 2, metrics: { loss: null } });
  expect([log.firstStep, log.firstNotFinite]).toEqual([1, 2]);
});

test('begins at the step that it goes on from', async () => {
  await writeFile(path, 'loading\n');
  const log = foreignLog(path, reading({ resume: { path: '/c', step: 4 } }));
  expect(await log.readOn()).toMatchObject({ step: 4, doing: 'loading' });
});

test('what is not read tells by growing that its writer lives', async () => {
  const log = foreignLog(path, reading({ progress: 'none' }));
  await writeFile(path, 'anything\n');
  expect(await log.readOn()).toMatchObject({ doing: 'training', metrics: { logBytes: 9 } });
  await appendFile(path, 'more\n');
  expect(await log.readOn()).toMatchObject({ metrics: { logBytes: 14 } });
});

test('a log that was begun anew is read anew, and a line of a megabyte holds nothing up', async () => {
  const log = foreignLog(path, reading());
  await writeFile(path, 'step 5 loss 1\n');
  await log.readOn();
  await truncate(path, 0);
  await writeFile(path, 'step 6 loss 1');
  await appendFile(path, `\n${'x'.repeat(1_100_000)}\nstep 7 loss 1\n`);
  expect(await log.readOn()).toMatchObject({ step: 7 });
});
