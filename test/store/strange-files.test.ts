/** Pipes and links among what a trainer wrote: a worker waits for no pipe, and tells nothing of what a link leads to. */
import { execFile } from 'node:child_process';
import { link, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inspectCheckpoint } from '../../store/checkpoints.ts';
import { readForeignReading, whoTrains } from '../../store/foreign/reading.ts';
import { foreignSources } from '../../store/foreign/foreign-sources.ts';
import { adapterActs, compareWeights } from '../../store/foreign/weights-changed.ts';
import { readJsonFile } from '../../store/formats/json-file.ts';
import { zipDamage } from '../../store/formats/zip-file.ts';
import { ownerOfRun } from '../../store/run-directory.ts';
import { checkSafetensors } from '../../store/safetensors.ts';
import { computeSeal } from '../../store/seal.ts';
import { type Files, hfFiles, peftFiles, scratch, shardedFiles } from './checkpoint-fixtures.ts';
import { distributedFiles, perRankFiles } from './formats/megatron-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
beforeEach(async () => {
  folder = await scratch();
});
afterEach(() => folder.remove());

const pipe = async (path: string) => {
  await rm(path, { force: true });
  await promisify(execFile)('mkfifo', [path]);
};

async function place(name: string, files: Files): Promise<string> {
  const path = join(folder.path, name);
  await mkdir(path);
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), content);
  }
  return path;
}

describe.each([
  { format: 'hf', files: hfFiles(4) },
  { format: 'hf in shards', files: shardedFiles() },
  { format: 'peft', files: peftFiles(4) },
  { format: 'megatron', files: distributedFiles(4) },
  { format: 'older megatron', files: perRankFiles(4) },
])('a checkpoint of $format', ({ files }) => {
  test.each(Object.keys(files).map((name) => ({ name })))('with a pipe named $name is torn', async ({ name }) => {
    const path = await place('checkpoint-4', files);
    await pipe(join(path, name));
    expect(await inspectCheckpoint(path)).toMatchObject({ level: 'torn', damage: `${name} is no regular file` });
    await expect(computeSeal(path, { step: 4, format: 'hf' })).rejects.toThrow('no regular file');
  });
});

test('a pipe that comes while a checkpoint is read holds no reader', async () => {
  const path = join(folder.path, 'pipe');
  await pipe(path);
  expect(await readJsonFile(path)).toEqual({ why: expect.stringContaining('no regular file') as string });
  expect(await zipDamage(path)).toBe('is no regular file');
  expect(await checkSafetensors(path)).toEqual({ whole: false, why: 'is no regular file' });
});

test('weights that are a pipe cannot be compared', async () => {
  const [before, after] = [await place('before', peftFiles(1)), await place('after', peftFiles(2))];
  await pipe(join(before, 'adapter_model.safetensors'));
  expect(await compareWeights(before, after)).toBe('not-comparable');
  expect(await compareWeights(after, before)).toBe('not-comparable');
  expect(await adapterActs(before)).toBe('not-comparable');
});

test('a shard that is a link to another folder, as trainers make them across devices, is read', async () => {
  const path = await place('checkpoint-4', hfFiles(4));
  await rename(join(path, 'model.safetensors'), join(folder.path, 'elsewhere'));
  await symlink(join(folder.path, 'elsewhere'), join(path, 'model.safetensors'));
  expect(await inspectCheckpoint(path)).toMatchObject({ level: 'complete', damage: null });
  await rm(join(path, 'model.safetensors'));
  await link(join(folder.path, 'elsewhere'), join(path, 'model.safetensors'));
  expect(await inspectCheckpoint(path)).toMatchObject({ level: 'complete', damage: null });
});

test('of what a tracker of Megatron-LM leads to nothing is told', async () => {
  const path = await place('checkpoint-4', distributedFiles(4));
  await writeFile(join(folder.path, 'secret'), 'hunter2');
  await rm(join(path, 'latest_checkpointed_iteration.txt'));
  await symlink(join(folder.path, 'secret'), join(path, 'latest_checkpointed_iteration.txt'));
  const inspection = await inspectCheckpoint(path);
  expect(inspection).toMatchObject({ level: 'torn' });
  expect(JSON.stringify(inspection)).not.toContain('hunter');
});

describe('of an attempt', () => {
  const request = {
    reading: { format: 'megatron', folder: 'ckpt', processes: 1, progress: 'none', dueSteps: [] },
    targetStep: 8,
    resume: null,
    start: null,
  };

  test('a request that is not as Temper wrote it names no foreign trainer; one that is not written yet is waited for', async () => {
    const attempt = await place('attempt-1', {});
    const path = join(attempt, 'request.json');
    expect(await whoTrains(attempt)).toBe('not-known-yet');
    await writeFile(path, JSON.stringify(request));
    expect(await readForeignReading(attempt)).toMatchObject({ targetStep: 8 });
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, 40));
    expect(await whoTrains(attempt)).toBe('built-in');
    await pipe(path);
    expect(await whoTrains(attempt)).toBe('built-in');
  });

  test('the tracker that is a pipe names no iteration', async () => {
    const attempt = await place('attempt-1', { 'request.json': JSON.stringify(request) });
    await mkdir(join(attempt, 'output', 'ckpt', 'iter_0000004'), { recursive: true });
    await pipe(join(attempt, 'output', 'ckpt', 'latest_checkpointed_iteration.txt'));
    const reading = await readForeignReading(attempt);
    if (reading === null) throw new Error('there is no reading');
    expect(await foreignSources(reading)).toMatchObject([{ step: 4, added: {} }]);
  });

  test.each(['{"owner": "som', '{"owner": 7}', '[]', 'null'])('an owner that reads %s is nobody', async (text) => {
    expect(await ownerOfRun(await place('attempt-1', { 'owner.json': text }))).toBeNull();
  });
});
