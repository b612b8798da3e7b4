/** Each lint rule that is ours finds its bad file in fixtures/lint, and files that are fine stay fine. */
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const fixtures = join(import.meta.dirname, 'fixtures', 'lint');

interface Result {
  readonly filePath: string;
  readonly messages: readonly { readonly ruleId: string | null; readonly message: string }[];
}

async function lint(): Promise<readonly Result[]> {
  const program = join(root, 'node_modules', 'eslint', 'bin', 'eslint.js');
  const args = [program, '--config', join(root, 'eslint.config.mjs'), '--format', 'json', '.'];
  const run = promisify(execFile)(process.execPath, args, { cwd: fixtures, maxBuffer: 1e8 });
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  return JSON.parse(stdout) as Result[];
}

const results = await lint();

function messagesOf(file: string): readonly string[] {
  const result = results.find((each) => each.filePath === join(fixtures, file));
  if (result === undefined) throw new Error(`${file} was not linted`);
  return result.messages.map(({ ruleId, message }) => ruleId ?? message);
}

describe('lint rules', () => {
  test.each([
    { file: 'workflows/process.ts', want: 'no-restricted-globals' },
    { file: 'workflows/buffer.ts', want: 'no-restricted-globals' },
    { file: 'workflows/fetch.ts', want: 'no-restricted-globals' },
    { file: 'workflows/console.ts', want: 'no-restricted-globals' },
    { file: 'decisions/clock.ts', want: 'no-restricted-syntax' },
    { file: 'decisions/new-date.ts', want: 'no-restricted-syntax' },
    { file: 'decisions/chance.ts', want: 'no-restricted-syntax' },
    { file: 'decisions/environment.ts', want: 'no-restricted-globals' },
    { file: 'store/default-export.ts', want: 'no-restricted-syntax' },
    { file: 'store/plain-reading.ts', want: 'no-restricted-imports' },
    { file: 'store/parameters.ts', want: 'max-params' },
    { file: 'store/switch.ts', want: '@typescript-eslint/switch-exhaustiveness-check' },
    { file: 'store/floating-promise.ts', want: '@typescript-eslint/no-floating-promises' },
    { file: 'store/unsafe-any.ts', want: '@typescript-eslint/restrict-plus-operands' },
    { file: 'store/types-by-value.ts', want: '@typescript-eslint/consistent-type-imports' },
  ])('$file is found by $want', ({ file, want }) => {
    expect(messagesOf(file)).toContain(want);
  });

  test('a disabled rule that finds nothing is an error itself', () => {
    expect(messagesOf('store/stale-disable.ts')).toEqual([expect.stringContaining('Unused eslint-disable directive')]);
  });

  test.each(['workflows/clock-is-fine.ts', 'decisions/given-date-is-fine.ts'])('%s is fine', (file) => {
    expect(messagesOf(file)).toEqual([]);
  });
});

describe('lengths', () => {
  const lineOf = (number: number): string => `export const line${String(number)} = ${String(number)};\n`;
  const lines = (count: number): string => Array.from({ length: count }, (_, index) => lineOf(index)).join('');
  const functionOf = (count: number): string =>
    `export function long(): void {\n${'  console.error(1);\n'.repeat(count)}}\n`;

  test.each([
    { what: 'a file of 301 lines', path: 'store/x.ts', text: lines(301), want: ['max-lines'] },
    { what: 'a file of 300 lines', path: 'store/x.ts', text: lines(300), want: [] },
    { what: 'a function of 61 lines', path: 'store/x.ts', text: functionOf(59), want: ['max-lines-per-function'] },
    { what: 'a function of 60 lines', path: 'store/x.ts', text: functionOf(58), want: [] },
    { what: 'a long function in a test', path: 'test/x.test.ts', text: functionOf(100), want: [] },
  ])('$what', async ({ path, text, want }) => {
    expect(await lintText(path, text)).toEqual(want);
  });

  /** Lints a text without types: lengths need none. */
  async function lintText(path: string, text: string): Promise<readonly string[]> {
    const { ESLint } = await import('eslint');
    const { default: configuration } = (await import(join(root, 'eslint.config.mjs'))) as { default: object[] };
    const { default: tseslint } = await import('typescript-eslint');
    const eslint = new ESLint({
      cwd: root,
      overrideConfigFile: true,
      overrideConfig: [
        ...configuration,
        { files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked },
        { files: ['**/*.ts'], languageOptions: { parserOptions: { projectService: false } } },
      ],
    });
    const [result] = await eslint.lintText(text, { filePath: join(root, path) });
    return (result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message);
  }
});
