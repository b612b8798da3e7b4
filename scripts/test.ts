/**
 * `npm test [-- pattern …]`: unit tests, end-to-end tests (a real Temporal server, real trainers; one at a time), Python tests.
 *
 * Every part runs, whatever fails. With patterns only the matching TypeScript tests run.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readPython } from './python.ts';
import { repository } from './repository.ts';

const unitSeconds = 30;
const endToEndSeconds = 20 * 60;

const patterns = process.argv.slice(2);

const parts: Record<string, () => Promise<number>> = {
  unit: () => jest('unit', unitSeconds, ['--maxWorkers=2']),
  'end to end': () => jest('e2e', endToEndSeconds, ['--runInBand']),
  ...(patterns.length === 0 ? { python: () => run(readPython(), ['-m', 'pytest'], join(repository, 'trainers')) } : {}),
};

function jest(project: string, seconds: number, options: readonly string[]): Promise<number> {
  const runner = join(repository, 'node_modules', 'jest', 'bin', 'jest.js');
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const testTimeout = `--testTimeout=${String(seconds * 1000)}`;
  const args = [
    ...flags,
    runner,
    '--selectProjects',
    project,
    testTimeout,
    '--passWithNoTests',
    ...options,
    ...patterns,
  ];
  return run(process.execPath, args, repository);
}

function run(program: string, args: readonly string[], folder: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code ?? 1);
    });
  });
}

const lines: string[] = [];
let passed = true;
for (const [name, part] of Object.entries(parts)) {
  const begun = performance.now();
  const code = await part();
  passed &&= code === 0;
  lines.push(`${code === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(10)} ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}
console.log(`\n${lines.join('\n')}`);
process.exitCode = passed ? 0 : 1;
