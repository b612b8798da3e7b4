/**
 * Each import rule finds its bad file, and nothing is found in good ones. In fixtures/imports a bad file is named after the rule that it
 * breaks; every other file is a good one.
 */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const fixtures = join(import.meta.dirname, 'fixtures', 'imports');
const folders = readdirSync(fixtures, { withFileTypes: true }).filter((entry) => entry.isDirectory());

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
  readonly cycle?: readonly { readonly name: string }[];
}

interface Summary {
  readonly violations: readonly Violation[];
  readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string }[] };
}

async function cruise(): Promise<Summary> {
  const program = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');
  const settings = ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json'];
  const run = promisify(execFile)(process.execPath, [program, ...settings, ...folders.map((folder) => folder.name)], {
    cwd: fixtures,
    maxBuffer: 1e8,
  });
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  return (JSON.parse(stdout) as { summary: Summary }).summary;
}

/** The rule that a file is named after, or undefined for a good file. The longest name counts. */
function ruleOf(path: string): string | undefined {
  const named = rules.filter((rule) => basename(path).startsWith(rule));
  return named.sort((a, b) => b.length - a.length)[0];
}

const { violations: found, ruleSetUsed } = await cruise();
const rules = ruleSetUsed.forbidden.map((rule) => rule.name);
const badFiles = folders.flatMap((folder) =>
  readdirSync(join(fixtures, folder.name), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder.name, file))
    .filter((file) => file.endsWith('.ts') && ruleOf(file) !== undefined),
);

describe('import rules', () => {
  test.each(badFiles)('%s is found by its rule', (file) => {
    const named = found.filter(({ from, cycle = [] }) => from === file || cycle.some(({ name }) => name === file));
    expect(named.map((violation) => violation.rule.name)).toContain(ruleOf(file));
  });

  test('every rule has a bad file', () => {
    expect(rules.filter((rule) => !badFiles.some((file) => ruleOf(file) === rule))).toEqual([]);
  });

  test('nothing is found in good files', () => {
    const wrong = found.filter((violation) => ruleOf(violation.from) === undefined);
    expect(wrong.map((violation) => `${violation.rule.name}: ${violation.from}`)).toEqual([]);
  });
});
