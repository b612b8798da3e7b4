/**
 * `npm test [-- pattern …]`: unit tests, end-to-end tests (a real Temporal server, real trainers; one at a time), Python tests.
 *
 * Every part runs, whatever fails. With patterns only the matching TypeScript tests run. What needs a browser is `npm run test:browser`.
 */
import { join } from 'node:path';
import { runInOurPlace } from './child.mjs';
import { runJest } from './jest.ts';
import { readPython } from './python.ts';
import { repository } from './repository.ts';

const unitSeconds = 120;
const endToEndSeconds = 20 * 60;

const patterns = process.argv.slice(2);

const parts: Record<string, () => Promise<number>> = {
  unit: () => runJest({ project: 'unit', testSeconds: unitSeconds, options: ['--maxWorkers=2'], patterns }),
  'end to end': () => runJest({ project: 'e2e', testSeconds: endToEndSeconds, options: ['--runInBand'], patterns }),
  ...(patterns.length === 0
    ? { python: () => runInOurPlace(readPython(), ['-m', 'pytest'], { cwd: join(repository, 'trainers') }) }
    : {}),
};

const lines: string[] = [];
let passed = true;
for (const [name, part] of Object.entries(parts)) {
  const begun = performance.now();
  const code = await part();
  // SIGHUP, SIGINT, SIGTERM: meant for all of us.
  if ([129, 130, 143].includes(code)) process.exit(code);
  passed &&= code === 0;
  lines.push(`${code === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(10)} ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}
console.log(`\n${lines.join('\n')}`);
process.exitCode = passed ? 0 : 1;
