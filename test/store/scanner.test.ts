import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createScanner, type ScanListener, type ScannerClock } from '../../store/scanner.ts';
import { computeSeal, writeSeal } from '../../store/seal.ts';
import { hfFiles, peftFiles, scratch, shardedFiles, write } from './checkpoint-fixtures.ts';

let folder: Awaited<ReturnType<typeof scratch>>;
beforeEach(async () => {
  folder = await scratch();
});
afterEach(() => folder.remove());

/** Time that passes when told. */
function toldClock() {
  const timers = new Set<() => void>();
  const clock: ScannerClock = {
    after(_milliseconds, callback) {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  };
  return {
    clock,
    get timers() {
      return timers.size;
    },
    pass() {
      const due = [...timers];
      timers.clear();
      for (const callback of due) callback();
    },
  };
}

function ear() {
  const heard: string[] = [];
  const listener: ScanListener = {
    progress: ({ step }) => heard.push(`step ${String(step)}`),
    checkpoint: ({ step }) => heard.push(`checkpoint ${String(step)}`),
    trouble: (error) => heard.push(String(error)),
  };
  return { heard, listener };
}

const line = (step: number) =>
  `${JSON.stringify({ time: '2026-11-29T10:00:00Z', step, of: 9, doing: 'training', metrics: {} })}\n`;
const report = (...steps: number[]) => appendFile(join(folder.path, 'progress.jsonl'), steps.map(line).join(''));
const save = (step: number, files = peftFiles(step)) =>
  write(join(folder.path, 'checkpoints', `checkpoint-${String(step)}`), files);

test('tells the newest line and each complete checkpoint once', async () => {
  const scanner = createScanner({ clock: toldClock().clock });
  const { heard, listener } = ear();
  await report(1, 2, 3);
  scanner.watch(folder.path, listener);
  await scanner.scanNow(folder.path);
  await save(4);
  await save(5, { 'adapter_config.json': '{' });
  await report(4);
  await scanner.scanNow(folder.path);
  await scanner.scanNow(folder.path);
  expect(heard).toEqual(['step 3', 'step 4', 'checkpoint 4']);
  scanner.close();
});

test('a checkpoint is told when its last file comes', async () => {
  const scanner = createScanner({ clock: toldClock().clock });
  const { heard, listener } = ear();
  scanner.watch(folder.path, listener);
  const { 'trainer_state.json': marker = '', ...rest } = peftFiles(4);
  const path = await save(4, rest);
  await scanner.scanNow(folder.path);
  expect(heard).toEqual([]);
  await writeFile(join(path, 'trainer_state.json'), marker);
  await scanner.scanNow(folder.path);
  expect(heard).toEqual(['checkpoint 4']);
  scanner.close();
});

test('weights without any mark are told only when they have stayed the same', async () => {
  const scanner = createScanner({ clock: toldClock().clock });
  const { heard, listener } = ear();
  scanner.watch(folder.path, listener);
  await scanner.scanNow(folder.path);
  const path = await save(4, shardedFiles());
  await scanner.scanNow(folder.path);
  await writeFile(join(path, 'tokenizer.json'), '{}');
  await scanner.scanNow(folder.path);
  expect(heard).toEqual([]);
  await scanner.scanNow(folder.path);
  expect(heard).toEqual(['checkpoint 4']);
  scanner.close();
});

test('a seal is mark enough', async () => {
  const scanner = createScanner({ clock: toldClock().clock });
  const path = await save(4, shardedFiles());
  await writeSeal(path, await computeSeal(path, { step: 4, format: 'hf' }));
  expect((await scanner.scanNow(folder.path)).checkpoints).toHaveLength(1);
});

test('a watcher that comes later hears of what was there, the first one does not hear it again', async () => {
  const scanner = createScanner({ clock: toldClock().clock });
  const [first, second] = [ear(), ear()];
  await save(4, hfFiles(4));
  await report(4);
  scanner.watch(folder.path, first.listener);
  await scanner.scanNow(folder.path);
  scanner.watch(folder.path, second.listener);
  await scanner.scanNow(folder.path);
  expect([first.heard, second.heard]).toEqual([
    ['step 4', 'checkpoint 4'],
    ['step 4', 'checkpoint 4'],
  ]);
  scanner.close();
});

test('a line that was not finite marks the checkpoints from its step on', async () => {
  const scanner = createScanner({ clock: toldClock().clock });
  await appendFile(join(folder.path, 'progress.jsonl'), line(5).replace('"metrics":{}', '"metrics":{"loss":null}'));
  for (const step of [4, 5]) await save(step);
  const { checkpoints } = await scanner.scanNow(folder.path);
  expect(checkpoints.map(({ step, finite }) => [step, finite])).toEqual([
    [4, true],
    [5, false],
  ]);
});

test('walks again and again while something is watched, and has no timer otherwise', async () => {
  const told = toldClock();
  const scanner = createScanner({ clock: told.clock });
  expect(told.timers).toBe(0);
  const { heard, listener } = ear();
  const unwatch = scanner.watch(folder.path, listener);
  await scanner.scanNow(folder.path);
  expect(told.timers).toBe(1);
  await report(1);
  told.pass();
  await scanner.scanNow(folder.path);
  expect(heard).toEqual(['step 1']);
  unwatch();
  await report(2);
  await scanner.scanNow(folder.path);
  expect(heard).toEqual(['step 1']);
  while (told.timers > 0) told.pass();
  expect(told.timers).toBe(0);
});

test('trouble with one directory is told, and the others are walked', async () => {
  const told = toldClock();
  const scanner = createScanner({ clock: told.clock });
  const bad = join(folder.path, 'bad');
  await writeFile(bad, ''); // a file where a folder should be
  const [troubled, sound] = [ear(), ear()];
  scanner.watch(bad, troubled.listener);
  scanner.watch(folder.path, sound.listener);
  await report(1);
  await scanner.scanNow(folder.path);
  await expect(scanner.scanNow(bad)).rejects.toThrow(/ENOTDIR/);
  expect(sound.heard).toEqual(['step 1']);
  expect(troubled.heard[0]).toMatch(/ENOTDIR/);
  scanner.close();
});
