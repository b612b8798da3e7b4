/** A process that begins anew to take less memory: it stays the same one, and what it starts knows nothing of it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../scripts/repository.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-lean-'));
  await writeFile(
    join(folder, 'program.mjs'),
    `import { readFileSync } from 'node:fs';
     import { beLean } from ${JSON.stringify(join(repository, 'bin', 'lean-process.mjs'))};
     console.log(process.pid);
     beLean();
     const began = readFileSync('/proc/self/environ', 'utf8').split('\\0').includes('MALLOC_ARENA_MAX=2');
     console.log(JSON.stringify({ pid: process.pid, words: process.argv.slice(2), flags: process.execArgv.length, began, pools: process.env.MALLOC_ARENA_MAX ?? null }));`,
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function run(words: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, NODE_OPTIONS: '', ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'program.mjs'), ...words], { env });
  const lines = stdout.trim().split('\n');
  return { pids: lines.slice(0, -1).map(Number), ...(JSON.parse(lines.at(-1) ?? '') as Told) };
}

interface Told {
  readonly pid: number;
  readonly words: readonly string[];
  readonly flags: number;
  readonly began: boolean;
  readonly pools: string | null;
}

test.each(['worker', 'up'])('%s begins anew, once, as the same process with the same words', async (command) => {
  const told = await run([command, '--profile', 'x y']);
  expect(told).toMatchObject({ words: [command, '--profile', 'x y'], flags: 2, began: true, pools: null });
  expect(told.pids).toEqual([told.pid, told.pid]);
});

test('what ends soon does not', async () => {
  expect(await run(['status'])).toMatchObject({ flags: 0, began: false, pools: null });
});

test('who has set the pools keeps them', async () => {
  expect(await run(['worker'], { MALLOC_ARENA_MAX: '7' })).toMatchObject({ flags: 0, pools: '7' });
});
