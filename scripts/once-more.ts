/**
 * Runs test files that failed once more, by themselves: where a real server, trainer and browser share a machine, one slow moment must not
 * fail an hour of tests, and a fault fails twice.
 *
 * What passes then is flaky: a fault to be mended, written down where a person sees it. Does not run again what failed beside its tests,
 * such as a run that did not end.
 */
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Part of what `jest --json` writes. */
interface Results {
  readonly testResults: readonly { readonly name: string; readonly status: 'passed' | 'failed' }[];
}

/**
 * Resolves to the exit code of the last run.
 *
 * @param jest Runs Jest with these arguments beside its own options.
 * @param patterns What to run at first.
 * @param list File to which a line is added for each flaky one.
 */
export async function withFailedOnceMore(
  jest: (args: readonly string[]) => Promise<number>,
  patterns: readonly string[],
  list: string,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'temper-results-'));
  try {
    const file = join(folder, 'results.json');
    const code = await jest(['--json', `--outputFile=${file}`, ...patterns]);
    const failed = code === 1 ? await failedFiles(file) : [];
    if (failed.length === 0) return code;
    console.error(`\nonce more, by themselves:\n  ${failed.join('\n  ')}`);
    const codeOfSecond = await jest(['--runTestsByPath', ...failed]);
    if (codeOfSecond === 0) await appendFile(list, failed.map((name) => `${name}\n`).join(''));
    return codeOfSecond;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** None where Jest wrote no results. */
async function failedFiles(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return [];
  const { testResults } = JSON.parse(text) as Results;
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}
