/** Folders as Megatron-LM and slime leave them (torch_dist and the older layout), in Temper's own shape: `iter_N` beside its tracker. */
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inspectCheckpoint } from '../../../store/checkpoints.ts';
import { cut, remove, scratch } from '../checkpoint-fixtures.ts';
import { distributedFiles, perRankFiles, slimeFiles } from './megatron-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
beforeEach(async () => {
  folder = await scratch();
});
afterEach(() => folder.remove());

async function checkpoint(files: Record<string, Buffer | string>): Promise<string> {
  const path = join(folder.path, 'checkpoint-12');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return path;
}
const inspect = (path: string, format: 'megatron' | 'slime' = 'megatron') =>
  inspectCheckpoint(path, new Map(), { format, processes: 2 });

test.each([
  { title: 'torch_dist', files: distributedFiles(12), format: 'megatron' as const },
  { title: 'the older layout, one file a rank', files: perRankFiles(12), format: 'megatron' as const },
  { title: 'slime with a critic', files: slimeFiles(12), format: 'slime' as const },
])('$title is complete and resumable', async ({ files, format }) => {
  expect(await inspect(await checkpoint(files), format)).toMatchObject({
    level: 'complete',
    resumable: true,
    damage: null,
    step: 12,
    format,
    marked: true,
  });
});

const iter = 'iter_0000012/';
describe('torn', () => {
  test.each([
    { file: 'metadata.json', harm: remove, want: 'metadata.json is missing: it is written last' },
    { file: 'metadata.json', harm: (path: string) => truncate(path, 5), want: 'metadata.json is not JSON' },
    { file: 'common.pt', harm: cut, want: 'common.pt is cut' },
    { file: 'common.pt', harm: remove, want: 'common.pt is missing' },
    { file: '.metadata', harm: remove, want: '.metadata is missing' },
    { file: '__1_0.distcp', harm: remove, want: '__1_0.distcp is missing, which .metadata names' },
    { file: '__1_0.distcp', harm: cut, want: '__1_0.distcp is cut' },
    { file: '__1_0.distcp', harm: (path: string) => truncate(path, 0), want: '__1_0.distcp is empty' },
  ])('torch_dist: $want', async ({ file, harm, want }) => {
    const path = await checkpoint(distributedFiles(12));
    await harm(join(path, iter, file));
    const found = await inspect(path);
    expect([found?.level, found?.damage]).toEqual(['torn', expect.stringContaining(want)]);
  });

  test.each([
    { file: 'mp_rank_01/model_optim_rng.pt', harm: remove, want: 'mp_rank_01/model_optim_rng.pt is missing' },
    { file: 'mp_rank_01/model_optim_rng.pt', harm: cut, want: 'mp_rank_01/model_optim_rng.pt is cut' },
    { file: 'mp_rank_00/distrib_optim.pt', harm: remove, want: 'mp_rank_00/distrib_optim.pt is missing' },
  ])('the older layout: $want', async ({ file, harm, want }) => {
    const path = await checkpoint(perRankFiles(12));
    await harm(join(path, iter, file));
    expect(await inspect(path)).toMatchObject({ level: 'torn', damage: expect.stringContaining(want) as string });
  });

  test('a tracker that has not come to it, or names another', async () => {
    const path = await checkpoint(perRankFiles(12));
    await writeFile(join(path, 'latest_checkpointed_iteration.txt'), '11');
    expect((await inspect(path))?.damage).toContain('says "11", not 12');
    await remove(join(path, 'latest_checkpointed_iteration.txt'));
    expect((await inspect(path))?.damage).toContain('does not name it yet');
  });

  test('a critic that has not saved this step', async () => {
    const path = await checkpoint(slimeFiles(12));
    await remove(join(path, 'critic', iter, 'metadata.json'));
    expect((await inspect(path, 'slime'))?.damage).toBe('critic: metadata.json is missing: it is written last');
  });
});

describe('weights alone', () => {
  test('torch_dist that names no optimizer', async () => {
    const path = await checkpoint({ ...distributedFiles(12), [`${iter}.metadata`]: 'model __0_0.distcp __1_0.distcp' });
    expect(await inspect(path)).toMatchObject({
      level: 'complete',
      resumable: false,
      damage: '.metadata names no optimizer: weights only',
    });
  });

  test('slime without its position in the data, which it would begin anew with a warning', async () => {
    const path = await checkpoint(slimeFiles(12));
    await remove(join(path, 'rollout/global_dataset_state_dict_12.pt'));
    expect(await inspect(path, 'slime')).toMatchObject({
      level: 'complete',
      resumable: false,
      damage: expect.stringContaining('the position in the data is lost') as string,
    });
  });
});

test('an iteration of another step than the folder says is torn', async () => {
  const files = Object.fromEntries(
    Object.entries(distributedFiles(11)).map(([name, content]) => [name, content] as const),
  );
  expect((await inspect(await checkpoint(files)))?.damage).toContain('is of another step than 12');
});
