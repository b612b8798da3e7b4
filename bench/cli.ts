/**
 * `npm run bench -- cli`: how long `temper --help` and the help of a command take, from start to end, against Node with nothing to do.
 *
 * All run in turn, with the Node that runs this bench, and with the one that PATH names outside of npm where it is another version (one
 * older than 22.19 starts the packaged Node for a command); one run of each before counts for nothing. `--json` prints numbers for a script.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantile } from './measure-run.ts';

const runs = 10;
const temper = fileURLToPath(new URL('../bin/temper.mjs', import.meta.url));
const programs = {
  'temper --help': [temper, '--help'],
  'temper status --help': [temper, 'status', '--help'],
  'node -e 0': ['-e', '0'],
};

const measured = [{ node: process.execPath, version: process.version }, ...otherNode()].flatMap(({ node, version }) =>
  Object.entries(programs).map(([name, args]) => ({
    name: `${name} (Node ${version.slice(1)})`,
    command: [node, ...args],
    milliseconds: [] as number[],
  })),
);
for (let run = 0; run <= runs; run += 1) {
  for (const { command, milliseconds } of measured) {
    const spent = millisecondsOf(command);
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

/** The first Node on PATH whose version is not ours. */
function otherNode(): { readonly node: string; readonly version: string }[] {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const found = paths.filter(existsSync).map((node) => {
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    return { node, version: stdout.trim() };
  });
  return found.filter(({ version }) => version !== process.version).slice(0, 1);
}

function millisecondsOf([program = '', ...args]: readonly string[]): number {
  const begun = performance.now();
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  const spent = performance.now() - begun;
  if (error !== undefined || status !== 0) {
    throw new Error(`${program} ${args.join(' ')} ended with ${status ?? 'a signal'}: ${stderr}`, { cause: error });
  }
  return spent;
}

function text({ name, medianMilliseconds, largestMilliseconds, runs: count }: (typeof measures)[number]): string {
  const shown = (value: number | null) => (value === null ? 'not seen' : `${value.toFixed(0)} ms`);
  return `${name.padEnd(38)} median ${shown(medianMilliseconds)}, largest ${shown(largestMilliseconds)}, n ${count}`;
}
