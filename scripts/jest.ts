/** Runs a project of jest.config.mjs in our place; resolves to its exit code. */
import { join } from 'node:path';
import { runInOurPlace } from './child.mjs';
import { repository } from './repository.ts';

export interface JestRun {
  /** Its `displayName`. */
  readonly project: string;
  /** What one test, and what goes before it, may take. */
  readonly testSeconds: number;
  readonly options: readonly string[];
  /** Only tests whose path matches one of them; all when there is none. */
  readonly patterns: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
}

export function runJest({ project, testSeconds, options, patterns, environment }: JestRun): Promise<number> {
  const args = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    join(repository, 'node_modules', 'jest', 'bin', 'jest.js'),
    '--selectProjects',
    project,
    `--testTimeout=${String(testSeconds * 1000)}`,
    '--passWithNoTests',
    ...options,
    ...patterns,
  ];
  return runInOurPlace(process.execPath, args, { cwd: repository, ...(environment ? { environment } : {}) });
}
