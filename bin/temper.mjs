#!/usr/bin/env node
/**
 * `temper`: starts workers/cli.ts with a Node that can run it (22.19 or newer), whichever Node starts this file (20 or newer).
 *
 * The help alone needs no such Node: it is written ahead (help.txt, by `npm run docs`), so that it comes at once from any. Does not set
 * anything up: where that is missing, it says so.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInOurPlace } from '../scripts/child.mjs';
import { beLean } from './lean-process.mjs';

const home = fileURLToPath(new URL('..', import.meta.url));
const program = join(home, 'workers', 'cli.ts');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = major > 22 || (major === 22 && minor >= 19);

if (!existsSync(join(home, 'node_modules', 'commander'))) {
  process.stderr.write(`temper: nothing is set up here: run \`npm run setup\` in ${home}\n`);
  process.exitCode = 69;
} else if (isAskedForHelp(process.argv.slice(2))) {
  process.stdout.on('error', endQuietlyWithoutReader);
  process.stdout.write(readFileSync(join(home, 'bin', 'help.txt')));
} else if (isNewEnough) {
  withoutExperimentalWarnings();
  beLean();
  await import(program);
} else {
  const node = findNode();
  if (node === undefined) {
    process.stderr.write(
      `temper: this Node is ${process.versions.node}, and 22.19 or newer is needed: run \`npm run setup\` in ${home}\n`,
    );
    process.exitCode = 69;
  } else {
    const args = ['--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url), ...process.argv.slice(2)];
    process.exitCode = await runInOurPlace(node, args, { cwd: process.cwd() });
  }
}

/** Of temper itself; that of a command is its own file's. */
function isAskedForHelp([first, ...rest]) {
  return rest.length === 0 && ['--help', '-h', 'help'].includes(first);
}

/** `temper --help | head` ends the reader first. */
function endQuietlyWithoutReader(error) {
  if (error.code !== 'EPIPE') throw error;
}

/** The one that came with the packages, or that set-up found. */
function findNode() {
  const packaged = join(home, 'node_modules', 'node', 'bin', 'node');
  if (existsSync(packaged)) return packaged;
  const record = join(process.env.TEMPER_CACHE || join(home, '.temper'), 'setup.json');
  return existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')).node : undefined;
}

/** Node says of each .ts file's type stripping that it is experimental. */
function withoutExperimentalWarnings() {
  const emit = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => {
    const [kind] = rest;
    if ((typeof kind === 'string' ? kind : kind?.type) !== 'ExperimentalWarning') emit(warning, ...rest);
  };
}
