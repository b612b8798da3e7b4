/** Checkpoints of foreign trainers, taken away by hard links before their own rotation deletes them. */
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createRunStore, type RunStore } from '../../../store/run-store.ts';
import { createScanner } from '../../../store/scanner.ts';
import { runFiles } from '../../../store/run-directory.ts';
import { computeSeal, writeSeal } from '../../../store/seal.ts';
import { cut, hfFiles, peftFiles, remove, safetensors, scratch, torchFile, write } from '../checkpoint-fixtures.ts';
import { distributedFiles, perRankFiles, slimeFiles } from '../formats/megatron-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
let store: RunStore;
let directory: string;
beforeEach(async () => {
  folder = await scratch();
  store = createRunStore(folder.path);
  directory = await store.openRun({ pipeline: 'p', phase: 'tuned', purpose: 'train', number: 1 }, 'me');
});
afterEach(() => folder.remove());

interface Reading {
  readonly format?: string;
  readonly folder?: string;
  readonly processes?: number;
  readonly dueSteps?: readonly number[];
}

async function ask(reading: Reading = {}): Promise<void> {
  await store.writeRequest(directory, {
    targetStep: 8,
    resume: null,
    start: null,
    reading: { format: 'peft', folder: '.', processes: 1, progress: 'hf-trainer', dueSteps: [8], ...reading },
  });
}
const output = (...names: string[]) => join(directory, 'output', ...names);
const save = (step: number, files = peftFiles(step)) => write(output(`checkpoint-${String(step)}`), files);
const taken = async () => (await readdir(runFiles(directory).checkpoints)).sort();
const over = 'finished';

async function place(files: Readonly<Record<string, Buffer | string>>, below: string): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(below, name)), { recursive: true });
    await writeFile(join(below, name), content);
  }
}

test('what is complete is taken and costs no space; the trainer may delete its own', async () => {
  await ask();
  const path = await save(2);
  const [checkpoint] = await store.checkpoints(directory);
  expect(checkpoint).toMatchObject({
    step: 2,
    level: 'complete',
    resumable: true,
    path: runFiles(directory).checkpoints + '/checkpoint-2',
  });
  const [mine, theirs] = await Promise.all(
    [checkpoint?.path ?? '', path].map(async (at) => stat(join(at, 'adapter_model.safetensors'))),
  );
  expect(mine?.ino).toBe(theirs?.ino);
  await rm(path, { recursive: true });
  expect(await store.checkpoints(directory)).toMatchObject([{ step: 2, level: 'complete' }]);
});

test('a torn one is not taken, and is named with what is wrong', async () => {
  await ask();
  await save(2);
  const torn = await save(4);
  await cut(join(torn, 'optimizer.pt'));
  const empty = await save(6, { ...peftFiles(6), 'adapter_model.safetensors': '' });
  await save(8, { ...peftFiles(8), 'checkpoint-is-incomplete.txt': '' });
  expect(await store.checkpoints(directory, over)).toMatchObject([
    { step: 2, level: 'complete' },
    { step: 4, level: 'torn', path: torn, damage: expect.stringContaining('optimizer.pt is cut') as string },
    { step: 6, level: 'torn', path: empty, damage: expect.stringContaining('too small') as string },
    { step: 8, level: 'torn', damage: 'checkpoint-is-incomplete.txt is still there' },
  ]);
  expect(await taken()).toEqual(['checkpoint-2']);
});

test('of what the trainer has deleted, the newest two, those due and those sealed are kept', async () => {
  await ask({ dueSteps: [2, 8] });
  for (const step of [1, 2, 3, 4, 5, 6]) {
    const path = await save(step);
    await store.checkpoints(directory);
    if (step === 3) {
      const own = join(runFiles(directory).checkpoints, 'checkpoint-3');
      await writeSeal(own, await computeSeal(own, { step, format: 'peft' }));
    }
    if (step > 1) await rm(output(`checkpoint-${String(step - 1)}`), { recursive: true });
    expect(await stat(path)).toBeDefined();
  }
  await store.checkpoints(directory);
  expect((await taken()).filter((name) => !name.endsWith('.json'))).toEqual([
    'checkpoint-2',
    'checkpoint-3',
    'checkpoint-5',
    'checkpoint-6',
  ]);
});

test('and the newest two before the numbers went wrong: the last that anybody can go back to', async () => {
  await ask();
  for (const step of [1, 2, 3, 4, 5, 6]) {
    await save(step);
    const row = `{'loss': ${step > 3 ? 'nan' : '1.5'}, 'grad_norm': 1.0, 'epoch': 1.0}`;
    const bar = ` ${String(step)}%|##| ${String(step)}/8 [00:01<00:02]`;
    await appendFile(runFiles(directory).log, `${bar}\n${row}\n`);
    await store.checkpoints(directory);
    if (step > 1) await rm(output(`checkpoint-${String(step - 1)}`), { recursive: true });
  }
  const found = await store.checkpoints(directory);
  expect(found.map(({ step, finite }) => [step, finite])).toEqual([
    [2, true],
    [3, true],
    [5, false],
    [6, false],
  ]);
});

test('what Temper prunes goes at the trainer too, and is not taken again', async () => {
  await ask();
  const path = await save(2);
  await save(4);
  const [first] = await store.checkpoints(directory);
  await store.deleteCheckpoint(first?.path ?? '');
  expect(await store.checkpoints(directory)).toMatchObject([{ step: 4 }]);
  await expect(stat(path)).rejects.toThrow('ENOENT');
});

test('a checkpoint of several processes is whole when each has left its random state', async () => {
  await ask({ format: 'hf', processes: 2 });
  const { 'rng_state.pth': _, ...files } = hfFiles(2);
  const path = await save(2, { ...files, 'rng_state_0.pth': torchFile() });
  expect(await store.checkpoints(directory)).toMatchObject([{ level: 'torn', damage: 'rng_state_1.pth is missing' }]);
  await writeFile(join(path, 'rng_state_1.pth'), torchFile());
  expect(await store.checkpoints(directory)).toMatchObject([{ level: 'complete', resumable: true, damage: null }]);
});

test.each([
  { title: 'FSDP', file: 'optimizer_0/.metadata' },
  { title: 'DeepSpeed', file: 'global_step2/zero_pp_rank_0_mp_rank_00_optim_states.pt' },
])('the optimizer as $title cuts it is one', async ({ file }) => {
  await ask({ format: 'hf' });
  const { 'optimizer.pt': _, ...files } = hfFiles(2);
  await place({ ...files, [file]: torchFile() }, output('checkpoint-2'));
  expect(await store.checkpoints(directory)).toMatchObject([{ level: 'complete', resumable: true }]);
});

test('weights without a mark are taken when the job is over', async () => {
  await ask({ format: 'hf' });
  const weights = { 'config.json': '{}', 'model.safetensors': safetensors({ embed: 8 }) };
  await save(2, weights);
  expect(await store.checkpoints(directory)).toMatchObject([{ step: 2, level: 'torn' }]);
  expect(await store.checkpoints(directory, over)).toMatchObject([{ step: 2, level: 'complete', resumable: false }]);
});

test('weights without a mark are taken when they stay the same from one scan to the next', async () => {
  await ask({ format: 'hf' });
  const scanner = createScanner();
  scanner.watch(directory, { progress: () => undefined, checkpoint: () => undefined });
  await scanner.scanNow(directory);
  await save(2, { 'config.json': '{}', 'model.safetensors': safetensors({ embed: 8 }) });
  await scanner.scanNow(directory);
  await writeFile(output('checkpoint-2', 'tokenizer.json'), '{}');
  await scanner.scanNow(directory);
  expect(await taken()).toEqual([]);
  await scanner.scanNow(directory);
  expect(await taken()).toEqual(['checkpoint-2']);
  scanner.close();
});

test('a folder that holds something else than the recipe says is named as such', async () => {
  await ask({ format: 'hf' });
  await save(2);
  expect(await store.checkpoints(directory, over)).toMatchObject([
    { level: 'torn', damage: 'it is stored as peft, and the recipe says hf' },
  ]);
});

describe('Megatron-LM', () => {
  const source = (step: number, files = distributedFiles(step)) =>
    Object.fromEntries(Object.entries(files).filter(([name]) => name.startsWith('iter_')));

  test('each iteration becomes a folder that `--load` takes as its latest, whatever the tracker of the trainer says', async () => {
    await ask({ format: 'megatron', folder: 'save' });
    await place({ ...source(4), ...distributedFiles(6) }, output('save'));
    const found = await store.checkpoints(directory);
    expect(found).toMatchObject([
      { step: 4, level: 'complete', format: 'megatron', resumable: true },
      { step: 6, level: 'complete' },
    ]);
    const trackers = found.map(({ path }) => readFile(join(path, 'latest_checkpointed_iteration.txt'), 'utf8'));
    expect((await Promise.all(trackers)).map((text) => text.trim())).toEqual(['4', '6']);
  });

  test('of the older layout, what the tracker has not come to is not finished', async () => {
    await ask({ format: 'megatron' });
    await place({ ...perRankFiles(4), ...source(6, perRankFiles(6)) }, output());
    expect(await store.checkpoints(directory, over)).toMatchObject([
      { step: 4, level: 'complete' },
      { step: 6, level: 'torn', damage: 'latest_checkpointed_iteration.txt does not name it yet' },
    ]);
  });

  test('slime: actor, critic and data position lie in one folder; without its critic it is torn', async () => {
    await ask({ format: 'slime', folder: 'save' });
    const files = slimeFiles(4);
    const critic = Object.entries(files).flatMap(([name, content]) =>
      name.startsWith('critic/') ? [[name.slice('critic/'.length), content] as const] : [],
    );
    const actor = Object.entries(files).filter(([name]) => !name.startsWith('critic/'));
    await place(Object.fromEntries(actor), output('save'));
    await place(Object.fromEntries(critic), output('save-critic'));
    await place(source(6), output('save'));
    expect(await store.checkpoints(directory, over)).toMatchObject([
      { step: 4, level: 'complete', format: 'slime', resumable: true },
      { step: 6, level: 'torn', damage: expect.stringContaining('critic') as string },
    ]);
    await remove(output('save', 'rollout', 'global_dataset_state_dict_4.pt'));
    expect(await store.checkpoints(directory, over)).toMatchObject([{ step: 4, resumable: true }, { step: 6 }]);
  });

  test('ms-swift keeps its own folder around an iteration', async () => {
    await ask({ format: 'megatron' });
    await place({ ...distributedFiles(4), 'args.json': '{}' }, output('checkpoint-4'));
    expect(await store.checkpoints(directory)).toMatchObject([{ step: 4, level: 'complete', format: 'megatron' }]);
  });
});

test('the scanner tells of a checkpoint and of steps while the trainer rotates', async () => {
  await ask({ dueSteps: [2, 8] });
  const heard: string[] = [];
  const scanner = createScanner();
  scanner.watch(directory, {
    progress: ({ step, metrics }) => heard.push(`step ${String(step)} ${JSON.stringify(metrics)}`),
    checkpoint: ({ step, path }) => heard.push(`checkpoint ${String(step)} ${path.replace(directory, '')}`),
  });
  await save(2);
  await writeFile(
    runFiles(directory).log,
    "{'loss': '1.5', 'epoch': '0.1'}\n\r 25%|██▌   | 2/8 [00:00<00:00, 30it/s]\r",
  );
  await scanner.scanNow(directory);
  await rm(output('checkpoint-2'), { recursive: true });
  await scanner.scanNow(directory);
  scanner.close();
  expect(heard).toEqual(['step 2 {"loss":1.5,"epoch":0.1}', 'checkpoint 2 /checkpoints/checkpoint-2']);
});
