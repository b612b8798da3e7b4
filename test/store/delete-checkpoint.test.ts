import { link, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listCheckpoints } from '../../store/checkpoints.ts';
import { deleteCheckpoint, emptyTrash, freedBytesOf, leftoversIn } from '../../store/delete-checkpoint.ts';
import { createRunStore } from '../../store/run-store.ts';
import { computeSeal, writeSeal } from '../../store/seal.ts';
import { peftFiles, scratch, write } from './checkpoint-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
let attempt: string;
beforeEach(async () => {
  folder = await scratch();
  attempt = join(folder.path, 'pipelines', 'demo', 'sft', 'attempt-1');
});
afterEach(() => folder.remove());

const checkpoints = () => join(attempt, 'checkpoints');
async function saved(step: number): Promise<string> {
  const path = await write(join(checkpoints(), `checkpoint-${String(step)}`), peftFiles(step));
  await writeSeal(path, await computeSeal(path, { step, format: 'peft' }));
  return path;
}

test('a checkpoint goes with its seal, and its neighbours stay', async () => {
  const path = await saved(10);
  await saved(20);
  await deleteCheckpoint(path);
  await deleteCheckpoint(path);
  expect((await readdir(checkpoints())).sort()).toEqual(['checkpoint-20', 'checkpoint-20.seal.json']);
});

test('a deletion that was killed in the middle leaves nothing that looks like a checkpoint, and is ended later', async () => {
  const path = await saved(10);
  const trash = join(checkpoints(), '.trash-checkpoint-10-00000000-0000-4000-8000-000000000000');
  await rename(path, trash); // killed here: the seal and the files are still there
  expect(await listCheckpoints(attempt)).toEqual([]);
  const leftovers = await leftoversIn(checkpoints(), false);
  expect(leftovers).toEqual([trash]);
  for (const leftover of leftovers) await emptyTrash(leftover);
  expect(await readdir(checkpoints())).toEqual([]);
});

test('the seal of a checkpoint that was saved anew under the same name stays', async () => {
  const trash = join(checkpoints(), '.trash-checkpoint-10-00000000-0000-4000-8000-000000000000');
  await rename(await saved(10), trash);
  await saved(10);
  await emptyTrash(trash);
  expect((await listCheckpoints(attempt)).map(({ step, seal }) => [step, seal !== null])).toEqual([[10, true]]);
});

test('what a writer has not finished is a leftover only once its attempt is over', async () => {
  await mkdir(join(checkpoints(), '.checkpoint-30.tmp'), { recursive: true });
  await saved(10);
  expect(await leftoversIn(checkpoints(), false)).toEqual([]);
  expect(await leftoversIn(checkpoints(), true)).toEqual([join(checkpoints(), '.checkpoint-30.tmp')]);
  expect(await leftoversIn(join(folder.path, 'nowhere'), true)).toEqual([]);
});

test('shards that are linked elsewhere give nothing back', async () => {
  const path = await saved(10);
  const before = await freedBytesOf(path);
  await writeFile(join(path, 'shard'), Buffer.alloc(1000));
  expect(await freedBytesOf(path)).toBe(before + 1000);
  await link(join(path, 'shard'), join(folder.path, 'shard of the base'));
  expect(await freedBytesOf(path)).toBe(before);
  expect(await freedBytesOf(join(folder.path, 'nowhere'))).toBe(0);
});

test.each(['..', 'pipelines', 'pipelines/demo/sft/attempt-1/checkpoints', 'ledger.sqlite', '../other/checkpoint-1'])(
  'a store deletes no %s, whatever the ledger says',
  async (place) => {
    const path = await saved(10);
    const store = createRunStore(folder.path);
    await expect(store.deleteCheckpoint(join(folder.path, place))).rejects.toMatchObject({ code: 'not-found' });
    await expect(store.deleteLeftover(join(folder.path, place))).rejects.toMatchObject({ code: 'not-found' });
    await store.deleteCheckpoint(path);
    expect(await readdir(checkpoints())).toEqual([]);
  },
);
