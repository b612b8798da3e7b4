/** A program that runs in our place gets our signals, once, and its end is our end. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const child = join(import.meta.dirname, '..', '..', 'scripts', 'child.mjs');

/** Counts signals until none came for 300 ms, then ends with 40 + their number. */
const counts = `let n = 0, end; const quiet = () => process.exit(40 + n);
for (const s of ['SIGINT', 'SIGTERM']) process.on(s, () => { n += 1; clearTimeout(end); end = setTimeout(quiet, 300); });
setInterval(() => {}, 1000); console.log('ready');`;

function inOurPlace(program: string): ChildProcess {
  const wrapper = `import { runInOurPlace } from ${JSON.stringify(child)};
    process.exitCode = await runInOurPlace(process.execPath, ['-e', ${JSON.stringify(program)}], { environment: process.env, cwd: '.' });`;
  return spawn(process.execPath, ['--input-type=module', '-e', wrapper], { stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('a program in our place', () => {
  test.each([
    { program: 'process.exit(0)', want: 0 },
    { program: 'process.exit(7)', want: 7 },
    { program: "process.kill(process.pid, 'SIGKILL')", want: 137 },
  ])('$program ends us with $want', async ({ program, want }) => {
    const [code] = (await once(inOurPlace(program), 'exit')) as [number | null];
    expect(code).toBe(want);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s that only we got is passed on once', async (signal) => {
    const ours = inOurPlace(counts);
    if (ours.stdout === null) throw new Error('no output');
    await once(ours.stdout, 'data');
    ours.kill(signal);
    const [code] = (await once(ours, 'exit')) as [number | null];
    expect(code).toBe(41);
  });
});
