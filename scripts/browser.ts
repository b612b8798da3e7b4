/**
 * The browser of `npm run test:browser`: the one that TEMPER_CHROMIUM names, else a Chromium on PATH, else Debian's, installed by root.
 *
 * Nothing is downloaded but through apt-get.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export type FoundBrowser =
  { readonly kind: 'found'; readonly path: string } | { readonly kind: 'none'; readonly because: string };

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const packages = ['chromium', 'fonts-dejavu-core', 'fonts-liberation'];
const fix = 'install Chromium (Debian: apt-get install chromium), or name a browser with TEMPER_CHROMIUM=<path>';

export interface Machine {
  readonly isExecutable: (path: string) => boolean;
  /** Runs a program to its end; true when it ended well. */
  readonly run: (program: string, args: readonly string[]) => boolean;
  readonly isRoot: boolean;
}

const thisMachine: Machine = {
  isExecutable(path) {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false; // neither there nor ours to run: the next one is looked at
    }
  },
  run: (program, args) => spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0,
  isRoot: process.getuid?.() === 0,
};

/** Looks, and on a Debian machine where we are root installs what is missing. */
export function findBrowser(
  environment: Readonly<Record<string, string | undefined>>,
  machine: Machine = thisMachine,
): FoundBrowser {
  const { TEMPER_CHROMIUM: named, PATH: searched = '' } = environment;
  if (named) {
    if (machine.isExecutable(named)) return { kind: 'found', path: named };
    return { kind: 'none', because: `TEMPER_CHROMIUM names ${named}, which cannot be run` };
  }
  const folders = searched.split(delimiter).filter((folder) => folder !== '');
  const onPath = (program: string): string | undefined =>
    folders.map((folder) => join(folder, program)).find((path) => machine.isExecutable(path));
  const browser = () => names.map(onPath).find((path) => path !== undefined);

  const there = browser();
  if (there !== undefined) return { kind: 'found', path: there };
  if (!machine.isRoot || onPath('apt-get') === undefined) return { kind: 'none', because: `no browser here: ${fix}` };

  const aptGet = (args: readonly string[]) =>
    machine.run('env', ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...args]);
  const installed = aptGet(['update']) && aptGet(['install', '--yes', '--no-install-recommends', ...packages]);
  const now = browser();
  if (installed && now !== undefined) return { kind: 'found', path: now };
  return { kind: 'none', because: `no browser here, and apt-get could not install one: ${fix}` };
}
