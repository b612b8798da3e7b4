import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { loadProfile, loadRecipe, parseYaml } from '../../configs/load.ts';
import type { Phase } from '../../configs/schema.ts';
import { TemperError } from '../../decisions/errors.ts';
import { repository } from '../../scripts/repository.ts';
import { leastPhases, recipeOf, shipped } from '../support/recipes.ts';

const recipes = join(repository, 'configs', 'recipes');
const profiles = join(repository, 'configs', 'profiles');

describe('what is shipped is valid', () => {
  test('recipes', async () => {
    const names = shipped('recipes');
    expect(names).toContain('tiny');
    for (const name of names) expect((await loadRecipe(recipes, name)).value.name).toBe(name);
  });

  test.each(shipped('recipes'))('%s hands no full model on to a command that goes on from an adapter', async (name) => {
    const { phases } = (await loadRecipe(recipes, name)).value;
    const isAdapter = (phase?: Phase) => phase?.kind === 'command' && phase.params.checkpoints.format === 'peft';
    const handed = phases.filter((phase, index) => {
      const [before, after] = [phases[index - 1], phases[index + 1]];
      const wants = after?.kind === 'command' && after.params.command.includes('{start}');
      return isAdapter(phase) && !isAdapter(before) && wants && phase.gate.length > 0 && phase.onReject !== 'hold';
    });
    expect(handed.map((phase) => phase.name)).toEqual([]);
  });

  test('profiles', async () => {
    const names = shipped('profiles');
    expect(names).toContain('local');
    for (const name of names) expect((await loadProfile(profiles, name)).value.name).toBe(name);
  });
});

describe('a recipe comes from', () => {
  test('a file, and says which', async () => {
    expect((await loadRecipe(recipes, 'tiny')).source).toBe('tiny.yaml');
  });

  test('a document', async () => {
    expect((await loadRecipe(recipes, recipeOf())).source).toBe('inline');
  });

  test('a file with fields changed', async () => {
    const { value } = await loadRecipe(recipes, 'tiny', { seed: 9, 'phases.sft.params.steps': 25 });
    expect([value.seed, value.phases[1]?.params]).toEqual([9, expect.objectContaining({ steps: 25 })]);
  });
});

test('the value is frozen to its last leaf', async () => {
  const { value } = await loadRecipe(recipes, 'tiny');
  const thawed = (part: unknown): boolean =>
    typeof part === 'object' && part !== null && (!Object.isFrozen(part) || Object.values(part).some(thawed));
  expect(thawed(value)).toBe(false);
});

const has = shipped('recipes').join(', ');

test.each([
  {
    name: 'tyni',
    want: `no recipe is named "tyni"; did you mean "tiny"? The worker has: ${has}`,
  },
  {
    name: 'gpt-oss-20b',
    want: `no recipe is named "gpt-oss-20b"; the worker has: ${has}`,
  },
  {
    name: '../recipes/tiny',
    want: `no recipe is named "../recipes/tiny"; the worker has: ${has}`,
  },
  {
    name: 'tiny.yaml',
    want: `no recipe is named "tiny.yaml"; the worker has: ${has}`,
  },
])('a recipe named "$name" is not found', async ({ name, want }) => {
  await expect(loadRecipe(recipes, name)).rejects.toEqual(new TemperError('not-found', want));
});

test('a profile that is not there is named with the nearest', async () => {
  const want = `no profile is named "locale"; did you mean "local"? The worker has: ${shipped('profiles').join(', ')}`;
  await expect(loadProfile(profiles, 'locale')).rejects.toEqual(new TemperError('not-found', want));
});

test('a folder of profiles of one’s own leaves the built-in one, which a file of its name replaces', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'temper-profiles-'));
  const shippedOne = await loadProfile(profiles, 'local');
  expect(await loadProfile(folder, 'local')).toMatchObject({ value: shippedOne.value, source: 'built in' });
  const want = 'no profile is named "locale"; did you mean "local"? The worker has: local';
  await expect(loadProfile(folder, 'locale')).rejects.toEqual(new TemperError('not-found', want));
  await writeFile(join(folder, 'local.yaml'), 'name: local\nbackend: local\nslots: 3\n');
  expect((await loadProfile(folder, 'local')).value).toMatchObject({ slots: 3 });
  await rm(folder, { recursive: true });
});

test('a folder of recipes or profiles that is not there is told with what names it', async () => {
  const want =
    'the folder /none cannot be read (ENOENT): TEMPER_RECIPES, TEMPER_PROFILES and TEMPER_SCHEDULES name folders of recipes, profiles and schedules';
  for (const load of [loadRecipe, loadProfile])
    await expect(load('/none', 'tiny')).rejects.toMatchObject({ code: 'not-found', message: want });
});

test('a file with a wrong field is refused with the file, the field and all problems as data', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'temper-recipes-'));
  await writeFile(
    join(folder, 'mine.yaml'),
    'name: mine\nmodel: {tiny: {}}\nphases: [{name: base, kind: bace, params: {}}]\n',
  );
  const want = 'is "bace"; did you mean "base"? One of: base, sft, drgrpo, orpo, mxfp4-merge, sao, command';
  await expect(loadRecipe(folder, 'mine')).rejects.toMatchObject({
    code: 'invalid-input',
    message: `Recipe mine.yaml is not valid:\n  mine.yaml:3:29: phases.base.kind: ${want}`,
    details: [{ field: 'phases.base.kind', message: want, source: 'mine.yaml', line: 3, column: 29 }],
  });
  await rm(folder, { recursive: true });
});

describe('YAML', () => {
  const read = (text: string) => parseYaml(text, 'mine.yaml');

  test.each<{ title: string; text: string; want: unknown }>([
    { title: '5e-3 is a number', text: 'a: 5e-3', want: { a: 0.005 } },
    { title: 'yes and no are words', text: 'a: yes\nb: no', want: { a: 'yes', b: 'no' } },
    { title: '1_000 is no number', text: 'a: 1_000', want: { a: '1_000' } },
    { title: 'a date is a text', text: 'a: 2026-11-29', want: { a: '2026-11-29' } },
    { title: '010 is ten', text: 'a: 010', want: { a: 10 } },
    {
      title: 'a byte order mark and Windows line ends are nothing',
      text: '\ufeffa: 1\r\nb: 2\r\n',
      want: { a: 1, b: 2 },
    },
    { title: 'an anchor is followed', text: 'a: &x {b: 1}\nc: *x', want: { a: { b: 1 }, c: { b: 1 } } },
    { title: 'a merge key is a field like any other', text: '<<: {a: 1}', want: { '<<': { a: 1 } } },
    { title: 'comments are left out', text: '# one\na: 1 # two\n', want: { a: 1 } },
  ])('$title', ({ text, want }) => {
    expect(read(text)).toEqual(want);
  });

  const thrownBy = (act: () => unknown): unknown => {
    try {
      return act();
    } catch (error) {
      return error;
    }
  };
  const nine = (name: string) => `[${Array.from({ length: 9 }, () => `*${name}`).join(', ')}]`;
  const laughs = `a: &a [x, x, x]\nb: &b ${nine('a')}\nc: &c ${nine('b')}\nd: ${nine('c')}`;

  test.each([
    { title: 'an empty file', text: '', want: ': is not a group of fields' },
    { title: 'comments alone', text: '# nothing yet\n', want: ': is not a group of fields' },
    { title: 'a list', text: '- a\n- b', want: ': is not a group of fields' },
    { title: 'a single word', text: 'tiny', want: ': is not a group of fields' },
    {
      title: 'two values of one key',
      text: 'a: 1\na: 2',
      want: ':2:1: a field of this name stands above in the same group',
    },
    {
      title: 'two values of one key, quoted',
      text: '"a": 1\na: 2',
      want: ':2:1: a field of this name stands above in the same group',
    },
    {
      title: 'a tab, and nothing of what it makes of the lines below',
      text: 'phases:\n  - name: a\n\tkind: base\n    params: {}\n  - name: b\n    kind: sft\n',
      want: ':3:1: a tab begins this line, and YAML is indented by spaces alone',
    },
    { title: 'a tab', text: 'a:\n\tb: 1', want: ':2:1: a tab begins this line, and YAML is indented by spaces alone' },
    { title: 'an open quote', text: 'a: "x', want: ':1:6: Missing closing "quote' },
    {
      title: 'two mappings on one line',
      text: 'a: b: c',
      want: ':1:4: Nested mappings are not allowed in compact mappings',
    },
    { title: 'a tag', text: 'a: !env HOME', want: ':1:4: a tag stands here (!…), and none means anything to Temper' },
    {
      title: 'an alias to nothing',
      text: 'a: *x',
      want: ':1:4: *x names nothing above: &x must stand before it',
    },
    { title: 'an alias inside itself', text: 'a: &x [*x]', want: ':1:8: *x stands inside what it names' },
    {
      title: 'an alias that grows to millions',
      text: laughs,
      want: ': its aliases grow without end',
    },
    {
      title: 'two documents',
      text: 'a: 1\n---\nb: 2',
      want: ':2:1: a second document begins here, and a file holds one',
    },
  ])('$title is refused', ({ text, want }) => {
    expect(thrownBy(() => read(text))).toMatchObject({ code: 'invalid-input', message: `mine.yaml${want}` });
  });

  test('whatever the text is, it is a group of fields or refused as input', () => {
    const bits = fc.constantFrom(
      'a',
      ': ',
      '\n',
      '  ',
      '- ',
      '&x ',
      '*x',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '\t',
      '!t ',
      '? ',
      '|',
      '#',
      '<<',
      '---\n',
      ',',
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 20 }), (parts) => {
        try {
          expect(typeof read(parts.join(''))).toBe('object');
        } catch (error) {
          expect(error).toMatchObject({ name: 'TemperError', code: 'invalid-input' });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('no document crashes it', () => {
  const onlyRefused = async (document: unknown) => {
    await loadRecipe(recipes, document as Record<string, unknown>).catch((error: unknown) => {
      expect(error).toMatchObject({ name: 'TemperError', code: 'invalid-input' });
    });
  };

  test('any JSON value that is not a name', async () => {
    const documents = fc.jsonValue().filter((value) => typeof value !== 'string');
    await fc.assert(fc.asyncProperty(documents, onlyRefused));
  });

  test('a recipe with any JSON value in place of one of its fields', async () => {
    const whole = recipeOf([
      { ...leastPhases.sft, evaluate: { every: 10, benchmarks: ['addition'] }, gate: [{ rank: { by: 'addition' } }] },
      ...[leastPhases.drgrpo, leastPhases.orpo, leastPhases.bake, leastPhases.sao],
    ]);
    const paths = pathsBelow(whole);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.jsonValue(), fc.boolean(), (path, value, asName) =>
        onlyRefused(replaced(whole, path, { value, asName })),
      ),
      { numRuns: 500 },
    );
  });
});

type Path = readonly string[];

function pathsBelow(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => [[...path, key], ...pathsBelow(below, [...path, key])]);
}

/** A copy with another value at the path, or with the value's text as the field's name. */
function replaced(value: unknown, [key = '', ...rest]: Path, by: { value: unknown; asName: boolean }): unknown {
  if (Array.isArray(value)) return value.map((item: unknown, index) => (String(index) === key ? below(item) : item));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, field]: [string, unknown]) => {
      if (name !== key) return [name, field];
      return rest.length === 0 && by.asName ? [JSON.stringify(by.value), field] : [name, below(field)];
    }),
  );
  function below(field: unknown): unknown {
    return rest.length === 0 ? by.value : replaced(field, rest, by);
  }
}
