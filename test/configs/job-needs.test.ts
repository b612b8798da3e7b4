/** What an hour of a job takes of a budget of GPU-hours. */
import { gpusOfJob } from '../../configs/job-needs.ts';
import { phaseSchema, profileSchema } from '../../configs/schema.ts';
import { foreign, leastPhases } from '../support/recipes.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';

const image = 'registry.example/trainers:1';
const profile = kubernetesProfile({
  jobs: {
    default: { image },
    sft: { nodes: 4, gpus: 8 },
    command: { gpus: 8, roles: { engine: 3 } },
    evaluate: { gpus: 2 },
  },
});
const sft = phaseSchema.parse({ ...leastPhases.sft, name: 'sft' });
const rl = phaseSchema.parse({
  ...foreign,
  params: { ...foreign.params, roles: { engine: { command: ['serve'] } } },
});

test.each([
  { title: 'training: every GPU of every pod', of: profile, job: sft, want: 32 },
  { title: 'with the pods of its other roles', of: profile, job: rl, want: 32 },
  { title: 'an evaluation', of: profile, job: 'evaluate' as const, want: 2 },
  { title: 'a job without GPUs: its hours as they are', of: kubernetesProfile(), job: sft, want: 1 },
  {
    title: 'a process of this machine',
    of: profileSchema.parse({ name: 'local', backend: 'local' }),
    job: sft,
    want: 1,
  },
])('$title: $want', ({ of, job, want }) => {
  expect(gpusOfJob(of, job)).toBe(want);
});
