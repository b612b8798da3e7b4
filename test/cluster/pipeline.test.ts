/** A pipeline whose phases run as Jobs of a real cluster: a pod is evicted in the middle, and the weights end as on this machine. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createRunStore } from '../../store/run-store.ts';
import { runDirectory } from '../../store/run-directory.ts';
import { type Embedded, type Site, startEmbedded } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { careless, shortRecipe } from '../support/short-recipe.ts';
import { makeNamespace, readTestCluster, type TestNamespace } from './test-bed.ts';

const cluster = readTestCluster();
const profileName = 'test-cluster';
let namespace: TestNamespace;
let embedded: Embedded;
let onCluster: Site;
let onMachine: Site;

beforeAll(async () => {
  namespace = await makeNamespace(cluster, 'pipeline');
  embedded = await startEmbedded();
  const profiles = join(embedded.folder, 'profiles');
  await mkdir(profiles);
  await writeFile(join(profiles, `${profileName}.yaml`), stringify(profile()));
  onCluster = await embedded.site('on-cluster', { TEMPER_PROFILES: profiles, TEMPER_TEST_PROFILE: profileName });
  onMachine = await embedded.site('on-machine');
  await Promise.all([onCluster.startWorker(), onMachine.startWorker()]);
});
afterAll(async () => {
  await embedded.close();
  await namespace.remove();
});

function profile() {
  return {
    name: profileName,
    backend: 'kubernetes',
    namespace: namespace.name,
    store: { claim: namespace.volumeClaim, path: volume() },
    jobs: { default: { image: cluster.trainerImage, memory: '3Gi' } },
    graceSeconds: 30,
  };
}

function volume(): string {
  if (namespace.volumeFolder === null)
    throw new Error('this test needs a volume that is a folder of this machine: run it on our own cluster');
  return namespace.volumeFolder;
}

const attempt = (phase: string, number: number) =>
  runDirectory(volume(), { pipeline: 'pods', phase, purpose: 'train', number });

/** As a drain of its node does: SIGTERM, and the pod's own grace. */
async function evictPodOf(jobName: string): Promise<void> {
  const names = await cluster.kubectl([
    '-n',
    namespace.name,
    'get',
    'pods',
    '-l',
    `job-name=${jobName}`,
    '-o',
    'jsonpath={.items[*].metadata.name}',
  ]);
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: names, namespace: namespace.name } };
  const path = `/api/v1/namespaces/${namespace.name}/pods/${names}/eviction`;
  await cluster.kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(body));
}

test('phases are Jobs, an evicted trainer goes on from what it saved, and the weights are those of this machine', async () => {
  const recipe = await shortRecipe(['base', 'sft'], careless);
  const pipeline = await onCluster.start('pods', { recipe });
  const expected = await onMachine.start('processes', { recipe });
  await eventually('sft has a complete checkpoint', 300, async () => {
    const found = await createRunStore(volume())
      .checkpoints(attempt('sft', 1))
      .catch(() => []);
    return found.some(({ level, step }) => level === 'complete' && step > 0);
  });
  const [first] = await onCluster.ledger.attemptsOf({ workflowId: 'pods', phase: 'sft' });
  await evictPodOf(first?.jobName ?? '');
  const [ended] = await Promise.all([pipeline.result(), expected.result()]);
  expect(ended.promoted.map(({ outcome }) => outcome.state)).toEqual(['completed', 'completed']);

  const attempts = await onCluster.ledger.attemptsOf({ workflowId: 'pods', phase: 'sft' });
  expect(attempts.map(({ number, state }) => [number, state])).toEqual([
    [1, 'failed'],
    [2, 'completed'],
  ]);
  const incidents = await onCluster.ledger.incidentsOf({ runId: pipeline.firstExecutionRunId, phase: 'sft' });
  expect(incidents.map(({ class: named }) => named)).toEqual(['evicted']);
  expect((attempts[1]?.request as { resume: { step: number } | null }).resume?.step).toBeGreaterThan(0);

  const jobs = await cluster.kubectl([
    '-n',
    namespace.name,
    'get',
    'jobs',
    '-L',
    'temper.dev/phase,temper.dev/attempt',
    '--no-headers',
  ]);
  expect(jobs.trim().split('\n')).toHaveLength(3);
  const weights = join('checkpoints', 'checkpoint-40', 'adapter_model.safetensors');
  const [pods, processes] = await Promise.all([
    readFile(join(attempt('sft', 2), weights)),
    readFile(join(onMachine.attempt('processes', 'sft'), weights)),
  ]);
  expect(pods.equals(processes)).toBe(true);
}, 900_000);
