/**
 * The parts of `npm run check`: what each runs, from the repository's root, with the Node and the Python that set-up found.
 *
 * Folders that are not there yet are left out, so that a part never fails for a missing folder.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** One command of a part. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
}

/** A part passes when each of its commands ends with 0. */
export interface Part {
  readonly name: string;
  readonly commands: readonly Command[];
}

const codeFolders = [
  'configs',
  'decisions',
  'workflows',
  'activities',
  'k8s',
  'local',
  'store',
  'workers',
  'report',
  'scripts',
  'bench',
  'test',
];

/** All parts, the slow ones first, so that two at a time end together. */
export function listParts(repository: string, python: string): readonly Part[] {
  const node = (packageName: string, file: string, ...args: string[]): Command => ({
    program: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', join(repository, 'node_modules', packageName, file), ...args],
    folder: repository,
  });
  const module = (...args: string[]): Command => ({
    program: python,
    args: ['-m', ...args],
    folder: join(repository, 'trainers'),
  });
  const present = codeFolders.filter((folder) => existsSync(join(repository, folder)));
  return [
    { name: 'lint', commands: [node('eslint', 'bin/eslint.js', '.', '--max-warnings=0')] },
    { name: 'types', commands: [node('typescript', 'bin/tsc', '--noEmit', '--pretty', 'false')] },
    {
      name: 'python',
      commands: [module('ruff', 'check', '.'), module('ruff', 'format', '--check', '.'), module('mypy')],
    },
    {
      name: 'imports',
      commands: [
        node('dependency-cruiser', 'bin/dependency-cruiser.mjs', '--config', '.dependency-cruiser.mjs', ...present),
      ],
    },
    { name: 'dead', commands: [node('knip', 'bin/knip.js', '--no-progress')] },
    { name: 'format', commands: [node('prettier', 'bin/prettier.cjs', '--check', '--log-level', 'warn', '.')] },
    { name: 'house', commands: [{ program: process.execPath, args: ['scripts/house.ts'], folder: repository }] },
  ];
}
