/**
 * A phase that two pods train together, on a real cluster: one process is killed, then one pod is deleted, and the weights end as those
 * of two pods that nobody disturbed.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createRunStore } from '../../store/run-store.ts';
import { runDirectory } from '../../store/run-directory.ts';
import { type Embedded, phaseOf, type Site, startEmbedded } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { careless, shortRecipe } from '../support/short-recipe.ts';
import { makeNamespace, readTestCluster, type TestNamespace } from './test-bed.ts';

const cluster = readTestCluster();
const profileName = 'two-nodes';
const target = 120;
let namespace: TestNamespace;
let embedded: Embedded;
let site: Site;

beforeAll(async () => {
  namespace = await makeNamespace(cluster, 'nodes');
  embedded = await startEmbedded();
  const profiles = join(embedded.folder, 'profiles');
  await mkdir(profiles);
  await writeFile(join(profiles, `${profileName}.yaml`), stringify(profile()));
  site = await embedded.site('nodes', { TEMPER_PROFILES: profiles, TEMPER_TEST_PROFILE: profileName });
  await site.startWorker();
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
    jobs: { default: { image: cluster.trainerImage, memory: '3Gi' }, sft: { nodes: 2 } },
    graceSeconds: 60,
  };
}

function volume(): string {
  if (namespace.volumeFolder === null)
    throw new Error('this test needs a volume that is a folder of this machine: run it on our own cluster');
  return namespace.volumeFolder;
}

const kubectl = (...args: readonly string[]) => cluster.kubectl(['--namespace', namespace.name, ...args]);
const attempt = (pipeline: string, number: number) =>
  runDirectory(volume(), { pipeline, phase: 'sft', purpose: 'train', number });
const attempts = async () => await site.ledger.attemptsOf({ workflowId: 'disturbed', phase: 'sft' });

/** Name of the pod of this index, once the attempt has a complete checkpoint beyond this step. */
async function podBeyond(step: number, { number, index }: { number: number; index: number }): Promise<string> {
  await eventually(`attempt ${String(number)} has a complete checkpoint beyond step ${String(step)}`, 900, async () => {
    const found = await createRunStore(volume())
      .checkpoints(attempt('disturbed', number))
      .catch(() => []);
    return found.some((checkpoint) => checkpoint.level === 'complete' && checkpoint.step > step);
  });
  const { jobName = '' } = (await attempts()).find((one) => one.number === number) ?? {};
  const labels = `job-name=${jobName},batch.kubernetes.io/job-completion-index=${String(index)}`;
  return (await kubectl('get', 'pods', '--selector', labels, '--output', 'jsonpath={.items[*].metadata.name}')).trim();
}

async function resumedFrom(number: number): Promise<number> {
  const request = await eventually(`attempt ${String(number)} is asked for`, 300, async () => {
    const found = (await attempts()).find((one) => one.number === number);
    return (found?.request ?? null) as { readonly resume: { readonly step: number } | null } | null;
  });
  return request.resume?.step ?? 0;
}

test('two pods train one phase; a killed process and a deleted pod cost an attempt each, and change nothing', async () => {
  const recipe = await shortRecipe(['base', 'sft'], { ...careless, 'phases.sft.params.steps': target });
  const calm = await site.start('calm', { recipe });
  await eventually('the base is there', 900, async () => (await phaseOf(calm, 'base'))?.state === 'completed');
  const disturbed = await site.start('disturbed', { recipe }); // goes on from the same base, long before calm's sft is finished

  const killed = await podBeyond(0, { number: 1, index: 1 });
  // The first process of the pod is torchrun, and its child trains.
  await kubectl('exec', killed, '--', 'sh', '-c', 'kill -9 $(cat /proc/1/task/1/children)');
  const second = await resumedFrom(2);
  const deleted = await podBeyond(second, { number: 2, index: 1 });
  await kubectl('delete', 'pod', deleted, '--wait=false');
  const third = await resumedFrom(3);

  const results = await Promise.all([calm.result(), disturbed.result()]);
  expect(results.map(({ promoted }) => promoted.map(({ outcome }) => outcome.state))).toEqual([
    ['completed', 'completed'],
    ['reused', 'completed'],
  ]);
  expect((await attempts()).map(({ number, state }) => [number, state])).toEqual([
    [1, 'failed'],
    [2, 'failed'],
    [3, 'completed'],
  ]);
  const incidents = await site.ledger.incidentsOf({ runId: disturbed.firstExecutionRunId, phase: 'sft' });
  expect(incidents.map(({ class: named, rank }) => [named, rank])).toEqual([
    ['killed', 1],
    ['interrupted', expect.anything()],
  ]);
  // Nothing of what was whole is trained again: the deleted pod's peer stopped with it, at the step that both saved.
  const stopped = JSON.parse(await readFile(join(attempt('disturbed', 2), 'result.json'), 'utf8')) as {
    readonly finalStep: number;
    readonly status: string;
  };
  expect([second > 0, stopped.status, third]).toEqual([true, 'stopped', stopped.finalStep]);

  const last = `checkpoint-${String(target)}`;
  const [one, other] = [attempt('calm', 1), attempt('disturbed', 3)].map((path) => join(path, 'checkpoints', last));
  for (const file of ['adapter_model.safetensors', 'optimizer.pt', 'rng_state_0.pth', 'rng_state_1.pth']) {
    const [undisturbed, resumed] = await Promise.all([one, other].map((path) => readFile(join(path ?? '', file))));
    expect([file, resumed?.equals(undisturbed ?? Buffer.alloc(0))]).toEqual([file, true]);
  }
  const written = await readdir(join(attempt('disturbed', 3), 'checkpoints'));
  expect(written.filter((name) => name.startsWith(last)).sort()).toEqual([last, `${last}.seal.json`]);
}, 2_400_000);
