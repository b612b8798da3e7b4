/** The part `house` of the check: names, lengths and texts of all tracked files. The rules are in check/house-rules.ts. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProblems } from './check/house-rules.ts';
import { repository } from './repository.ts';

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: repository,
  encoding: 'utf8',
});
const paths = listed.split('\0').filter((path) => path !== '');
const files = paths.flatMap((path) => {
  const text = readText(join(repository, path));
  return text === undefined ? [] : [{ path, text }];
});

/** Undefined for a file that git still lists but that was removed from the disk. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const problems = findProblems(files);
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
