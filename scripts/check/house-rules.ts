/**
 * House rules that no linter here knows: file names, lengths of files that ESLint does not see, and texts that would tie the project to
 * one machine or change evidence. Pure: paths and texts in, one line per problem out.
 */

/** A tracked file; `path` is relative to the repository's root, with slashes. */
export interface TrackedFile {
  readonly path: string;
  readonly text: string;
}

const longestFile = 300;
const codeEndings = /\.(ts|mjs|cjs|py|sh)$/;

/** Where names are not ours to choose, or files are wrong on purpose. */
const notOurs = /^(test\/guards\/fixtures|test\/histories)\//;

/** Tests of refusals need the very text that is refused. */
const onPurpose = /^test\/(guards\/house|store\/store-check)\.test\.ts$/;

type Rule = (file: TrackedFile) => string | undefined;

const rules: readonly Rule[] = [fileName, emptyName, length, machinePath, registryHost, evidence];

/** One line per problem: `path: what is wrong`. */
export function findProblems(files: readonly TrackedFile[]): readonly string[] {
  return files
    .filter((file) => !notOurs.test(file.path))
    .flatMap((file) => rules.flatMap((rule) => rule(file) ?? []).map((problem) => `${file.path}: ${problem}`));
}

/** TypeScript and scripts in kebab-case, Python in snake_case; a second part such as `.test` is fine, as is a leading dot. */
function fileName({ path }: TrackedFile): string | undefined {
  if (!codeEndings.test(path)) return undefined;
  const name = baseName(path);
  if (path.endsWith('.py')) return /^[a-z0-9_]+\.py$/.test(name) ? undefined : 'a Python file is named in snake_case';
  return /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)+$/.test(name) ? undefined : 'a file is named in kebab-case';
}

/** A file is named by the question it answers. */
function emptyName({ path }: TrackedFile): string | undefined {
  const stem = baseName(path).split('.')[0];
  const says = stem !== undefined && ['utils', 'util', 'helpers', 'helper', 'common', 'types', 'misc'].includes(stem);
  return says && codeEndings.test(path) ? `"${stem}" says nothing about what is in a file` : undefined;
}

function length({ path, text }: TrackedFile): string | undefined {
  if (!codeEndings.test(path)) return undefined;
  const lines = text.split('\n').filter((line) => /\S/.test(line) && !/^\s*(\/\/|\/?\*|#)/.test(line)).length;
  return lines > longestFile ? `${String(lines)} lines of code, and ${String(longestFile)} is the most` : undefined;
}

/** A path of somebody's machine works nowhere else. */
function machinePath({ path, text }: TrackedFile): string | undefined {
  if (onPurpose.test(path)) return undefined;
  const found = /(?<![\w.}$-])\/(home|Users|root|work|mnt\/data)\/[\w.-]+/.exec(text);
  return found ? `names a path of one machine: ${found[0]}` : undefined;
}

/** Where packages come from is the machine's setting, not the project's. */
function registryHost({ path, text }: TrackedFile): string | undefined {
  if (onPurpose.test(path)) return undefined;
  if (path === 'package-lock.json' && text.includes('"resolved"'))
    return 'records download addresses (omit-lockfile-registry-resolved)';
  const found = /(--(extra-)?index-url|--find-links|^registry)[ =]+\S+/m.exec(text);
  return found && !path.endsWith('.md') ? `names a package registry: ${found[0]}` : undefined;
}

/** What a verdict rested on is written once: whoever asks why later reads what was there. */
function evidence({ path, text }: TrackedFile): string | undefined {
  if (!path.startsWith('store/ledger/')) return undefined;
  const table = '["\'`](evaluations|outcomes|outside_scores|verdicts|decisions|incidents|benchmarks)\\b';
  const builder = `(?:updateTable|deleteFrom|mergeInto|replaceInto)\\(\\s*${table}`;
  const overwrites = `insertInto\\(\\s*${table}[^;]*doUpdateSet`;
  const sql = `(?:update|delete\\s+from|merge\\s+into|replace\\s+into|truncate(?:\\s+table)?)\\s+${table.replace(']', ']?')}`;
  const sqlOverwrites = `insert\\s+into\\s+${table.replace(']', ']?')}[^;]*do\\s+update`;
  const found = new RegExp([builder, overwrites, sql, sqlOverwrites].join('|'), 'i').exec(text);
  const named = found?.slice(1).find(Boolean);
  return named === undefined ? undefined : `changes what verdicts rest on: ${named} are written once`;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
