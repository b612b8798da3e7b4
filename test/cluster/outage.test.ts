/** The API server goes away while jobs run, while one ends and while one is submitted: nothing is lost, and nothing is there twice. */
import { eventually } from '../support/eventually.ts';
import { testWhere } from '../support/test-where.ts';
import { type JobBed, makeJobBed, until } from './job-bed.ts';
import type { SlotPlaces } from './machine/places.ts';
import { killDaemon, startDaemon } from './node/daemons.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
const onOwnCluster = testWhere(cluster.own === null ? 'a foreign cluster, whose processes are not ours' : null);
let bed: JobBed;

beforeAll(async () => {
  bed = await makeJobBed(cluster, 'outage');
});
afterAll(() => bed.close());

onOwnCluster(
  'a job that ends while the API server is away is seen to end; one that is submitted then is there once',
  async () => {
    const places = cluster.own as SlotPlaces;
    const backend = bed.backendRunning('sleep 5; exit 6');
    const job = await backend.submit(await bed.spec('t-during-a1'));
    const running = await until(backend, job, 'running');
    const late = await bed.spec('t-late-a1');

    await killDaemon(places, 'kube-apiserver');
    await expect(backend.submit(late)).rejects.toMatchObject({ code: 'backend-unavailable' });
    // What was known stays known: an outage is no news of a job.
    expect(await backend.status(job)).toEqual(running);
    await startDaemon(places, 'kube-apiserver');

    expect(await until(backend, job, 'ended')).toMatchObject({ ranks: [{ exitCode: 6 }] });
    const submitted = await eventually('it is submitted', 60, () => backend.submit(late).catch(() => null));
    expect(await backend.submit(late)).toEqual(submitted);
    expect(await until(backend, submitted, 'ended')).toMatchObject({ ranks: [{ exitCode: 6 }] });
  },
  300_000,
);
