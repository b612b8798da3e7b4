/** What a trainer left in the place of a file is never followed: a link may lead a worker, which has more rights, anywhere. */
import { execFile } from 'node:child_process';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createRunStore } from '../../store/run-store.ts';
import { readSeal } from '../../store/seal.ts';
import { scratch } from './checkpoint-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
beforeEach(async () => {
  folder = await scratch();
  // Each would be read where it lay in the place of the link.
  const line = { time: '2026-11-29T10:00:00.000Z', step: 5, of: 9, doing: 'training', metrics: {} };
  await writeFile(join(folder.path, 'elsewhere'), `${JSON.stringify({ ...line, owner: 'somebody' })}\n`);
});
afterEach(() => folder.remove());

const names = ['progress.jsonl', 'result.json', 'owner.json', 'outcomes.jsonl', 'checkpoint-5.seal.json'];

test.each([
  { what: 'a link', make: (path: string) => symlink(join(folder.path, 'elsewhere'), path) },
  { what: 'a pipe', make: (path: string) => promisify(execFile)('mkfifo', [path]) },
  { what: 'a folder', make: (path: string) => mkdir(path) },
  {
    what: 'a file without end',
    make: async (path: string) => {
      await writeFile(path, '');
      await truncate(path, 300 * 1024 * 1024);
    },
  },
  { what: 'nothing', make: () => Promise.resolve() },
])('$what in the place of what a trainer tells says nothing', async ({ what, make }) => {
  const attempt = join(folder.path, 'attempt-1');
  await mkdir(attempt);
  for (const name of names) await make(join(attempt, name));
  const store = createRunStore(folder.path);
  expect({
    progress: await store.progress(attempt),
    result: await store.result(attempt),
    owner: await store.ownerOf(attempt),
    kept: await store.text(attempt, 'outcomes.jsonl'),
    outcomes: (await store.lines(attempt, 'outcomes.jsonl', 2 ** 28)).kind,
    seal: await readSeal(join(attempt, 'checkpoint-5')),
  }).toEqual({
    progress: { last: null, firstNotFinite: null, longestSaveSeconds: null },
    result: null,
    owner: null,
    kept: null,
    outcomes: what === 'a file without end' ? 'too-long' : 'missing',
    seal: { seal: 'none' },
  });
});

test.each([
  { title: 'none', text: '', want: [] },
  { title: 'with a last one that has no end', text: 'a\n\nb', want: ['a', '', 'b'] },
  {
    title: 'longer than what is read at once',
    text: `${'a'.repeat(200_000)}\n${'é\n'.repeat(70_000)}`,
    want: ['a'.repeat(200_000), ...Array<string>(70_000).fill('é')],
  },
])('the lines of a text one by one: $title', async ({ text, want }) => {
  await writeFile(join(folder.path, 'outcomes.jsonl'), text);
  const found = await createRunStore(folder.path).lines(folder.path, 'outcomes.jsonl', text.length * 2);
  const lines: string[] = [];
  if (found.kind === 'lines') for await (const line of found.lines) lines.push(line);
  expect(lines).toEqual(want);
});
