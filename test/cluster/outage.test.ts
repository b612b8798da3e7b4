/**
 * The API server goes away for a minute while pipelines are at different points, and then etcd under it: nothing is lost, and nothing is
 * there twice. One outage serves all of them.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { jobName } from '../../decisions/job-name.ts';
import { type PipelineHandle, type Site } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { testWhere } from '../support/test-where.ts';
import type { SlotPlaces } from './machine/places.ts';
import { killDaemon, startDaemon } from './node/daemons.ts';
import { makeStandInBed, type StandInBed, standInRecipe } from './stand-in-bed.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
const onOwnCluster = testWhere(cluster.own === null ? 'a foreign cluster, whose processes are not ours' : null);
let bed: StandInBed;
let site: Site;

beforeAll(async () => {
  bed = await makeStandInBed(cluster, 'outage');
  site = await bed.site('outage');
  await site.startWorker();
});
afterAll(() => bed.close());

let seeds = 0;
const start = async (id: string, steps: number): Promise<PipelineHandle> =>
  await site.start(id, { recipe: standInRecipe((seeds += 1), { steps }) });
const jobOf = (id: string, attempt = 1) => jobName({ workflowId: id, phase: 'base', attempt });
const stateOf = async (id: string) => (await site.ledger.attemptsOf({ workflowId: id, phase: 'base' })).at(-1)?.state;
const untilRunning = (id: string) => eventually(`${id} runs`, 120, async () => (await stateOf(id)) === 'running');

/** Pipelines whose jobs run on, end and are stopped while `away` lasts, and one that is started then. */
async function throughAnOutage(name: string, daemon: 'kube-apiserver' | 'etcd', seconds: number): Promise<void> {
  const places = cluster.own as SlotPlaces;
  const [runs, ends, stops] = [`${name}-runs`, `${name}-ends`, `${name}-stops`];
  // A step takes 0.2 s.
  const running = await start(runs, 5 * (seconds + 30));
  const stopping = await start(stops, 3000);
  await Promise.all([untilRunning(runs), untilRunning(stops)]);
  const ending = await start(ends, 40);
  await untilRunning(ends);

  await killDaemon(places, daemon);
  const submitted = await start(`${name}-submitted`, 3);
  await stopping.cancel();
  await pause(seconds * 1000);
  await startDaemon(places, daemon);

  const ended = await Promise.all(
    [running, ending, submitted].map(async (pipeline) => (await pipeline.result()).promoted.at(-1)?.outcome.state),
  );
  expect(ended).toEqual(['completed', 'completed', 'completed']);
  await expect(stopping.result()).rejects.toThrow(/cancelled/i);
  for (const id of [runs, ends, `${name}-submitted`, stops]) {
    const attempts = await site.ledger.attemptsOf({ workflowId: id, phase: 'base' });
    expect({ id, states: attempts.map(({ state }) => state) }).toEqual({
      id,
      states: [id === stops ? 'cancelled' : 'completed'],
    });
    expect({ id, made: bed.witness.madeOf(jobOf(id)) }).toEqual({ id, made: 1 });
  }
  expect(await bed.jobs()).not.toContain(jobOf(stops));
  expect(bed.witness.twins()).toEqual([]);
}

onOwnCluster(
  'the API server is away for a minute while one job runs, one ends, one is submitted and one is stopped',
  () => throughAnOutage('api', 'kube-apiserver', 60),
  600_000,
);

onOwnCluster(
  'etcd is killed and comes back ten seconds later, at the same four points',
  () => throughAnOutage('etcd', 'etcd', 10),
  600_000,
);
