/** A pipeline whose phases run as Jobs of a real cluster: a pod is evicted in the middle, and the weights end as on this machine. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { careless, shortRecipe } from '../support/short-recipe.ts';
import { makePipelineBed, type PipelineBed } from './pipeline-bed.ts';
import { processesOfAttempt, signalAll } from './pod-processes.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
let bed: PipelineBed;

beforeAll(async () => {
  bed = await makePipelineBed(cluster, 'pipeline');
});
afterAll(() => bed.close());

/** As a drain of its node does: SIGTERM, and the pod's own grace. */
async function evictPodOf(jobName: string): Promise<void> {
  const names = await cluster.kubectl([
    '-n',
    bed.namespace,
    'get',
    'pods',
    '-l',
    `job-name=${jobName}`,
    '-o',
    'jsonpath={.items[*].metadata.name}',
  ]);
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: names, namespace: bed.namespace } };
  const path = `/api/v1/namespaces/${bed.namespace}/pods/${names}/eviction`;
  await cluster.kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(body));
}

test('phases are Jobs, an evicted trainer goes on from what it saved, and the weights are those of this machine', async () => {
  const { onCluster, onMachine } = bed;
  const recipe = await shortRecipe(['base', 'sft'], careless);
  const pipeline = await onCluster.start('pods', { recipe });
  const expected = await onMachine.start('processes', { recipe });
  await bed.saved(bed.attempt('pods', 'sft', 1));
  // Held in the middle of its work until its pod is evicted.
  const trainer = processesOfAttempt(bed.attempt('pods', 'sft', 1));
  expect(trainer).not.toEqual([]);
  signalAll(trainer, 'SIGSTOP');
  const [first] = await onCluster.ledger.attemptsOf({ workflowId: 'pods', phase: 'sft' });
  await evictPodOf(first?.jobName ?? '');
  signalAll(trainer, 'SIGCONT');
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
    bed.namespace,
    'get',
    'jobs',
    '-L',
    'temper.dev/phase,temper.dev/attempt',
    '--no-headers',
  ]);
  expect(jobs.trim().split('\n')).toHaveLength(3);
  const weights = join('checkpoints', 'checkpoint-40', 'adapter_model.safetensors');
  const [pods, processes] = await Promise.all([
    readFile(join(bed.attempt('pods', 'sft', 2), weights)),
    readFile(join(onMachine.attempt('processes', 'sft'), weights)),
  ]);
  expect(pods.equals(processes)).toBe(true);
}, 900_000);
