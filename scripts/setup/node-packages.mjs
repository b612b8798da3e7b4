/**
 * Step: the packages of package-lock.json in node_modules.
 *
 * npm writes node_modules/.package-lock.json last, so a killed `npm ci` has none; it must name the packages of package-lock.json with
 * the same contents, and each must be on the disk. Beside them lies the link that lets `npx temper` find the command without asking npm.
 * Not covered: files changed inside a package by hand.
 */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged } from './commands.mjs';
import { readJson } from './record.mjs';

export const nodePackages = {
  name: 'Node packages',
  contents: 'Temporal SDK, SQLite, Node 22, test and lint tools',
  downloadBytes: 0.2e9,
  diskBytes: 0.8e9,
  folder: (places) => places.nodeModules,

  /** True when every package is in place. */
  find({ places }) {
    const wanted = readJson(places.packageLock);
    const installed = readJson(join(places.nodeModules, '.package-lock.json'));
    if (!samePackages(wanted, installed) || !onDisk(places.repository, installed)) return undefined;
    linkCommand(places);
    return true;
  },

  async make(context) {
    await runLogged(context, {
      name: 'npm ci',
      command: 'npm',
      args: ['ci', '--no-audit', '--no-fund', '--include=dev', '--loglevel=error'],
      fix: 'check that npm can reach its registry, then run this again.',
    });
    linkCommand(context.places);
    return true;
  },
};

function linkCommand({ nodeModules }) {
  const link = join(nodeModules, '.bin', 'temper');
  if (existsSync(link)) return;
  mkdirSync(join(nodeModules, '.bin'), { recursive: true });
  symlinkSync(join('..', '..', 'bin', 'temper.mjs'), link);
}

/** Does what is installed match what is wanted? Packages for other platforms (optional ones) may be missing. */
export function samePackages(wanted, installed) {
  if (wanted?.packages === undefined || installed?.packages === undefined) return false;
  return Object.entries(wanted.packages).every(([path, entry]) => {
    if (path === '') return true;
    const there = installed.packages[path];
    if (there === undefined) return entry.optional === true || entry.devOptional === true;
    return there.version === entry.version && there.integrity === entry.integrity;
  });
}

function onDisk(repository, installed) {
  return Object.keys(installed.packages).every((path) => existsSync(join(repository, path, 'package.json')));
}
