/** A recipe on a profile that lacks what it asks for: told before anything starts, at the recipe's field. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { fitting, loadFile, loadRecipe, loadRecipeFile } from '../../configs/load.ts';
import { profileSchema } from '../../configs/schema.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';
import { foreign, recipeOf } from '../support/recipes.ts';

const folder = await mkdtemp(join(tmpdir(), 'temper-placement-'));
afterAll(() => rm(folder, { recursive: true }));

const local = profileSchema.parse({ name: 'laptop', backend: 'local' });
const roles = { engine: { command: ['serve'] } };
const image = 'registry.example/trainers:1';

async function answerTo(params: object, profile: Parameters<typeof fitting>[1]): Promise<string[]> {
  const recipe = await loadRecipe('.', recipeOf([{ ...foreign, params: { ...foreign.params, ...params } }]));
  try {
    fitting(recipe, profile);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n').slice(1);
  }
}

test.each([
  {
    title: 'roles where jobs are processes',
    params: { roles },
    profile: local,
    want: ['params.roles: are pods of their own, and profile "laptop" runs jobs as processes of its machine'],
  },
  {
    title: 'a role without pods',
    params: { roles },
    profile: kubernetesProfile(),
    want: ['params.roles.engine: has no pods on profile "site": say there how many, as jobs.tuned.roles.engine'],
  },
  {
    title: 'a role with pods by its kind',
    params: { roles },
    profile: kubernetesProfile({ jobs: { default: { image }, command: { roles: { engine: 2, more: 1 } } } }),
    want: [],
  },
  {
    title: 'pods for a role that is not there',
    params: { roles },
    profile: kubernetesProfile({ jobs: { default: { image }, tuned: { roles: { engine: 2, enigne: 2 } } } }),
    want: ['params: has no role "enigne", and profile "site" gives it pods (jobs.tuned.roles.enigne); it has: engine'],
  },
  {
    title: 'the folder of Temper in a container',
    params: { command: ['python', '{home}/t.py'], env: { A: '{home}' } },
    profile: kubernetesProfile(),
    want: ['params.command.1: has {home}, and profile "site" runs it in a container', 'params.env.A: has {home}'],
  },
  {
    title: 'the same on this machine, and one that is doubled',
    params: { command: ['python', '{home}/t.py'] },
    profile: local,
    want: [],
  },
  {
    title: 'an image of the command alone: what seals its checkpoints has none',
    params: { image },
    profile: kubernetesProfile({ jobs: { base: { image } } }),
    want: [
      ': has jobs of kind seal, for which profile "site" names no image: set jobs.default.image or jobs.seal.image',
    ],
  },
  {
    title: 'an image of the command, and one of what seals',
    params: { image },
    profile: kubernetesProfile({ jobs: { base: { image }, seal: { image } } }),
    want: [],
  },
  { title: 'braces that stay', params: { command: ['python', '{{home}}'] }, profile: kubernetesProfile(), want: [] },
])('$title', async ({ params, profile, want }) => {
  const said = await answerTo(params, profile);
  expect(said).toHaveLength(want.length);
  for (const [index, words] of want.entries())
    expect(said[index]).toContain(`phases.tuned${words.startsWith(':') ? '' : '.'}${words}`);
});

test('a file is told with line and column', async () => {
  const path = join(folder, 'mine.yaml');
  const phase = `  - name: sao
    kind: command
    params:
      command: [train]
      roles:
        engine: {command: [serve]}
      steps: 2
      checkpointEvery: 1
      checkpoints: {format: peft}
      progress: none
`;
  await writeFile(path, `name: mine\nmodel: {path: /m}\nphases:\n  - {name: base, kind: base, params: {}}\n${phase}`);
  const recipe = await loadRecipeFile(path);
  expect(() => fitting(recipe, kubernetesProfile())).toThrow(
    `Recipe ${path} does not fit profile "site":\n  ${path}:10:9: phases.sao.params.roles.engine: has no pods on profile "site"`,
  );
});

test('every phase without an image is told, each with its place', async () => {
  const path = join(folder, 'imageless.yaml');
  await writeFile(path, stringify(recipeOf([{ ...foreign, evaluate: { benchmarks: ['addition'] } }])));
  const recipe = await loadRecipeFile(path);
  let said = '';
  try {
    fitting(recipe, kubernetesProfile({ jobs: { sft: { image } } }));
  } catch (error) {
    said = (error as Error).message;
  }
  const lines = said.split('\n').slice(1);
  expect(lines.map((line) => /imageless\.yaml:\d+:\d+: (\S+) has jobs of kind (\S+),/.exec(line)?.slice(1))).toEqual([
    ['phases.base:', 'base'],
    ['phases.tuned:', 'command'],
    ['phases.tuned:', 'seal'],
    ['phases.tuned:', 'evaluate'],
  ]);
});

test('roles of a profile that are counted elsewhere, have no pods, or no name', async () => {
  const path = join(folder, 'site.yaml');
  const roles = "{trainer: 4, engine: 0, 'Engine 2': 1}";
  await writeFile(path, stringify(kubernetesProfile()).replace('jobs:', `jobs:\n  sao: {roles: ${roles}}`));
  const lines = await loadFile(path).then(
    () => [],
    (error: unknown) => (error as Error).message.split('\n').slice(1),
  );
  expect(lines.map((line) => line.replace(/^.*site\.yaml:\d+:/, ''))).toEqual([
    '17: jobs.sao.roles.trainer: is counted by nodes: roles are those that serve the trainers',
    '37: jobs.sao.roles.engine: is 0, and must be above 0',
    '40: jobs.sao.roles.Engine 2: a name is lower-case letters, digits and single dashes, and begins with a letter',
  ]);
});
