/** Jobs in a queue of Kueue, with its real controller: they wait for quota, lose their place, and are stopped there, and none runs twice. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { testWhere } from '../support/test-where.ts';
import { type JobBed, makeJobBed, until } from './job-bed.ts';
import { makeQueue, startKueue, stopKueue } from './kueue/kueue.ts';
import type { SlotPlaces } from './machine/places.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
const onOwnCluster = testWhere(cluster.own === null ? 'a foreign cluster, whose controllers are not ours' : null);
const places = cluster.own as SlotPlaces;
/** The first time it is built. */
const buildSeconds = 3600;
let bed: JobBed;

beforeAll(async () => {
  if (cluster.own === null) return;
  await startKueue(cluster, places);
  bed = await makeJobBed(cluster, 'kueue');
  await makeQueue(cluster, bed.namespace, 8);
}, buildSeconds * 1000);
afterAll(async () => {
  if (cluster.own === null) return;
  await bed.close();
  await cluster.kubectl(['delete', 'clusterqueue', bed.namespace, '--wait=true', '--timeout=60s']);
  await stopKueue(cluster, places);
}, 180_000);

const queue = { kueue: 'training' };
const urgent = { kueue: 'training', priorityClass: 'urgent' };
const onEightGpus = { gpus: 8 };
/** Writes a line when it begins; ends when it is told to, or saves when it is asked to stop. */
const trainer =
  'cd "${TEMPER_REQUEST%/*}"; echo begun >> runs; trap "echo saved; exit 75" TERM; until [ -e go ]; do sleep 0.1; done; exit 3';
const kubectl = (...args: readonly string[]) => cluster.kubectl(['--namespace', bed.namespace, ...args]);
const goneFrom = (kind: string, uid: string, label: string) =>
  eventually(
    `its ${kind} is gone`,
    60,
    async () => (await kubectl('get', kind, '-l', `${label}=${uid}`, '-o', 'name')) === '',
  );
const runsOf = async (directory: string) => await readFile(join(directory, 'runs'), 'utf8').catch(() => '');

onOwnCluster(
  'two jobs of eight GPUs on eight: the second waits, says for what, and starts when the first has ended; one may give up while it waits',
  async () => {
    const backend = bed.backendQueueing(trainer, onEightGpus, queue);
    const [first, second, third] = [
      await bed.spec('t-first-a1'),
      await bed.spec('t-second-a1'),
      await bed.spec('t-third-a1'),
    ];
    const one = await backend.submit(first);
    await until(backend, one, 'running');
    const other = await backend.submit(second);
    const queued = await eventually('it says why it waits', 60, async () => {
      const status = await backend.status(other);
      return status.state === 'queued' && status.reason?.includes('nvidia.com/gpu') ? status : null;
    });
    expect(queued.reason).toMatch(/^its queue has no place for it yet: .*insufficient unused quota/);

    const gaveUp = await backend.submit(third);
    await backend.stop(gaveUp, { reason: 'deadline', graceSeconds: 10 });
    expect(await backend.status(gaveUp)).toMatchObject({ state: 'ended', startedAt: null, ranks: [] });
    await goneFrom('workloads', gaveUp.uid, 'kueue.x-k8s.io/job-uid');

    await writeFile(join(first.directory, 'go'), '');
    expect(await until(backend, one, 'ended')).toMatchObject({ ranks: [{ exitCode: 3 }] });
    await until(backend, other, 'running');
    // Another worker, which does not know why.
    const stopping = bed.backendQueueing(trainer, onEightGpus, queue);
    await stopping.stop(other, { reason: 'cancel', graceSeconds: 10 });
    expect(await backend.status(other)).toMatchObject({
      state: 'ended',
      stopRequested: 'cancel',
      ranks: [{ exitCode: 75 }],
    });
    await goneFrom('workloads', other.uid, 'kueue.x-k8s.io/job-uid');
    expect(await runsOf(second.directory)).toBe('begun\n');
    expect(await runsOf(third.directory)).toBe('');
  },
  300_000,
);

onOwnCluster(
  'a job that loses its place to a more urgent one saves, and never begins again in its directory; the next attempt waits',
  async () => {
    const backend = bed.backendQueueing(trainer, onEightGpus, queue);
    const order = await bed.spec('t-modest-a1');
    const job = await backend.submit(order);
    const running = await until(backend, job, 'running');
    const vip = bed.backendQueueing(trainer, onEightGpus, urgent);
    const next = backend.nextChange(job, running, AbortSignal.timeout(60_000));
    const winner = await vip.submit(await bed.spec('t-urgent-a1'));
    expect(await next).toMatchObject({ evicted: { as: 'preempted' } });
    await backend.stop(job, { reason: 'preempted', graceSeconds: 10 });
    expect(await backend.status(job)).toMatchObject({
      state: 'ended',
      stopRequested: 'preempted',
      ranks: [{ exitCode: 75 }],
    });
    await until(vip, winner, 'running');
    const again = await backend.submit(await bed.spec('t-modest-a2'));
    await vip.stop(winner, { reason: 'cancel', graceSeconds: 10 });
    await until(backend, again, 'running');
    await backend.stop(again, { reason: 'cancel', graceSeconds: 10 });
    expect(await runsOf(order.directory)).toBe('begun\n');
  },
  300_000,
);
