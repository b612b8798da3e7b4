/** A shell that hands no signal on is named, with the word that mends it; one that gives its place away or answers itself is not. */
import { deafShells } from '../../configs/deaf-shells.ts';
import { placementWarnings, profileWarnings } from '../../configs/placement-warnings.ts';
import { profileSchema, recipeSchema } from '../../configs/schema.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';
import { foreign, recipeOf } from '../support/recipes.ts';

const profileRunning = (command: readonly string[]) =>
  kubernetesProfile({ jobs: { default: { image: 'all:1' }, sft: { command } } });
const recipeRunning = (change: object) =>
  recipeSchema.parse(recipeOf([{ ...foreign, params: { ...foreign.params, ...change } }]));
const deaf = (what: string, shell: string) =>
  expect.stringMatching(new RegExp(`^${what} runs a script of ${shell} without exec: .*with \`exec\`$`)) as string;

test.each([
  { title: 'a script', command: ['sh', '-c', 'python train.py'], shell: 'sh' },
  { title: 'options before it', command: ['/bin/bash', '-euo', 'pipefail', '-c', 'cd /x && a'], shell: '/bin/bash' },
  { title: 'a login shell', command: ['bash', '-lc', 'conda activate x; python -m train'], shell: 'bash' },
  { title: 'find’s -exec', command: ['sh', '-c', 'find . -exec cp {} /x +; python train.py'], shell: 'sh' },
  { title: 'a program called exec-all', command: ['sh', '-c', 'exec-all'], shell: 'sh' },
  ...[
    'exec >/log 2>&1; python train.py',
    'exec &> "/a log"\npython train.py',
    'exec > >(tee -a /log) 2>&1; python train.py',
    'exec 3</data\npython train.py',
  ].map((script) => ({ title: `redirections alone, ${script}`, command: ['bash', '-c', script], shell: 'bash' })),
  { title: 'exec behind redirections', command: ['sh', '-c', 'exec 2>&1; exec >/log python a.py'], shell: null },
  { title: 'exec before redirections', command: ['sh', '-c', 'exec python a.py >/log 2>&1'], shell: null },
  { title: 'exec of a variable', command: ['sh', '-c', 'exec "$@"'], shell: null },
  { title: 'exec', command: ['sh', '-c', 'cd /x && exec python train.py'], shell: null },
  { title: 'exec in a branch', command: ['bash', '-c', 'if true\nthen\n  exec python a.py\nfi'], shell: null },
  { title: 'a trap', command: ['sh', '-c', `trap 'kill -TERM "$child"' TERM; a & child=$!; wait`], shell: null },
  { title: 'a script of the image', command: ['bash', 'train.sh'], shell: null },
  { title: 'no shell', command: ['torchrun', '-m', 'train'], shell: null },
  { title: 'an init that hands signals to all', command: ['tini', '-g', '--', 'sh', '-c', 'a; b'], shell: null },
])('a profile’s command: $title', ({ command, shell }) => {
  const want = shell === null ? [] : [deaf('jobs.sft.command of profile "site"', shell)];
  expect(deafShells(profileRunning(command), null)).toEqual(want);
});

test('of a recipe: its command and those of its roles, each by its field', () => {
  const recipe = recipeRunning({
    command: ['sh', '-c', 'python train.py'],
    roles: { engine: { command: ['bash', '-c', 'serve'] }, judge: { command: ['serve'] } },
  });
  expect(deafShells(kubernetesProfile(), recipe)).toEqual([
    deaf('phase "tuned" \\(params.command\\)', 'sh'),
    deaf('phase "tuned" \\(params.roles.engine.command\\)', 'bash'),
  ]);
});

test.each([
  { title: 'its command', container: { name: 'trainer', command: ['sh', '-c', 'a; b'] }, isTold: true },
  { title: 'its arguments', container: { name: 'trainer', command: ['sh'], args: ['-c', 'a; b'] }, isTold: true },
  { title: 'a container beside it', container: { name: 'proxy', command: ['sh', '-c', 'a; b'] }, isTold: false },
  { title: 'nothing of what it runs', container: { name: 'trainer', tty: true }, isTold: false },
])('of a pod template that changes $title', ({ container, isTold }) => {
  const profile = kubernetesProfile({ podTemplate: { spec: { containers: [container] } } });
  expect(deafShells(profile, null)).toHaveLength(isTold ? 1 : 0);
});

test('told beside entries that count for nothing, and not where jobs are processes of this machine', () => {
  const command = ['sh', '-c', 'a; b'];
  const profile = kubernetesProfile({ jobs: { default: { image: 'all:1', command }, drgpro: {} } });
  expect(placementWarnings(profile, recipeSchema.parse(recipeOf()))).toEqual([
    expect.stringContaining('did you mean "drgrpo"?'),
    deaf('jobs.default.command of profile "site"', 'sh'),
  ]);
  expect(profileWarnings(profile, [])).toHaveLength(2);
  const laptop = profileSchema.parse({ name: 'laptop', backend: 'local' });
  expect(deafShells(laptop, recipeRunning({ command }))).toEqual([]);
});
