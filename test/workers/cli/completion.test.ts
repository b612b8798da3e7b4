import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { commands } from '../../../workers/cli/commands.ts';
import { temper } from '../../support/command-line.ts';

const bash = (await temper(['completion', 'bash'])).output;

/** What bash offers for these words, the last one still being typed. */
async function offered(words: readonly string[]): Promise<string[]> {
  const quoted = ['temper', ...words].map((word) => `'${word}'`).join(' ');
  const script = `${bash}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${String(words.length)}; _temper; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script]);
  return stdout.split('\n').filter((word) => word !== '');
}

test.each([
  { words: ['l'], want: ['logs', 'leaderboard', 'lineage', 'link'] },
  { words: ['plan', '--d'], want: ['--direct'] },
  { words: ['validate', '--s'], want: ['--set', '--schema'] },
  { words: ['validate', 'package.js'], want: ['package.json'] },
  { words: ['logs', 'tiny', '--f'], want: ['--follow'] },
])('bash completes $words', async ({ words, want }) => {
  expect(await offered(words)).toEqual(want);
});

test.each(['zsh', 'fish'])('%s knows every command', async (shell) => {
  const { exitCode, output } = await temper(['completion', shell]);
  expect(exitCode).toBe(0);
  for (const { name } of commands) expect(output).toMatch(new RegExp(`\\b${name}\\b`));
});
