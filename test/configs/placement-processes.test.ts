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
])('a profile does not fit that gives $title', ({ jobs, phases, want }) => {
  expect(said(jobs, phases)).toEqual([want]);
});

test('the kinds that are trained together are those of the trainers', () => {
  const kinds = readFileSync(join(repository, 'trainers', 'temper_trainers', 'kinds.py'), 'utf8');
  const [, list = ''] = /^TOGETHER = \((.*)\)$/m.exec(kinds) ?? [];
  expect(list.replaceAll('"', '').split(', ')).toEqual(kindsTogether);
});
