/**
 * Jobs in a queue of Kueue, with its real controller: they wait for quota, lose their place, and are stopped there, and none runs twice. A
 * person holds, releases and cancels pipelines whose jobs wait there.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jobName } from '../../decisions/job-name.ts';
import { releaseUpdate } from '../../workflows/messages.ts';
import { holdUpdate } from '../../workflows/steering/messages.ts';
import { phaseOf, type PipelineHandle, type Site } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { testWhere } from '../support/test-where.ts';
import { type JobBed, makeJobBed, until } from './job-bed.ts';
import { makeQueue, startKueue, stopKueue } from './kueue/kueue.ts';
import type { SlotPlaces } from './machine/places.ts';
import { makeStandInBed, standInRecipe, type StandInBed } from './stand-in-bed.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
const onOwnCluster = testWhere(cluster.own === null ? 'a foreign cluster, whose controllers are not ours' : null);
const places = cluster.own as SlotPlaces;
/** The first time it is built. */
const buildSeconds = 3600;

beforeAll(async () => {
  if (cluster.own !== null) await startKueue(cluster, places);
}, buildSeconds * 1000);
afterAll(async () => {
  if (cluster.own !== null) await stopKueue(cluster, places);
}, 180_000);

const queue = { kueue: 'training' };
const onEightGpus = { gpus: 8 };

describe('jobs', () => {
  let bed: JobBed;
  beforeAll(async () => {
    if (cluster.own === null) return;
    bed = await makeJobBed(cluster, 'kueue');
    await makeQueue(cluster, bed.namespace, 8);
  });
  afterAll(() => (cluster.own === null ? undefined : bed.close()));

  const urgent = { kueue: 'training', priorityClass: 'urgent' };
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
});

describe('a pipeline', () => {
  let bed: StandInBed;
  let site: Site;
  /** It has all the GPUs of the queue. */
  let owner: PipelineHandle;
  beforeAll(async () => {
    if (cluster.own === null) return;
    bed = await makeStandInBed(cluster, 'kueue-pipelines');
    await makeQueue(cluster, bed.namespace, 8);
    const command = ['sh', '-c', 'exec python "$TEMPER_STAND_IN" --step-seconds 0.5'];
    site = await bed.site('queueing', { queue, jobs: { default: { image: cluster.trainerImage, command, gpus: 8 } } });
    await site.startWorker();
    owner = await site.start('owner', { recipe: standInRecipe(1, { steps: 5000 }) });
    await eventually('it has begun', 120, () => bed.witness.hasRun(jobOf('owner', 1)));
  });
  afterAll(() => (cluster.own === null ? undefined : bed.close()));

  const jobOf = (workflowId: string, attempt: number) => jobName({ workflowId, phase: 'base', attempt });
  const noted = (pipeline: PipelineHandle, note: RegExp) =>
    eventually(`it says ${String(note)}`, 120, async () => note.test((await phaseOf(pipeline, 'base'))?.note ?? ''));
  const isHeld = (pipeline: PipelineHandle) =>
    eventually('it is held', 120, async () => (await phaseOf(pipeline, 'base'))?.state === 'held');
  const waits = /^waits for its place in the queue since .* UTC, at most /;
  const attemptsOf = async (workflowId: string) =>
    (await site.ledger.attemptsOf({ workflowId, phase: 'base' })).map(
      ({ number, state }) => `${String(number)} ${state}`,
    );
  /** The Jobs whose place in the queue is asked for or given. */
  const inQueue = async () => {
    const path = 'jsonpath={range .items[*]}{.metadata.ownerReferences[0].name}{"\\n"}{end}';
    const named = await cluster.kubectl(['--namespace', bed.namespace, 'get', 'workloads', '--output', path]);
    return named.split('\n').filter(Boolean).sort();
  };
  const ownerIsAlone = async () => {
    const alone = jobOf('owner', 1);
    await eventually('the queue knows the other job alone', 60, async () => (await inQueue()).join() === alone);
    await eventually('there is no job but the other', 60, async () => (await bed.jobs()).join() === alone);
  };

  onOwnCluster(
    'that is cancelled while it waits in the queue leaves nothing there',
    async () => {
      const pipeline = await site.start('given-up', { recipe: standInRecipe(3) });
      await noted(pipeline, waits);
      await pipeline.cancel();
      await expect(pipeline.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
      await ownerIsAlone();
      expect(await attemptsOf('given-up')).toEqual(['1 cancelled']);
      expect(bed.witness.hasRun(jobOf('given-up', 1))).toBe(false);
    },
    300_000,
  );

  onOwnCluster(
    'that waits in the queue says so; held, it has no place there; released, it waits again, and runs when another is held',
    async () => {
      const pipeline = await site.start('patient', { recipe: standInRecipe(2, { budgets: { attempts: 1 } }) });
      await noted(pipeline, waits);
      await pipeline.executeUpdate(holdUpdate, { args: [{ by: 'the test' }] });
      await isHeld(pipeline);
      await ownerIsAlone();

      await pipeline.executeUpdate(releaseUpdate, { args: [{}] });
      await noted(pipeline, waits);
      await eventually('it asks for a place again', 60, async () => (await inQueue()).length === 2);
      await owner.executeUpdate(holdUpdate, { args: [{ by: 'the test' }] });
      await isHeld(owner);
      expect((await pipeline.result()).promoted.map(({ outcome }) => outcome.state)).toEqual(['completed']);
      // A hold costs no attempt of the one that there is.
      expect(await attemptsOf('patient')).toEqual(['1 failed', '2 completed']);
      expect(bed.witness.hasRun(jobOf('patient', 1))).toBe(false);

      await owner.executeUpdate(releaseUpdate, { args: [{}] });
      await eventually('it goes on', 120, () => bed.witness.hasRun(jobOf('owner', 2)));
    },
    300_000,
  );
});
