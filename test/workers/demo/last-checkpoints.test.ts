import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareCheckpoints } from '../../../workers/demo/last-checkpoints.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-compare-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function checkpoint(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text);
  return path;
}
const whole = {
  'adapter_model.safetensors': 'w',
  'optimizer.pt': 'o',
  'rng_state_0.pth': 'r',
  'training_args.bin': 'one path',
};

test.each([
  { title: 'the same', other: whole, different: [] },
  {
    title: 'paths in other files do not count',
    other: { ...whole, 'training_args.bin': 'another path' },
    different: [],
  },
  { title: 'another optimizer', other: { ...whole, 'optimizer.pt': 'O' }, different: ['optimizer.pt'] },
  {
    title: 'a file that only one has',
    other: { 'adapter_model.safetensors': 'w', 'optimizer.pt': 'o' },
    different: ['rng_state_0.pth'],
  },
])('$title', async ({ other, different }) => {
  const [one, two] = [await checkpoint('one', whole), await checkpoint('two', other)];
  const files = ['adapter_model.safetensors', 'optimizer.pt', 'rng_state_0.pth'];
  expect(await compareCheckpoints(one, two)).toEqual({ files, different });
});
