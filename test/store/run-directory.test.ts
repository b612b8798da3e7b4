import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRunDirectory, pathSegment, runDirectory, runFiles, writeRequest } from '../../store/run-directory.ts';
import { scratch } from './checkpoint-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
beforeEach(async () => {
  folder = await scratch();
});
afterEach(() => folder.remove());

describe('a path segment', () => {
  test.each(['demo', 'sft-2', 'a.b_c'])('of the plain id %s is the id', (id) => {
    expect(pathSegment(id)).toBe(id);
  });

  test('is safe and never the same for two ids', () => {
    const ids = [
      'a/b',
      'a b',
      'a-b',
      'A-b',
      'a-B',
      'ä-b',
      '',
      '.',
      '..',
      '.hidden',
      '../..',
      'x'.repeat(61),
      'x'.repeat(62),
      'nul\0',
      'a/b',
    ];
    // What one of them became must not be an id of its own either.
    const all = [...new Set([...ids, ...ids.map(pathSegment)])];
    const segments = all.map(pathSegment);
    expect(new Set(segments).size).toBe(all.length);
    for (const segment of segments) expect(segment).toMatch(/^[a-z0-9_][a-z0-9._-]{0,80}$/);
  });
});

test('attempts and evaluation jobs lie apart', () => {
  const place = { pipeline: 'demo', phase: 'sft', number: 2 } as const;
  expect([
    runDirectory('/store', { ...place, purpose: 'train' }),
    runDirectory('/store', { ...place, purpose: 'evaluate' }),
  ]).toEqual(['/store/pipelines/demo/sft/attempt-2', '/store/pipelines/demo/sft/evaluations/2']);
});

describe('a run directory', () => {
  const directory = () => join(folder.path, 'pipelines', 'demo', 'sft', 'attempt-1');

  test('is made with its checkpoints folder, and found again by its owner', async () => {
    const files = await createRunDirectory(directory(), 'key-1');
    await writeFile(files.progress, 'something');
    expect(await createRunDirectory(directory(), 'key-1')).toEqual(runFiles(directory()));
    expect((await readdir(directory())).sort()).toEqual(['checkpoints', 'owner.json', 'progress.jsonl']);
  });

  test('is refused to anybody else', async () => {
    await createRunDirectory(directory(), 'key-1');
    await expect(createRunDirectory(directory(), 'key-2')).rejects.toMatchObject({
      code: 'ledger-conflict',
      message: expect.stringMatching(/belongs to another attempt .*--id/) as string,
    });
  });

  test('that a crash left without an owner is taken, but not one with files of strangers', async () => {
    await mkdir(directory(), { recursive: true });
    await createRunDirectory(directory(), 'key-1');
    const other = join(folder.path, 'attempt-2');
    await mkdir(other);
    await writeFile(join(other, 'model.bin'), '');
    await expect(createRunDirectory(other, 'key-1')).rejects.toThrow(/model\.bin/);
  });

  test('of many who ask at once, one gets it', async () => {
    const asked = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => createRunDirectory(directory(), `key-${String(index)}`)),
    );
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('holds the request, whole', async () => {
    const files = await createRunDirectory(directory(), 'key-1');
    await writeRequest(files, { contract: 1 });
    expect(JSON.parse(await readFile(files.request, 'utf8'))).toEqual({ contract: 1 });
    expect(await readdir(directory())).not.toContainEqual(expect.stringContaining('.tmp'));
  });
});
