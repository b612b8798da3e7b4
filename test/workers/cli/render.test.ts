/** What a person gets who wants to see the manifests before anything is submitted. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repository } from '../../../scripts/repository.ts';
import { temper } from '../../support/command-line.ts';

test('the manifests of every phase and its evaluation, as kubectl takes them', async () => {
  const { exitCode, output, errors } = await temper(['render', 'tiny', '--profile', 'cluster']);
  expect([exitCode, errors]).toEqual([0, '']);
  expect(output).toBe(await readFile(join(repository, 'test', 'k8s', 'golden', 'tiny-on-cluster.yaml'), 'utf8'));
  const objects = parseAllDocuments(output).map((document) => document.toJS() as { kind: string });
  // base is not evaluated, the five others are.
  expect(objects.map(({ kind }) => kind)).toEqual(['Service', ...Array.from({ length: 11 }, () => 'Job')]);
});

test('what a namespace needs once: the Role of workers, with the queue’s rights where there is one, and the Service', async () => {
  const [plain, queued] = await Promise.all(
    ['cluster', 'h100'].map(async (profile) => {
      const { output } = await temper(['render', '--setup', '--profile', profile]);
      return parseAllDocuments(output).map(
        (document) => document.toJS() as { kind: string; rules?: { resources: string[] }[] },
      );
    }),
  );
  expect(plain?.map(({ kind }) => kind)).toEqual(['Role', 'Service']);
  const resources = plain?.[0]?.rules?.flatMap((rule) => rule.resources);
  expect(resources).toEqual(['jobs', 'pods', 'pods/log', 'events', 'services']);
  expect(queued?.[0]?.rules?.flatMap((rule) => rule.resources)).toEqual([...(resources ?? []), 'workloads']);
});

test('a changed field of the recipe changes no manifest: what is trained lies in request.json', async () => {
  const changed = ['--set', 'phases.sft.params.learningRate=0.004'];
  const [plain, other] = [
    await temper(['render', '--profile', 'cluster']),
    await temper(['render', '--profile', 'cluster', ...changed]),
  ];
  expect(other.output).toBe(plain.output);
});

test('an entry of the profile that no job of the recipe asks for is told beside the manifests, with what was meant', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'temper-render-'));
  try {
    const shipped = await readFile(join(repository, 'configs', 'profiles', 'cluster.yaml'), 'utf8');
    await writeFile(join(folder, 'mine.yaml'), shipped.replace('mxfp4-merge:', 'bakke:'));
    const environment = { TEMPER_PROFILES: folder };
    const { exitCode, output, errors } = await temper(['render', '--profile', 'mine'], { environment });
    expect([exitCode, errors]).toEqual([
      0,
      'warning: jobs.bakke of profile "cluster" counts for no job of recipe "tiny": no kind of job and no phase of it is called so; did you mean "bake"?\n',
    ]);
    expect(parseAllDocuments(output)).toHaveLength(12);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a step whose rows the processes of a profile cannot share is refused, with what to change', async () => {
  const { exitCode, output, errors } = await temper([
    'render',
    '--profile',
    'h100',
    '--set',
    'phases.drgrpo.params.promptsPerStep=17',
    '--set',
    'phases.drgrpo.params.generations=2',
  ]);
  expect([exitCode, output]).toEqual([2, '']);
  expect(errors).toContain(
    'phases.drgrpo.params: make steps of 34 rows, which the 8 processes of profile "h100" (nodes × gpus of jobs.drgrpo) cannot share evenly: change either',
  );
});

test.each([
  {
    title: 'a profile of this machine',
    args: ['--profile', 'local'],
    want: 'temper: profile "local" runs jobs as processes of its machine: there are no manifests\n',
  },
  {
    title: 'a recipe that does not fit the profile',
    args: ['hf-trainer', '--profile', 'cluster'],
    want: `temper: Recipe hf-trainer.yaml does not fit profile "cluster":
  hf-trainer.yaml:16:25: phases.tuned.params.command.1: has {home}, and profile "cluster" runs it in a container, which holds nothing of Temper: name a path of its image or of the store
  hf-trainer.yaml:16:95: phases.tuned.params.command.5: has {home}, and profile "cluster" runs it in a container, which holds nothing of Temper: name a path of its image or of the store
`,
  },
  { title: 'no profile', args: [], want: "error: required option '--profile <name>' not specified\n" },
])('$title is refused', async ({ args, want }) => {
  expect(await temper(['render', ...args])).toMatchObject({ exitCode: 2, errors: want });
});
