import { CommanderError } from 'commander';
import { loadRecipe } from '../../configs/load.ts';
import { scheduleSchema } from '../../configs/schema-schedule.ts';
import { profileSchema } from '../../configs/schema.ts';
import { readYaml } from '../../configs/yaml-text.ts';
import { commandNamed } from '../../scripts/docs/command-page.ts';
import { commands } from '../../workers/cli/commands.ts';
import { commandsOf, readPages, samplesOf } from './pages.ts';

const pages = readPages();
const names = commands.map(({ name }) => name);

const yamls = pages.flatMap(({ path, text }) =>
  samplesOf(text)
    .filter(({ language }) => /^ya?ml\b/.test(language))
    .map((sample) => ({ place: `${path}:${String(sample.line)}`, text: sample.text })),
);

test.each(yamls)('the YAML at $place is valid', async ({ place, text }) => {
  const { value } = readYaml(text, place);
  if ('phases' in value && 'name' in value) await loadRecipe('', value);
  if ('backend' in value) profileSchema.parse(value);
  if ('sweep' in value) scheduleSchema.parse(value);
});

test('a whole recipe is among the samples', () => {
  expect(yamls.filter(({ text }) => /^phases:/m.test(text) && /^name:/m.test(text))).not.toEqual([]);
});

const jsons = pages.flatMap(({ path, text }) =>
  samplesOf(text)
    .filter(({ language }) => /^json/.test(language))
    .map(({ line, language, text: sample }) => ({ place: `${path}:${String(line)}`, language, text: sample })),
);

test.each(jsons)('the JSON at $place can be read', ({ language, text }) => {
  const bare = withoutComments(text);
  const documents = /^jsonl/.test(language) ? bare.split('\n').filter((line) => line !== '') : [bare];
  for (const document of documents) JSON.parse(document.startsWith('"') ? `{${document}}` : document);
});

/** Those of `jsonc`; what stands in quotes is none. */
function withoutComments(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\/\/.*|\/\*.*?\*\//g, (found) => (found.startsWith('"') ? found : ''));
}

const shown = pages.flatMap(({ path, text }) =>
  commandsOf(text).map((words) => ({ path, command: ['temper', ...words].join(' '), words })),
);

test.each(shown)('$path: `$command` can be typed', async ({ words }) => {
  expect(await problemWith(words)).toBeNull();
});

test.each([
  { words: ['plan', '-f', 'mine.yaml', '--set', 'seed=2'], want: null },
  { words: ['--help'], want: null },
  { words: [], want: null },
  { words: ['plam'], want: 'there is no command plam' },
  { words: ['status', '--wach'], want: 'unknown: --wach' },
  { words: ['logs', 'tiny', '-n', 'many'], want: expect.stringContaining('must be a whole number') as unknown },
  { words: ['start', '-f'], want: expect.stringContaining('argument missing') as unknown },
  { words: ['cancel', 'tiny', 'sft'], want: 'too many names: sft' },
  { words: ['nodes', 'forget', 'gpu-7', '--by', 'ada'], want: null },
  { words: ['nodes', 'froget'], want: 'too many names: froget' },
  { words: ['nodes', 'forget', '--yb', 'ada'], want: 'unknown: --yb ada' },
])('of temper $words it says $want', async ({ words, want }) => {
  expect(await problemWith(words)).toEqual(want);
});

/** What `temper` would say of these words before it does anything; a name may be left out where only the command is meant. */
async function problemWith([name, ...rest]: readonly string[]): Promise<string | null> {
  if (name === undefined || ['--help', '-h', 'help'].includes(name)) return null;
  if (!names.includes(name)) return `there is no command ${name}`;
  const outer = await commandNamed(name);
  const inner = outer.commands.find((each) => each.name() === rest[0]);
  const command = (inner ?? outer).exitOverride().configureOutput({ writeErr: () => undefined });
  const words = inner === undefined ? rest : rest.slice(1);
  try {
    const { operands, unknown } = command.parseOptions(words.filter((word) => word !== '--help' && word !== '-h'));
    if (unknown.length > 0) return `unknown: ${unknown.join(' ')}`;
    const taken = command.registeredArguments;
    const tooMany = taken.some(({ variadic }) => variadic) ? [] : operands.slice(taken.length);
    return tooMany.length > 0 ? `too many names: ${tooMany.join(' ')}` : null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.message;
  }
}
