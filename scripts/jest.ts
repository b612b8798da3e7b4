/** Runs a project of jest.config.mjs in our place; resolves to its exit code. */
import { join } from 'node:path';
import { runInOurPlace } from './child.mjs';
import { withFailedOnceMore } from './once-more.ts';
import { repository } from './repository.ts';

/** Where it is set, a test file that fails is run once more, and the file that it names lists those that pass then. */
const flakyVariable = 'TEMPER_FLAKY_TESTS';

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

export function runJest({ patterns, ...run }: JestRun): Promise<number> {
  const flaky = process.env[flakyVariable];
  const jest = (args: readonly string[]): Promise<number> => jestInOurPlace(run, args);
  return flaky === undefined ? jest(patterns) : withFailedOnceMore(jest, patterns, flaky);
}

function jestInOurPlace(
  { project, testSeconds, options, environment }: Omit<JestRun, 'patterns'>,
  args: readonly string[],
): Promise<number> {
  const all = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    join(repository, 'node_modules', 'jest', 'bin', 'jest.js'),
    '--selectProjects',
    project,
    `--testTimeout=${String(testSeconds * 1000)}`,
    '--passWithNoTests',
    ...options,
    ...args,
  ];
  return runInOurPlace(process.execPath, all, { cwd: repository, ...(environment ? { environment } : {}) });
}
