import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastLinesOf } from '../../local/log-tail.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-log-'));
});
afterAll(() => rm(folder, { recursive: true }));

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${String(index)}`);

test.each([
  { title: 'an empty log', text: '', want: [] },
  { title: 'a last line without an end', text: 'a\nb', want: ['a', 'b'] },
  { title: 'blank lines left out', text: 'a\n\n\nb\n', want: ['a', 'b'] },
  { title: 'a progress bar: what it showed last', text: '1%\r50%\r100%\ndone\n', want: ['100%', 'done'] },
  { title: 'at most 60 lines', text: numbered(200).join('\n'), want: numbered(200).slice(140) },
])('$title', async ({ text, want }) => {
  const path = join(folder, 'log.txt');
  await writeFile(path, text);
  expect(await lastLinesOf(path)).toEqual(want);
});

test('stays within 8 KiB of a huge log, and begins with a whole line', async () => {
  const path = join(folder, 'log.txt');
  await writeFile(path, `${'x'.repeat(200)}\n`.repeat(100_000));
  const lines = await lastLinesOf(path);
  expect(lines.join('\n').length).toBeLessThanOrEqual(8 * 1024);
  expect(lines.every((line) => line.length === 200)).toBe(true);
});

test('the process that torchrun blames is among them, also when its peers said more after it', async () => {
  const path = join(folder, 'log.txt');
  const block = [
    'Root Cause (first observed failure):',
    '[0]:',
    '  rank      : 1 (local_rank: 1)',
    '  exitcode  : 1 (pid: 7)',
  ];
  await writeFile(path, ['[rank1]: ValueError: no moon', ...numbered(200), ...block].join('\n'));
  const lines = await lastLinesOf(path);
  expect(lines.slice(0, 2)).toEqual(['[rank1]: ValueError: no moon', 'line 145']);
  expect(lines).toHaveLength(60);
});

test('one line longer than that is cut to its end', async () => {
  const path = join(folder, 'log.txt');
  await writeFile(path, `${'x'.repeat(50_000)}END\n`);
  const lines = await lastLinesOf(path);
  expect(lines).toHaveLength(1);
  expect(lines[0]?.endsWith('END')).toBe(true);
});

test('no log has no lines', async () => {
  expect(await lastLinesOf(join(folder, 'none'))).toEqual([]);
});
