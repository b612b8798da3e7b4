/** Ten mistakes in a recipe with exactly what a person is answered, and what a script sees. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../../../scripts/repository.ts';
import { temper } from '../../support/command-line.ts';

const folder = await mkdtemp(join(tmpdir(), 'temper-validate-'));
afterAll(() => rm(folder, { recursive: true }));

const tiny = await readFile(join(repository, 'configs', 'recipes', 'tiny.yaml'), 'utf8');

/** The tiny recipe with one thing changed. */
const changed = (from: string, to: string): string => {
  if (!tiny.includes(from)) throw new Error(`the tiny recipe has no ${from}`);
  return tiny.replace(from, to);
};

const fieldsOfSft = 'Fields: steps, checkpointEvery, learningRate, warmupSteps, lora, batchSize, maxLength';

describe('a mistake is answered with its line, its field, and what is meant', () => {
  test.each<{ title: string; text: string; set?: string[]; want: string[] }>([
    {
      title: 'a field with a typing error',
      text: changed('batchSize: 32', 'batchSzie: 32'),
      want: [
        'mine.yaml:16:5: phases.sft.params.batchSize: is missing (a number)',
        `mine.yaml:16:85: phases.sft.params.batchSzie: is no field here; did you mean "batchSize"? ${fieldsOfSft}`,
      ],
    },
    {
      title: 'a text for a number',
      text: changed('steps: 50', 'steps: fifty'),
      want: ['mine.yaml:16:107: phases.sft.params.steps: is "fifty", and must be a number'],
    },
    {
      title: 'a kind that is not there',
      text: changed('kind: drgrpo', 'kind: grpo'),
      want: [
        'mine.yaml:22:11: phases.drgrpo.kind: is "grpo"; did you mean "drgrpo"? One of: base, sft, drgrpo, orpo, mxfp4-merge, sao, command',
      ],
    },
    {
      title: 'a learning rate of five',
      text: changed('learningRate: 5e-3', 'learningRate: 5'),
      want: ['mine.yaml:16:79: phases.sft.params.learningRate: is 5, and must be at most 1'],
    },
    {
      title: 'fewer steps than to the first checkpoint',
      text: changed('steps: 480', 'steps: 100'),
      want: [
        'mine.yaml:12:43: phases.base.params.checkpointEvery: is above steps (100): no checkpoint would come before the end',
      ],
    },
    {
      title: 'a start that comes later',
      text: changed('kind: orpo\n', 'kind: orpo\n    from: sao\n'),
      want: [
        'mine.yaml:33:11: phases.orpo.from: no phase named "sao" comes before this one; before it: base, sft, drgrpo',
      ],
    },
    {
      title: 'experts that are trained, and refused at the merge',
      text: changed('targets: [q, k, v, o]', 'targets: [q, k, v, o, experts]'),
      want: [
        'mine.yaml:42:23: phases.bake.params.experts: is "refuse", and the LoRA of phase "sft" (phases.1) trains the experts: say "requantize", or take experts out of its targets',
      ],
    },
    {
      title: 'a budget below what one phase begins with',
      text: changed('evaluations: 40', 'evaluations: 1'),
      want: [
        'mine.yaml:55:50: budgets.evaluations: is 1, and the phases begin with 9 (checkpoints × benchmarks × seeds: sft 2, drgrpo 2, orpo 2, bake 1, sao 2)',
      ],
    },
    {
      title: 'a tab, and a field twice',
      text: `${tiny}\tnotes: 1\nseed: 2\n`,
      want: [
        'mine.yaml:57:1: a tab begins this line, and YAML is indented by spaces alone',
        'mine.yaml:58:1: a field of this name stands above in the same group',
      ],
    },
    {
      title: 'a field that is set wrong',
      text: tiny,
      set: ['--set', 'phases.sfft.params.steps=5', '--set', 'phases.orpo.params.beta=high'],
      want: [
        'set: phases.orpo.params.beta: is "high", and must be a number',
        'set: "phases.sfft.params.steps": nothing is named "sfft"; did you mean "sft"? There are: base, sft, drgrpo, orpo, bake, sao',
      ],
    },
  ])('$title', async ({ text, set = [], want }) => {
    await writeFile(join(folder, 'mine.yaml'), text);
    const { exitCode, output, errors } = await temper(['validate', 'mine.yaml', ...set], { folder });
    const lines = output.split('\n').map((line) => line.trim());
    expect(lines.filter((line) => line !== '' && line !== 'Recipe mine.yaml is not valid:')).toEqual(want);
    expect([exitCode, errors]).toEqual([2, '']);
  });
});

test('a file may be named as plan and start name it', async () => {
  await writeFile(join(folder, 'mine.yaml'), tiny);
  const { exitCode, output } = await temper(['validate', '-f', 'mine.yaml', '-f', 'none.yaml'], { folder });
  expect([exitCode, output]).toEqual([2, 'mine.yaml: valid (recipe tiny)\nnone.yaml cannot be read (ENOENT)\n']);
});

test('a name means the recipe of this machine, the profile, or both', async () => {
  const { exitCode, output } = await temper(['validate', 'tiny', 'h100', 'sao-30b']);
  const told = output.split('\n').flatMap((line) => /^\S+: valid \((.+)\)$/.exec(line)?.[1] ?? []);
  expect([exitCode, told]).toEqual([0, ['recipe tiny', 'profile h100', 'recipe sao-30b', 'profile sao-30b']]);
});

test('a schedule is checked too: its fields, and times that a clock change skips, with one that is safe', async () => {
  const times = 'at: ["02:30"]\ntimeZone: America/New_York\nsweep: {benchmarks: [addition]}\n';
  await writeFile(join(folder, 'nightly.yaml'), `name: nightly\n${times}`);
  await writeFile(
    join(folder, 'wrong.yaml'),
    `nam: nightly\n${times.replace('02:30', '3:00').replace('New_York', 'NewYork')}`,
  );
  const { exitCode, output } = await temper(['validate', 'nightly-eval', 'nightly.yaml', 'wrong.yaml'], { folder });
  expect(exitCode).toBe(2);
  expect(output).toMatch(/nightly-eval\.yaml: valid \(schedule nightly-eval\)/);
  expect(output).toMatch(
    / at: 02:30 in America\/New_York does not exist on \d{4}-03-\d\d, when .*03:00 comes exactly once/,
  );
  expect(output).toMatch(/wrong\.yaml:1:1: nam: is no field here; did you mean "name"/);
  expect(output).toMatch(/wrong\.yaml:2:\d+: at\.0: .*a time is written 03:00/);
  expect(output).toMatch(/wrong\.yaml:3:\d+: timeZone: .*no time zone/);
});

test('what a schedule names and this machine does not have is told, with the nearest', async () => {
  const sweep = {
    recipe: 'tinny',
    profile: 'locl',
    benchmarks: ['additon'],
    checkpoints: { named: ['tiny/sft', 'tiny/sft/a1/checkpoint-50'] },
  };
  const schedule = (change: object) =>
    JSON.stringify({ name: 'named', at: ['03:00'], timeZone: 'UTC', sweep: { ...sweep, ...change } });
  await writeFile(join(folder, 'named.yaml'), schedule({}));
  await writeFile(join(folder, 'other.yaml'), schedule({ recipe: 'tiny', profile: 'local', checkpoints: {} }));
  const { exitCode, output } = await temper(['validate', 'named.yaml', 'other.yaml'], { folder });
  expect([exitCode, output.trimEnd().split('\n')]).toEqual([
    0,
    [
      'named.yaml: valid (schedule named)',
      '  warning: sweep.recipe: this machine has no recipe "tinny"; did you mean "tiny"? The worker that runs the sweeps must have it',
      '  warning: sweep.profile: this machine has no profile "locl"; did you mean "local"? The worker that runs the sweeps must have it',
      '  warning: sweep.checkpoints.named.0: "tiny/sft" is no id of a checkpoint, such as tiny/sft/a1/checkpoint-50',
      'other.yaml: valid (schedule named)',
      '  warning: sweep.benchmarks.0: recipe "tiny" has no benchmark "additon"; did you mean "addition"? What has none of this name is skipped',
    ],
  ]);
});

test('a file counts before a name', async () => {
  await writeFile(join(folder, 'tiny'), tiny.replace('name: tiny', 'name: mine'));
  const { exitCode, output } = await temper(['validate', 'tiny'], { folder });
  expect([exitCode, output]).toEqual([0, 'tiny: valid (recipe mine)\n']);
});

test('a name that nothing has is told, with the nearest', async () => {
  const { exitCode, errors } = await temper(['validate', 'tinny']);
  expect([exitCode, errors]).toEqual([
    2,
    'temper: no file, recipe, profile or schedule is named "tinny"; did you mean "tiny"?\n',
  ]);
});

test('with a profile, what it lacks is told with line and column', async () => {
  const { exitCode, output } = await temper([
    'validate',
    join(repository, 'configs', 'recipes', 'sao-30b.yaml'),
    '--profile',
    'h100',
  ]);
  const lines = output.trimEnd().split('\n').slice(1);
  const places = lines.map(
    (line) => /sao-30b\.yaml:\d+:\d+: (phases\.\S+): has no pods on profile "h100"/.exec(line)?.[1],
  );
  expect([exitCode, places]).toEqual([2, ['phases.sao.params.roles.worker', 'phases.sao.params.roles.engine']]);
});

test('a script gets each problem as data', async () => {
  await writeFile(join(folder, 'mine.yaml'), changed('steps: 50', 'steps: fifty'));
  const { exitCode, output } = await temper(['validate', '--json', 'mine.yaml', 'none.yaml'], { folder });
  expect([exitCode, JSON.parse(output)]).toEqual([
    2,
    [
      {
        file: 'mine.yaml',
        valid: false,
        problems: [
          {
            field: 'phases.sft.params.steps',
            message: 'is "fifty", and must be a number',
            source: 'mine.yaml',
            line: 16,
            column: 107,
          },
        ],
        warnings: [],
      },
      { file: 'none.yaml', valid: false, problems: [{ message: 'none.yaml cannot be read (ENOENT)' }], warnings: [] },
    ],
  ]);
});

test('an entry of a profile that counts for nothing is told, of the profile alone and beside a recipe', async () => {
  const shippedProfile = await readFile(join(repository, 'configs', 'profiles', 'cluster.yaml'), 'utf8');
  await writeFile(join(folder, 'mine.yaml'), shippedProfile.replace('mxfp4-merge:', 'mxfp4-mrege:'));
  await writeFile(join(folder, 'tiny.yaml'), tiny);
  const environment = { TEMPER_PROFILES: folder };
  const alone = await temper(['validate', 'mine.yaml'], { folder });
  const beside = await temper(['validate', '--json', 'tiny.yaml', '--profile', 'mine'], { folder, environment });
  expect([alone.exitCode, alone.output]).toEqual([
    0,
    'mine.yaml: valid (profile cluster)\n  warning: jobs.mxfp4-mrege is no kind of job, and counts for phases of that name alone; did you mean "mxfp4-merge"?\n',
  ]);
  expect([beside.exitCode, JSON.parse(beside.output)]).toMatchObject([
    0,
    [{ valid: true, warnings: [expect.stringContaining('did you mean "mxfp4-merge"?')] }],
  ]);
});

test('a phase that is shortened for a try is valid, and told that only its end is evaluated', async () => {
  const { exitCode, output } = await temper(['validate', 'tiny', '--set', 'phases.sft.params.steps=20']);
  expect([exitCode, output.trimEnd().split('\n')]).toEqual([
    0,
    [
      expect.stringMatching(/tiny\.yaml: valid/),
      '  warning: phases.sft.evaluate.every is 25, and the phase has 20 steps: only its last checkpoint is evaluated',
    ],
  ]);
});

test('a phase that starts from what another pipeline promoted is told, with who knows whether it is there', async () => {
  const from = 'kind: sft\n    from: {checkpoint: demo/sft}';
  await writeFile(join(folder, 'more.yaml'), tiny.replace('kind: sft', from));
  const { exitCode, output } = await temper(['validate', 'more.yaml'], { folder });
  expect([exitCode, output]).toEqual([
    0,
    'more.yaml: valid (recipe tiny)\n  sft starts from demo/sft: `temper plan` says whether that is promoted and sealed\n',
  ]);
});

test('a profile is valid wherever recipes are: they are looked at for a warning alone', async () => {
  const shippedProfile = join(repository, 'configs', 'profiles', 'cluster.yaml');
  const environment = { TEMPER_RECIPES: join(folder, 'nowhere') };
  const { exitCode, output } = await temper(['validate', shippedProfile], { environment });
  expect([exitCode, output]).toEqual([0, `${shippedProfile}: valid (profile cluster)\n`]);
});

test('what is shipped is valid: recipes, profiles and schedules', async () => {
  const { exitCode, output } = await temper(['validate']);
  const lines = output.trim().split('\n');
  expect([
    exitCode,
    lines.filter((line) => !/\.yaml: valid \((recipe|profile|schedule) [a-z0-9-]+\)$/.test(line)),
  ]).toEqual([0, []]);
  for (const file of [
    'recipes/tiny.yaml',
    'recipes/sao-30b.yaml',
    'profiles/local.yaml',
    'schedules/nightly-eval.yaml',
  ])
    expect(lines).toContainEqual(expect.stringContaining(`${file}: valid`));
});

test.each(['recipe', 'profile', 'schedule'])('--schema %s prints the fields for editors', async (what) => {
  const { output } = await temper(['validate', '--schema', what]);
  expect(output).toBe(await readFile(join(repository, 'configs', `${what}.schema.json`), 'utf8'));
});
