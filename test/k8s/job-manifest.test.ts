/** What a cluster is asked for. The whole of it: golden/, which `npm run docs` writes and the real API server is asked about. */
import { jobManifest, type JobOrder } from '../../k8s/job-manifest.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';

const order: JobOrder = {
  name: 't-tiny-sft-0a1b2c3d-a2',
  directory: '/store/pipelines/tiny/sft/attempt-2',
  requestPath: '/store/pipelines/tiny/sft/attempt-2/request.json',
  memoryFactor: 1,
  sharedMemoryFactor: 1,
  avoidNodes: [],
  labels: { kind: 'sft', pipeline: 'tiny', phase: 'warm-up', attempt: 2, workflowId: 'tiny' },
};
const trainerOf = (changes: Record<string, unknown>, job: Partial<JobOrder> = {}) => {
  const pod = jobManifest({ ...order, ...job }, kubernetesProfile(changes)).spec?.template.spec;
  const [trainer] = pod?.containers ?? [];
  return { pod, trainer, variables: Object.fromEntries((trainer?.env ?? []).map(({ name, value }) => [name, value])) };
};

test('the same order gives the same bytes', () => {
  const [one, same] = [order, structuredClone(order)].map((each) =>
    JSON.stringify(jobManifest(each, kubernetesProfile())),
  );
  expect(one).toBe(same);
});

test('what an earlier attempt died for want of is asked for, and its nodes are left alone where others are', () => {
  const jobs = { default: { image: 'all:1', memory: '100Gi', sharedMemory: '1Gi' } };
  const { pod, trainer } = trainerOf({ jobs }, { memoryFactor: 1.5, sharedMemoryFactor: 2, avoidNodes: ['gpu-7'] });
  expect(trainer?.resources?.limits).toEqual({ memory: '150Gi' });
  expect(pod?.volumes?.find(({ name }) => name === 'shared-memory')?.emptyDir?.sizeLimit).toBe('2Gi');
  expect(JSON.stringify(pod?.affinity)).toContain('"operator":"NotIn","values":["gpu-7"]');
});

test('what a phase asks for counts before its kind, and that before the default, field by field', () => {
  const jobs = {
    default: { image: 'all:1', gpus: 1, memory: '100Gi' },
    sft: { gpus: 4, memory: '400Gi' },
    'warm-up': { gpus: 8 },
  };
  const { trainer } = trainerOf({ jobs });
  expect([trainer?.image, trainer?.resources?.limits]).toEqual(['all:1', { 'nvidia.com/gpu': '8', memory: '400Gi' }]);
});

test('a foreign command runs in its own image with its own arguments, and what it sets counts', () => {
  const command = {
    argv: ['torchrun', 'train.py'],
    env: { PYTHONUNBUFFERED: '0', SEED: '1' },
    workingDirectory: '/code',
    image: 'mine:2',
  };
  const { trainer, variables } = trainerOf({ jobs: { default: { image: 'all:1', command: ['own'] } } }, { command });
  expect(trainer).toMatchObject({ image: 'mine:2', command: ['torchrun', 'train.py'], workingDir: '/code' });
  expect(variables).toMatchObject({ PYTHONUNBUFFERED: '0', SEED: '1', TEMPER_REQUEST: order.requestPath });
  expect(trainer?.env?.filter(({ name }) => name === 'PYTHONUNBUFFERED')).toHaveLength(1);
  const inTheProfiles = trainerOf({ jobs: { default: { image: 'all:1' } } }, { command: { ...command, image: null } });
  expect(inTheProfiles.trainer?.image).toBe('all:1');
});

test('an evaluation asks for what evaluations ask for, whatever its phase does', () => {
  const jobs = { default: { image: 'all:1', gpus: 1 }, 'warm-up': { gpus: 8, nodes: 4 } };
  const { trainer } = trainerOf({ jobs }, { labels: { ...order.labels, kind: 'evaluate' } });
  expect(trainer?.resources?.limits).toEqual({ 'nvidia.com/gpu': '1' });
});

test('a job of four nodes is four pods that meet at the first', () => {
  const jobs = { default: { image: 'all:1', nodes: 4, gpus: 8 } };
  const { spec } = jobManifest(order, kubernetesProfile({ jobs }));
  expect([spec?.completions, spec?.parallelism, spec?.backoffLimit]).toEqual([4, 4, 0]);
  expect(trainerOf({ jobs }).variables).toMatchObject({
    PET_NNODES: '4',
    PET_NPROC_PER_NODE: '8',
    PET_MASTER_ADDR: 't-tiny-sft-0a1b2c3d-a2-0.temper-workers',
  });
});

describe('a job whose pods have roles', () => {
  const command = {
    argv: ['python', "it's", '$(date) $$'],
    env: { A: '$(HOME)' },
    workingDirectory: '/code',
    image: null,
    roles: [
      { name: 'worker', argv: ['ray', 'start'], env: {} },
      { name: 'rollout-engine', argv: ['serve'], env: { B: 'two words' } },
    ],
  };
  const jobs = { default: { image: 'all:1', nodes: 2, gpus: 8, roles: { worker: 1, 'rollout-engine': 2, other: 7 } } };

  test('is one of all of them, done when the trainers are', () => {
    const { spec, metadata } = jobManifest({ ...order, command }, kubernetesProfile({ jobs }));
    expect([spec?.completions, spec?.parallelism, spec?.successPolicy]).toEqual([
      5,
      5,
      { rules: [{ succeededIndexes: '0-1' }] },
    ]);
    expect(metadata?.annotations?.['temper.dev/roles']).toBe('{"trainer":2,"worker":1,"rollout-engine":2}');
    const one = jobManifest(
      { ...order, command },
      kubernetesProfile({ jobs: { default: { ...jobs.default, nodes: 1 } } }),
    );
    expect(one.spec?.successPolicy).toEqual({ rules: [{ succeededIndexes: '0' }] });
  });

  test('knows the names of all its pods', () => {
    const host = (index: number) => `${order.name}-${String(index)}.temper-workers`;
    expect(trainerOf({ jobs }, { command }).variables).toMatchObject({
      TEMPER_HOSTS_TRAINER: `${host(0)} ${host(1)}`,
      TEMPER_HOSTS_WORKER: host(2),
      TEMPER_HOSTS_ROLLOUT_ENGINE: `${host(3)} ${host(4)}`,
      A: '$$(HOME)',
    });
  });

  test('is as any other where nothing runs beside the trainers', () => {
    const { roles: _, ...alone } = command;
    const { spec, metadata } = jobManifest({ ...order, command: alone }, kubernetesProfile({ jobs }));
    expect([spec?.completions, spec?.successPolicy, metadata?.annotations?.['temper.dev/roles']]).toEqual([
      2,
      undefined,
      undefined,
    ]);
    expect(trainerOf({ jobs }, { command: alone }).trainer?.command).toEqual(['python', "it's", '$$(date) $$$']);
  });

  test('is refused where the profile gives a role no pods', () => {
    const none = { default: { image: 'all:1' } };
    expect(() => jobManifest({ ...order, command }, kubernetesProfile({ jobs: none }))).toThrow(
      `profile "site" does not say how many pods of role "worker" there are: set jobs.${order.labels.phase}.roles.worker`,
    );
  });
});

test('a secret is named, and its value is nowhere', () => {
  const { trainer } = trainerOf({ secrets: { HF_TOKEN: { name: 'hub', key: 'token' } } });
  expect(trainer?.env?.find(({ name }) => name === 'HF_TOKEN')).toEqual({
    name: 'HF_TOKEN',
    valueFrom: { secretKeyRef: { name: 'hub', key: 'token', optional: false } },
  });
});

test('a job that evaluates says which checkpoints on what; one that trains has no such labels', () => {
  const looksAt = { checkpoints: ['warm-up-20', 'warm-up-40'], benchmarks: ['Addition of 2'] };
  const { metadata, spec } = jobManifest({ ...order, labels: { ...order.labels, ...looksAt } }, kubernetesProfile());
  const want = { 'temper.dev/checkpoint': 'warm-up-20-warm-up-40', 'temper.dev/benchmark': 'addition-of-2' };
  expect(metadata?.labels).toMatchObject(want);
  expect(spec?.template.metadata?.labels).toMatchObject(want);
  expect(JSON.stringify(jobManifest(order, kubernetesProfile()))).not.toMatch(/dev.(checkpoint|benchmark)/);
});

test('labels are what Kubernetes allows for any name, the whole name is an annotation', () => {
  const pipeline = `Grüße/${'x'.repeat(100)}_`;
  const { metadata } = jobManifest(
    { ...order, labels: { ...order.labels, pipeline, workflowId: pipeline } },
    kubernetesProfile(),
  );
  expect(metadata?.labels?.['temper.dev/pipeline']).toMatch(/^gru-e-x{57}$|^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
  expect(metadata?.annotations?.['temper.dev/pipeline']).toBe(pipeline);
});

test('a profile without an image for a job is told what to set', () => {
  const profile = kubernetesProfile({ jobs: { orpo: { image: 'orpo:1' } } });
  expect(() => jobManifest(order, profile)).toThrow(
    'phase "warm-up" has jobs of kind sft, for which profile "site" names no image: set jobs.default.image or jobs.sft.image',
  );
});

test.each([
  { lost: 'spec.restartPolicy', podTemplate: { spec: { restartPolicy: 'OnFailure' } } },
  { lost: 'metadata.labels.temper.dev/managed', podTemplate: { metadata: { labels: { 'temper.dev/managed': 'no' } } } },
  {
    lost: 'the variable TEMPER_REQUEST',
    podTemplate: { spec: { containers: [{ name: 'trainer', env: [{ name: 'TEMPER_REQUEST', value: '/tmp' }] }] } },
  },
])('a pod template that changes $lost is refused', ({ lost, podTemplate }) => {
  expect(() => jobManifest(order, kubernetesProfile({ podTemplate }))).toThrow(
    `profile "site": podTemplate changes ${lost}, which Temper relies on`,
  );
});
