/**
 * `node scripts/run.mjs <command> [arguments]`: sets up what is missing, then runs the command with the right Node.
 *
 * This file and everything in setup/ runs on any Node from 20 on and without node_modules. What it starts may use both.
 */
import { dirname, delimiter } from 'node:path';
import { runInOurPlace } from './child.mjs';
import { findPlaces } from './setup/places.mjs';
import { SetupProblem } from './setup/problem.mjs';
import { setUp } from './setup/setup.mjs';

const programs = {
  setup: ['scripts/build.ts'],
  build: ['scripts/build.ts'],
  demo: ['workers/demo.ts'],
  test: ['scripts/test.ts'],
  'test:browser': ['scripts/test-browser.ts'],
  'test:cluster': ['test/cluster/suite.ts'],
  cluster: ['test/cluster/cluster.ts'],
  check: ['scripts/check.ts'],
  fix: ['scripts/fix.ts'],
  bench: ['scripts/bench.ts'],
  docs: ['scripts/docs.ts'],
  manifests: ['test/cluster/plain-manifests.ts'],
  histories: ['test/workflows/record-histories.ts'],
};

const [command, ...rest] = process.argv.slice(2);
const say = (line) => process.stderr.write(`${line}\n`);

if (!Object.hasOwn(programs, command ?? '')) {
  say(`Unknown command ${command ?? '(none)'}. There are: ${Object.keys(programs).join(', ')}.`);
  process.exit(64);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof SetupProblem)) throw error;
  say(error.toText());
  process.exitCode = error.exitCode;
}

async function main() {
  const environment = process.env;
  const begun = Date.now();
  const paths = await setUp({ environment, say });
  if (command === 'setup') {
    say(`Everything is in place (${((Date.now() - begun) / 1000).toFixed(1)} s):`);
    for (const [name, path] of Object.entries(paths)) say(`  ${name.padEnd(12)} ${path}`);
  }
  return runInOurPlace(paths.node, ['--disable-warning=ExperimentalWarning', ...programs[command], ...rest], {
    cwd: findPlaces(environment).repository,
    environment: {
      ...environment,
      TEMPER_PYTHON: paths.python,
      TEMPORAL_CLI: paths.temporalCli,
      PATH: `${dirname(paths.node)}${delimiter}${environment.PATH ?? ''}`,
    },
  });
}
