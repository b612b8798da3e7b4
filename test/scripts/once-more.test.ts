/** A test file that fails once is run again and told as flaky; one that fails twice fails the run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withFailedOnceMore } from '../../scripts/once-more.ts';
import { repository } from '../../scripts/repository.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temper-once-more-'));
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify({ rootDir: folder, transform: {} }));
  writeFileSync(join(folder, 'flaky.txt'), '');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A test file that notes each of its runs, and fails as often as told. */
function testFile(name: string, failures: number): void {
  const runs = JSON.stringify(runsOf(name));
  writeFileSync(
    join(folder, `${name}.test.js`),
    `const { appendFileSync, readFileSync } = require('node:fs');
    test('counts', () => {
      appendFileSync(${runs}, '.');
      expect(readFileSync(${runs}, 'utf8').length).toBeGreaterThan(${String(failures)});
    });`,
  );
}

const runsOf = (name: string): string => join(folder, `${name}.runs`);

async function runJest(args: readonly string[]): Promise<number> {
  const program = join(repository, 'node_modules', 'jest', 'bin', 'jest.js');
  const { NODE_OPTIONS: _, ...env } = process.env;
  const config = ['--config', join(folder, 'jest.config.json')];
  const jest = spawn(process.execPath, [program, ...config, ...args], { env, stdio: 'ignore' });
  const [code] = (await once(jest, 'exit')) as [number];
  return code;
}

async function run(): Promise<{ readonly code: number; readonly flaky: string; readonly runs: readonly number[] }> {
  const code = await withFailedOnceMore(runJest, [], join(folder, 'flaky.txt'));
  const runs = ['sound', 'shaky'].map((name) => readFileSync(runsOf(name), 'utf8').length);
  return { code, flaky: readFileSync(join(folder, 'flaky.txt'), 'utf8'), runs };
}

test('a file that passes the second time is listed, and nothing else is run again', async () => {
  testFile('sound', 0);
  testFile('shaky', 1);
  expect(await run()).toEqual({ code: 0, flaky: `${join(folder, 'shaky.test.js')}\n`, runs: [1, 2] });
});

test('a file that fails twice fails the run', async () => {
  testFile('sound', 0);
  testFile('shaky', 2);
  expect(await run()).toEqual({ code: 1, flaky: '', runs: [1, 2] });
});

test('a run that passes is not repeated', async () => {
  testFile('sound', 0);
  testFile('shaky', 0);
  expect(await run()).toEqual({ code: 0, flaky: '', runs: [1, 1] });
});

test('what failed beside its tests is not made good by a second run', async () => {
  expect(await withFailedOnceMore(() => Promise.resolve(1), [], join(folder, 'flaky.txt'))).toBe(1);
});
