/** Jobs of a real cluster that nobody watched to their end: one that is deleted before a worker is back, and one whose pipeline was terminated. */
import { createKubernetesBackend, type KubernetesBackend } from '../../k8s/backend.ts';
import { createKubeClient } from '../../k8s/kube-client.ts';
import { jobName } from '../../decisions/job-name.ts';
import { ownerOfRun } from '../../store/run-directory.ts';
import { createRunStore } from '../../store/run-store.ts';
import { type Reaper, startReaper } from '../../workers/reaper.ts';
import { ownerStates } from '../../workers/workflow-owners.ts';
import type { PipelineHandle, Site } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';
import { makeStandInBed, type StandInBed, standInRecipe } from './stand-in-bed.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
let bed: StandInBed;
let site: Site;
let backend: KubernetesBackend;

beforeAll(async () => {
  bed = await makeStandInBed(cluster, 'unwatched');
  site = await bed.site('unwatched');
  const profile = kubernetesProfile({ namespace: bed.namespace, store: { claim: 'store', path: bed.volume } });
  backend = createKubernetesBackend(profile, createKubeClient(), { ownerOf: ownerOfRun });
});
afterAll(async () => {
  await backend.close();
  await bed.close();
});

const kubectl = (...args: readonly string[]) => cluster.kubectl(['--namespace', bed.namespace, ...args]);
const jobOf = (id: string) => jobName({ workflowId: id, phase: 'base', attempt: 1 });
const running = (id: string) => eventually(`${id} runs`, 90, () => bed.witness.hasRun(jobOf(id)));
const statesOf = async (id: string) =>
  (await site.ledger.attemptsOf({ workflowId: id, phase: 'base' })).map(({ state }) => state);

test('a Job that ended and was deleted while no worker looked: what it left proves its end, and nothing runs again', async () => {
  const worker = await site.startWorker();
  const pipeline = await site.start('alone', { recipe: standInRecipe(1, { steps: 30 }) });
  await running('alone');
  await worker.kill();
  await kubectl('wait', '--for=condition=complete', '--timeout=120s', `job/${jobOf('alone')}`);
  await kubectl('delete', 'job', jobOf('alone'), '--wait=true');
  const second = await site.startWorker();
  expect((await pipeline.result()).promoted.map(({ outcome }) => outcome.state)).toEqual(['completed']);
  expect([await statesOf('alone'), bed.witness.madeOf(jobOf('alone'))]).toEqual([['completed'], 1]);
  await second.stop();
});

function reaperIn(minutes: number): Reaper {
  const reaper = startReaper({
    backend,
    store: createRunStore(bed.volume),
    ledger: site.ledger,
    ownerStates: (runIds) => ownerStates(bed.embedded.client, runIds),
    graceSeconds: 5,
    now: () => new Date(Date.now() + minutes * 60_000),
    say: () => undefined,
  });
  reaper.close();
  return reaper;
}

async function terminated(pipeline: PipelineHandle): Promise<void> {
  await bed.embedded.client.workflow.getHandle(`${pipeline.workflowId}/base`).terminate('by hand');
  await pipeline.terminate('by hand');
}

test('the Job of a terminated pipeline goes once its run is closed for ten minutes, and a running one’s stays', async () => {
  const worker = await site.startWorker();
  const recipe = (seed: number) => standInRecipe(seed, { steps: 3000 });
  const left = await site.start('left', { recipe: recipe(2) });
  const kept = await site.start('kept', { recipe: recipe(3) });
  await Promise.all([running('left'), running('kept')]);
  // Nobody is left who would stop it before.
  await worker.stop();
  await terminated(left);
  expect(await reaperIn(5).look()).toEqual([]);
  const stopped = await eventually('the list of the server has its end', 60, async () => {
    const jobs = await reaperIn(15).look();
    return jobs.length > 0 && jobs;
  });
  expect(stopped.map(({ name }) => name)).toEqual([jobOf('left')]);
  await eventually('its Job is gone', 90, async () => !(await bed.jobs()).includes(jobOf('left')));
  expect(await bed.jobs()).toContain(jobOf('kept'));
  await terminated(kept);
});
