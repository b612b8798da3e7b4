/** Which nodes and GPUs of a profile a phase can use, and what is said of those that it cannot. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { placementProblems } from '../../configs/placement.ts';
import { kindsTogether } from '../../configs/placement-processes.ts';
import { recipeSchema } from '../../configs/schema.ts';
import { repository } from '../../scripts/repository.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';
import { type Document, foreign, leastPhases, recipeOf } from '../support/recipes.ts';

const image = 'all:1';
const said = (jobs: Record<string, unknown>, phases: Document[] = [leastPhases.sft]): string[] =>
  placementProblems(recipeSchema.parse(recipeOf(phases)), kubernetesProfile({ jobs })).map(
    ({ field, message }) => `${field}: ${message}`,
  );

const withProcesses = (processes: number, more: Document = {}): Document => ({
  ...foreign,
  params: { ...foreign.params, processes, ...more },
});

test.each<{ title: string; jobs: Record<string, unknown>; phases?: Document[] }>([
  { title: 'one pod and one GPU each', jobs: { default: { image, gpus: 1 } } },
  { title: 'rows that all processes share evenly', jobs: { default: { image, gpus: 8 }, sft: { nodes: 2 } } },
  {
    title: 'one process on a pod of several GPUs, for kinds that cannot share',
    jobs: { default: { image, gpus: 8 } },
    phases: [leastPhases.sft, leastPhases.bake, leastPhases.sao],
  },
  {
    title: 'a program of the profile’s own, which shares as it likes',
    jobs: { default: { image }, sft: { nodes: 3, command: ['torchrun', 'mine.py'] } },
  },
  {
    title: 'a foreign trainer, for the same reason',
    jobs: { default: { image }, tuned: { nodes: 3 } },
    phases: [foreign],
  },
  {
    title: 'a GPU to each process of a foreign trainer',
    jobs: { default: { image }, tuned: { nodes: 2, gpus: 4 } },
    phases: [withProcesses(8)],
  },
  {
    title: 'no GPU to several processes, whose number is the command’s own matter',
    jobs: { default: { image } },
    phases: [withProcesses(2)],
  },
  {
    title: 'few GPUs to a foreign trainer whose processes are in roles',
    jobs: { default: { image }, tuned: { gpus: 4, roles: { worker: 1 } } },
    phases: [withProcesses(8, { roles: { worker: { command: ['join'] } } })],
  },
])('a profile may give $title', ({ jobs, phases }) => {
  expect(said(jobs, phases)).toEqual([]);
});

test.each<{ title: string; jobs: Record<string, unknown>; phases?: Document[]; want: string }>([
  {
    title: 'nodes to a kind that cannot share its work',
    jobs: { default: { image }, sao: { nodes: 2 } },
    phases: [leastPhases.sft, leastPhases.bake, leastPhases.sao],
    want: 'phases.sao: has jobs of kind sao, to which profile "site" gives 2 nodes, and only sft, drgrpo, orpo are trained by several: set jobs.sao.nodes to 1',
  },
  {
    title: 'nodes to all, evaluations too',
    jobs: { default: { image, nodes: 2 }, base: { nodes: 1 } },
    phases: [{ ...leastPhases.sft, evaluate: { benchmarks: ['addition'] } }],
    want: 'phases.sft: has jobs of kind evaluate, to which profile "site" gives 2 nodes, and only sft, drgrpo, orpo are trained by several: set jobs.evaluate.nodes to 1',
  },
  {
    title: 'more processes than can share a step’s rows evenly',
    jobs: { default: { image, gpus: 8 }, sft: { nodes: 3 } },
    want: 'phases.sft.params: make steps of 32 rows, which the 24 processes of profile "site" (nodes × gpus of jobs.sft) cannot share evenly: change either',
  },
  {
    title: 'fewer GPUs than a foreign trainer has processes',
    jobs: { default: { image }, command: { gpus: 4 } },
    phases: [withProcesses(8)],
    want: 'phases.tuned.params.processes: is 8, and profile "site" has GPUs for 4 (nodes × gpus of jobs.tuned or jobs.command): change either, and what the command says of them',
  },
])('a profile does not fit that gives $title', ({ jobs, phases, want }) => {
  expect(said(jobs, phases)).toEqual([want]);
});

test('the kinds that are trained together are those of the trainers', () => {
  const kinds = readFileSync(join(repository, 'trainers', 'temper_trainers', 'kinds.py'), 'utf8');
  const [, list = ''] = /^TOGETHER = \((.*)\)$/m.exec(kinds) ?? [];
  expect(list.replaceAll('"', '').split(', ')).toEqual(kindsTogether);
});
