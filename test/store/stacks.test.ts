import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStacks } from '../../store/stacks.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-stacks-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** As Python's faulthandler writes it: the main thread last. */
const dump = `Thread 0x00007f1c (most recent call first):
  File "/lib/threading.py", line 355 in wait
  File "/lib/threading.py", line 1032 in _bootstrap

Current thread 0x00007f2d (most recent call first):
  File "/lib/torch/distributed/distributed_c10d.py", line 2501 in all_reduce
  File "/lib/trl/trainer.py", line 77 in _compute_loss
`;

test('where the main thread of each process was, innermost first, by rank', async () => {
  await writeFile(join(folder, 'stacks-10.txt'), dump.replace('all_reduce', 'broadcast'));
  await writeFile(join(folder, 'stacks.txt'), `${dump}\n${dump.replace('all_reduce', 'later')}`);
  await writeFile(join(folder, 'stacks-x.txt'), dump);
  const called = 'File "/lib/trl/trainer.py", line 77 in _compute_loss';
  expect(await readStacks(folder)).toEqual([
    { rank: 0, frames: ['File "/lib/torch/distributed/distributed_c10d.py", line 2501 in all_reduce', called] },
    { rank: 10, frames: ['File "/lib/torch/distributed/distributed_c10d.py", line 2501 in broadcast', called] },
  ]);
});

test('nothing of what says nothing, and of what is no file of the attempt', async () => {
  await writeFile(join(folder, 'elsewhere'), dump);
  await symlink(join(folder, 'elsewhere'), join(folder, 'stacks.txt'));
  await writeFile(join(folder, 'stacks-1.txt'), '');
  await writeFile(join(folder, 'stacks-2.txt'), 'no stacks\n');
  expect(await readStacks(folder)).toEqual([]);
  expect(await readStacks(join(folder, 'nowhere'))).toEqual([]);
});

test('no more than a person reads: eight processes, twelve frames', async () => {
  const deep = `Current thread 0x1 (most recent call first):\n${'  File "a.py", line 1 in f\n'.repeat(100)}`;
  for (let rank = 1; rank <= 20; rank += 1) await writeFile(join(folder, `stacks-${String(rank)}.txt`), deep);
  const found = await readStacks(folder);
  expect([found.length, found[0]?.frames.length]).toEqual([8, 12]);
});
