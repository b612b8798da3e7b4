import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastProgressIn, tailProgress } from '../../store/progress.ts';
import { scratch } from './checkpoint-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
let path: string;
beforeEach(async () => {
  folder = await scratch();
  path = join(folder.path, 'progress.jsonl');
});
afterEach(() => folder.remove());

const line = (step: number, metrics: Record<string, number | null> = {}) =>
  `${JSON.stringify({ time: '2026-11-29T10:00:00.000Z', step, of: 9, doing: 'training', metrics })}\n`;
const steps = ({ lines }: Awaited<ReturnType<typeof tailProgress>>) => lines.map(({ step }) => step);

test('an absent file has no lines yet', async () => {
  expect(await tailProgress(path)).toEqual({ offset: 0, lines: [], badLines: 0, firstNotFinite: null });
});

test('goes on from where it was', async () => {
  await writeFile(path, line(1) + line(2));
  const first = await tailProgress(path);
  await appendFile(path, line(3));
  expect([steps(first), steps(await tailProgress(path, first.offset))]).toEqual([[1, 2], [3]]);
});

test('a line that is not whole yet is read when it is', async () => {
  await writeFile(path, line(1) + line(2).slice(0, 20));
  const first = await tailProgress(path);
  await appendFile(path, line(2).slice(20));
  expect([steps(first), steps(await tailProgress(path, first.offset))]).toEqual([[1], [2]]);
});

test.each(['{"step": 1', 'NaN', '{"time": "x", "step": 1, "of": 2, "doing": "dreaming"}', '{"step": -1}'])(
  'the bad line %s is counted and hides none behind it',
  async (bad) => {
    await writeFile(path, `${line(1)}${bad}\n\n${line(2)}`);
    const tail = await tailProgress(path);
    expect([steps(tail), tail.badLines]).toEqual([[1, 2], 1]);
  },
);

test('a file that became shorter is read from its beginning', async () => {
  await writeFile(path, line(1) + line(2));
  const first = await tailProgress(path);
  await truncate(path, line(1).length);
  expect(steps(await tailProgress(path, first.offset))).toEqual([1]);
});

test('names the first step that was not finite', async () => {
  await writeFile(path, line(1, { loss: 1 }) + line(2, { loss: 1, grad_norm: null }) + line(3, { loss: null }));
  expect(await tailProgress(path)).toMatchObject({ firstNotFinite: 2 });
});

test('a file of many megabytes comes whole', async () => {
  await writeFile(path, line(7).repeat(60_000));
  expect((await tailProgress(path)).lines).toHaveLength(60_000);
});

test('the newest line is found without those before it, also behind what is not whole yet', async () => {
  expect(await lastProgressIn(path)).toBeNull();
  const lines = Array.from({ length: 2000 }, (_, step) => line(step, { loss: step }));
  await writeFile(path, `${lines.join('')}{"time": "2026`);
  expect(await lastProgressIn(path)).toMatchObject({ step: 1999, metrics: { loss: 1999 } });
  // Bytes from the end, but for the line that they cut.
  expect(steps(await tailProgress(path, -Buffer.byteLength(`${line(1998)}{"time": "2026`) - 60))).toEqual([1999]);
});
