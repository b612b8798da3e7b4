import { appendFile, mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type InspectionCache, inspectCheckpoint, listCheckpoints } from '../../store/checkpoints.ts';
import { computeSeal, sealPath, writeSeal } from '../../store/seal.ts';
import {
  cut,
  type Files,
  hfFiles,
  peftFiles,
  remove,
  safetensors,
  scratch,
  shardedFiles,
  torchFile,
  trainerState,
  write,
} from './checkpoint-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
beforeEach(async () => {
  folder = await scratch();
});
afterEach(() => folder.remove());

const checkpoint = (files: Files, step = 4) => write(join(folder.path, `checkpoint-${String(step)}`), files);
const without = (files: Files, ...names: string[]): Files =>
  Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name)));

describe('a whole checkpoint is complete and resumable', () => {
  test.each([
    { title: 'peft', files: peftFiles(4), format: 'peft' },
    { title: 'hf in one file', files: hfFiles(4), format: 'hf' },
    { title: 'hf with the state of an own loop', files: { ...shardedFiles(), 'state.pt': torchFile() }, format: 'hf' },
    {
      title: 'peft of several ranks',
      files: { ...without(peftFiles(4), 'rng_state.pth'), 'rng_state_0.pth': torchFile() },
      format: 'peft',
    },
    { title: 'peft without training_args.bin', files: without(peftFiles(4), 'training_args.bin'), format: 'peft' },
  ])('$title', async ({ files, format }) => {
    const bytes = Object.values(files).reduce((sum, content) => sum + Buffer.byteLength(content), 0);
    expect(await inspectCheckpoint(await checkpoint(files))).toEqual({
      level: 'complete',
      resumable: true,
      damage: null,
      step: 4,
      bytes,
      format,
      marked: true,
      seal: null,
      firstNotFinite: null,
    });
  });
});

describe('the torn matrix', () => {
  test.each([
    { file: 'adapter_model.safetensors', harm: cut, want: 'adapter_model.safetensors is cut' },
    {
      file: 'adapter_model.safetensors',
      harm: (path: string) => truncate(path, 5),
      want: 'adapter_model.safetensors is too small',
    },
    {
      file: 'adapter_model.safetensors',
      harm: (path: string) => truncate(path, 0),
      want: 'adapter_model.safetensors is too small',
    },
    { file: 'adapter_model.safetensors', harm: remove, want: 'adapter_model.safetensors is missing' },
    { file: 'adapter_config.json', harm: (path: string) => cut(path, 2), want: 'adapter_config.json is not JSON' },
    { file: 'optimizer.pt', harm: cut, want: 'optimizer.pt is cut' },
    { file: 'optimizer.pt', harm: (path: string) => truncate(path, 0), want: 'optimizer.pt is empty' },
    { file: 'scheduler.pt', harm: (path: string) => truncate(path, 0), want: 'scheduler.pt is empty' },
    { file: 'rng_state.pth', harm: cut, want: 'rng_state.pth is cut' },
    { file: 'trainer_state.json', harm: remove, want: 'trainer_state.json is missing' },
    { file: 'trainer_state.json', harm: cut, want: 'trainer_state.json is not JSON' },
    { file: 'trainer_state.json', harm: (path: string) => truncate(path, 0), want: 'trainer_state.json is empty' },
    {
      file: 'trainer_state.json',
      harm: (path: string) => writeFile(path, trainerState(3)),
      want: 'is of step 3, not 4',
    },
    { file: 'trainer_state.json', harm: (path: string) => writeFile(path, '{}'), want: 'has no global_step' },
    {
      file: 'checkpoint-is-incomplete.txt',
      harm: (path: string) => writeFile(path, ''),
      want: 'checkpoint-is-incomplete.txt',
    },
  ])('$file: $want', async ({ file, harm, want }) => {
    const path = await checkpoint(peftFiles(4));
    await harm(join(path, file));
    expect(await inspectCheckpoint(path)).toMatchObject({
      level: 'torn',
      resumable: false,
      damage: expect.stringContaining(want) as string,
    });
  });

  test.each(['optimizer.pt', 'scheduler.pt', 'rng_state.pth'])(
    'without %s the weights can be used, but not gone on from',
    async (file) => {
      expect(await inspectCheckpoint(await checkpoint(without(peftFiles(4), file)))).toMatchObject({
        level: 'complete',
        resumable: false,
        damage: `${file} is missing`,
      });
    },
  );

  test.each([
    { title: 'an empty directory', files: {}, want: 'model.safetensors is missing' },
    {
      title: 'an adapter that nobody marked',
      files: without(
        peftFiles(4),
        'training_args.bin',
        'optimizer.pt',
        'scheduler.pt',
        'rng_state.pth',
        'trainer_state.json',
      ),
      want: 'trainer_state.json is missing',
    },
    {
      title: 'a full model whose trainer had not finished',
      files: without(hfFiles(4), 'trainer_state.json'),
      want: 'trainer_state.json is missing',
    },
    { title: 'no config.json', files: without(hfFiles(4), 'config.json'), want: 'config.json is missing' },
    {
      title: 'a shard that is absent',
      files: without(shardedFiles(), 'model-00002-of-00002.safetensors'),
      want: 'model-00002-of-00002.safetensors is missing',
    },
    {
      title: 'a shard that lacks a tensor',
      files: { ...shardedFiles(), 'model-00002-of-00002.safetensors': safetensors({ head: 8 }) },
      want: 'does not hold norm',
    },
    {
      title: 'a tensor that the index does not name',
      files: { ...shardedFiles(), 'model-00001-of-00002.safetensors': safetensors({ embed: 32, stray: 1 }) },
      want: 'does not name stray',
    },
    {
      title: 'an index that is cut',
      files: { ...shardedFiles(), 'model.safetensors.index.json': '{"weight_map": {"a"' },
      want: 'index.json is not JSON',
    },
    {
      title: 'an index that leads outside',
      files: { ...shardedFiles(), 'model.safetensors.index.json': '{"weight_map": {"a": "../x"}}' },
      want: 'no file of this folder',
    },
    {
      title: 'an index without a map',
      files: { ...shardedFiles(), 'model.safetensors.index.json': '{}' },
      want: 'no weight_map',
    },
  ])('$title', async ({ files, want }) => {
    expect(await inspectCheckpoint(await checkpoint(files))).toMatchObject({
      level: 'torn',
      damage: expect.stringContaining(want) as string,
    });
  });

  test('weights alone are complete, not resumable, and nothing says that they are all', async () => {
    expect(await inspectCheckpoint(await checkpoint(shardedFiles()))).toMatchObject({
      level: 'complete',
      resumable: false,
      marked: false,
      damage: expect.stringContaining('weights only') as string,
    });
  });
});

describe('a seal beside the checkpoint', () => {
  const sealed = async (files: Files) => {
    const path = await checkpoint(files);
    await writeSeal(path, await computeSeal(path, { step: 4, format: 'peft' }));
    return path;
  };

  test('that agrees marks it', async () => {
    expect(await inspectCheckpoint(await sealed(shardedFiles()))).toMatchObject({
      level: 'complete',
      marked: true,
      seal: { step: 4 },
    });
  });

  test('settles what a linked trainer_state.json of another step would say', async () => {
    const files = { ...shardedFiles(), 'trainer_state.json': trainerState(320) };
    expect(await inspectCheckpoint(await sealed(files))).toMatchObject({ level: 'complete', resumable: false });
  });

  test.each([
    {
      title: 'a file of another size',
      harm: (path: string) => appendFile(join(path, 'optimizer.pt'), 'x'),
      want: 'optimizer.pt has',
    },
    {
      title: 'a file that is gone',
      harm: (path: string) => remove(join(path, 'optimizer.pt')),
      want: 'optimizer.pt is missing',
    },
    {
      title: 'a file too many',
      harm: (path: string) => writeFile(join(path, 'late.bin'), ''),
      want: 'late.bin is not covered',
    },
    {
      title: 'a seal cut short',
      harm: (path: string) => cut(sealPath(path)),
      want: 'checkpoint-4.seal.json: the seal is not JSON',
    },
    {
      title: 'a seal that says too little',
      harm: (path: string) => writeFile(sealPath(path), '{}'),
      want: 'not what the contract says',
    },
  ])('that does not agree makes it torn: $title', async ({ harm, want }) => {
    const path = await sealed(peftFiles(4));
    await harm(path);
    expect(await inspectCheckpoint(path)).toMatchObject({
      level: 'torn',
      damage: expect.stringContaining(want) as string,
    });
  });

  test('of another step makes it torn', async () => {
    const path = await checkpoint(peftFiles(4));
    await writeSeal(path, await computeSeal(path, { step: 5, format: 'peft' }));
    expect(await inspectCheckpoint(path)).toMatchObject({
      level: 'torn',
      damage: 'checkpoint-4.seal.json is of step 5, not 4',
    });
  });
});

describe('the checkpoints of a run directory', () => {
  const inRun = (step: number, files: Files) =>
    write(join(folder.path, 'checkpoints', `checkpoint-${String(step)}`), files);

  test('come by step, torn ones too, and nothing else', async () => {
    await inRun(100, peftFiles(100));
    await inRun(20, peftFiles(20));
    await inRun(110, { 'adapter_config.json': '{' });
    await mkdir(join(folder.path, 'checkpoints', '.checkpoint-120.tmp'));
    await mkdir(join(folder.path, 'checkpoints', 'runs'));
    await writeFile(join(folder.path, 'checkpoints', 'checkpoint-130'), 'a file');
    const found = await listCheckpoints(folder.path);
    expect(found.map(({ step, level }) => [step, level])).toEqual([
      [20, 'complete'],
      [100, 'complete'],
      [110, 'torn'],
    ]);
  });

  test('are none where there is no folder', async () => {
    expect(await listCheckpoints(join(folder.path, 'none'))).toEqual([]);
  });

  test('bare NaN in trainer_state.json is read, and is not finite from its step on', async () => {
    const history = '{"step": 5, "loss": 0.1, "note": "NaN in a text"}, {"step": 6, "loss": 0, "grad_norm": NaN}';
    await inRun(5, { ...peftFiles(5), 'trainer_state.json': trainerState(5, '{"step": 5, "loss": 0.1}') });
    await inRun(7, { ...peftFiles(7), 'trainer_state.json': trainerState(7, history) });
    const found = await listCheckpoints(folder.path);
    expect(found.map(({ step, finite, resumable }) => [step, finite, resumable])).toEqual([
      [5, true, true],
      [7, false, true],
    ]);
  });

  test('a metric that was null in the progress spoils this step and what follows', async () => {
    for (const step of [5, 6, 7]) await inRun(step, peftFiles(step));
    const line = (step: number, loss: number | null) =>
      `${JSON.stringify({ time: '2026-11-29T10:00:00Z', step, of: 9, doing: 'training', metrics: { loss } })}\n`;
    await writeFile(join(folder.path, 'progress.jsonl'), line(5, 0.3) + line(6, null) + line(7, 0.2));
    expect((await listCheckpoints(folder.path)).map(({ finite }) => finite)).toEqual([true, false, false]);
  });

  test('may vanish and appear while they are listed', async () => {
    const enough = new AbortController();
    const churn = (async () => {
      for (let round = 0; !enough.signal.aborted; round += 1) {
        const path = await inRun(round, peftFiles(round));
        await rm(path, { recursive: true });
      }
    })();
    try {
      for (let look = 0; look < 100; look += 1) await listCheckpoints(folder.path);
    } finally {
      enough.abort();
      await churn;
    }
  });

  test('an unchanged one is not inspected again, a changed one is', async () => {
    const path = await inRun(4, peftFiles(4));
    const cache: InspectionCache = new Map();
    const first = await inspectCheckpoint(path, cache);
    expect(await inspectCheckpoint(path, cache)).toBe(first);
    await cut(join(path, 'optimizer.pt'));
    expect(await inspectCheckpoint(path, cache)).toMatchObject({ level: 'torn' });
  });
});
