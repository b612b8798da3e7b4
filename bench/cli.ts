/**
 * `npm run bench -- cli`: how long `temper --help` takes, from its start to its end, against Node with nothing to do.
 *
 * Both run alternately, with the Node that runs this bench; one run of each before counts for nothing. `--json` prints numbers for a
 * script. Does not cover a Node older than 22.19, with which bin/temper.mjs starts a second one.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { quantile } from './measure-run.ts';

const runs = 10;
const programs = {
  'temper --help': [fileURLToPath(new URL('../bin/temper.mjs', import.meta.url)), '--help'],
  'node -e 0': ['-e', '0'],
};

const measured = Object.entries(programs).map(([name, args]) => ({ name, args, milliseconds: [] as number[] }));
for (let run = 0; run <= runs; run += 1) {
  for (const { args, milliseconds } of measured) {
    const spent = millisecondsOf(args);
    if (run > 0) milliseconds.push(spent);
  }
}

const measures = measured.map(({ name, milliseconds }) => ({
  name,
  medianMilliseconds: quantile(milliseconds, 0.5),
  largestMilliseconds: quantile(milliseconds, 1),
  runs: milliseconds.length,
}));
console.log(process.argv.includes('--json') ? JSON.stringify(measures) : measures.map(text).join('\n'));

function millisecondsOf(args: readonly string[]): number {
  const begun = performance.now();
  const { status, error, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const spent = performance.now() - begun;
  if (error !== undefined || status !== 0) {
    throw new Error(`node ${args.join(' ')} ended with ${status ?? 'a signal'}: ${stderr}`, { cause: error });
  }
  return spent;
}

function text({ name, medianMilliseconds, largestMilliseconds, runs: count }: (typeof measures)[number]): string {
  const shown = (value: number | null) => (value === null ? 'not seen' : `${value.toFixed(0)} ms`);
  return `${name.padEnd(16)} median ${shown(medianMilliseconds)}, largest ${shown(largestMilliseconds)}, n ${count}`;
}
