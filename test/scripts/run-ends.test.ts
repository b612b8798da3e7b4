/** A run of Jest ends, whatever its tests leave behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../../scripts/repository.ts';
import { startTimeOf } from '../../scripts/setup/processes.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temper-run-ends-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function runJestOn(test: string): Promise<{ readonly code: unknown; readonly said: string }> {
  mkdirSync(join(folder, 'tests'));
  writeFileSync(join(folder, 'tests', 'one.test.js'), test);
  const reporters = ['default', [join(repository, 'scripts', 'run-ends.mjs'), { seconds: 0.2 }]];
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify({ rootDir: folder, reporters, transform: {} }));
  const program = join(repository, 'node_modules', 'jest', 'bin', 'jest.js');
  const { NODE_OPTIONS: _, ...env } = process.env;
  const jest = spawn(process.execPath, [program, '--runInBand', '--config', join(folder, 'jest.config.json')], { env });
  let said = '';
  for (const stream of [jest.stdout, jest.stderr]) stream.on('data', (part) => (said += String(part)));
  const [code] = (await once(jest, 'close')) as [unknown];
  return { code, said };
}

test('what a failed test leaves running is named and ended, and the run fails', async () => {
  const { code, said } = await runJestOn(`
    const { spawn } = require('node:child_process');
    const { writeFileSync } = require('node:fs');
    test('leaves', () => {
      const left = spawn('sleep', ['1000'], { stdio: 'ignore' });
      writeFileSync(${JSON.stringify(join(folder, 'pid'))}, String(left.pid));
    });
  `);
  expect(code).toBe(1);
  expect(said).toMatch(/0\.2 s after the last test these are still open[^]*sleep 1000/);
  expect(startTimeOf(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBeUndefined();
});

test('a run that leaves nothing ends as its tests did', async () => {
  const { code, said } = await runJestOn(`test('is fine', () => undefined);`);
  expect([code, said.includes('still open')]).toEqual([0, false]);
});
