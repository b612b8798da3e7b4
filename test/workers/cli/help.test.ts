import { performance } from 'node:perf_hooks';
import { exitCodeMeanings } from '../../../workers/exit-codes.ts';
import { commands } from '../../../workers/cli/commands.ts';
import { temper } from '../../support/command-line.ts';
import { eventually } from '../../support/eventually.ts';

test('the help names every command and every exit code', async () => {
  const { exitCode, output, errors } = await temper(['--help']);
  for (const { name, summary } of commands)
    expect(output.replace(/\n\s{18}/g, ' ')).toContain(`${name.padEnd(16)}${summary}`);
  for (const [code, meaning] of exitCodeMeanings) expect(output).toContain(`${String(code).padStart(5)}  ${meaning}`);
  expect([exitCode, errors]).toEqual([0, '']);
});

test.each([['-h'], ['help']])('%s says the same', async (word) => {
  expect(await temper([word])).toEqual(await temper(['--help']));
});

test.each([
  { words: ['--help'], loads: 'child.mjs', never: /commander|\.ts\b/ },
  { words: ['status', '--help'], loads: 'commander', never: /@temporalio|zod|better-sqlite3|yaml\/dist/ },
])('$words loads nothing that it does not need', async ({ words, loads, never }) => {
  const { errors } = await temper(words, { environment: { NODE_DEBUG: 'esm' } });
  // Beside what it loads, Node prints the text of it, which names what it may load later.
  const loaded = errors.split('\n').filter((line) => line.includes(': Storing '));
  expect(loaded.join('\n')).toContain(loads);
  expect(loaded.join('\n')).not.toMatch(never);
});

test('the help answers at once', async () => {
  // 0.3 s is what it takes on an idle machine (bench/ measures it); tests run beside each other, and now and then one has the machine.
  await eventually('the help is there within 1.5 s', 90, async () => {
    const begun = performance.now();
    await temper(['--help']);
    return performance.now() - begun < 1500;
  });
});

test.each(commands.map(({ name }) => name))('%s has help with an example', async (name) => {
  const { exitCode, output } = await temper([name, '--help']);
  expect(exitCode).toBe(0);
  expect(output).toMatch(new RegExp(`^Usage: temper ${name} `));
  expect(output).toMatch(/\nExamples?:\n {2}\$ .*temper/);
});

test.each([
  { title: 'an unknown command', words: ['frobnicate'], want: /unknown command 'frobnicate'/ },
  { title: 'an unknown option', words: ['plan', '--jsn'], want: /unknown option '--jsn'[^]*Did you mean --json\?/ },
  { title: 'no command', words: [], want: /^Usage: temper/ },
  { title: 'a missing argument', words: ['explain'], want: /missing required argument 'pipeline'/ },
  {
    title: 'a field without a value',
    words: ['plan', '--set', 'seed'],
    want: /It is written field=value, such as seed=2/,
  },
  { title: 'a shell that is not known', words: ['completion', 'tcsh'], want: /Allowed choices are bash, zsh, fish/ },
  { title: 'an attempt that is no number', words: ['logs', 'x', '--attempt', 'two'], want: /must be a whole number/ },
  { title: 'a name and a file', words: ['start', 'tiny', '-f', 'x.yaml'], want: /not both/ },
  { title: 'a file that is not there', words: ['start', '-f', 'x.yaml'], want: /x\.yaml cannot be read \(ENOENT\)/ },
  { title: 'a value that is no YAML', words: ['plan', '--set', 'seed={'], want: /--set seed/ },
])('$title is bad input', async ({ words, want }) => {
  const { exitCode, output, errors } = await temper(words);
  expect([exitCode, output]).toEqual([2, '']);
  expect(errors).toMatch(want);
  expect(errors).not.toMatch(/\n\s+at /);
});
