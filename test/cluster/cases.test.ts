/** Pipelines on a real cluster where something is in the way: a stranger's Job, a quota, an image, a name, a controller, and a cancel at a bad moment. */
import { jobName } from '../../decisions/job-name.ts';
import type { AttemptState } from '../../decisions/states.ts';
import { releaseUpdate } from '../../workflows/messages.ts';
import { phaseOf, type PipelineHandle, type Site } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { testWhere } from '../support/test-where.ts';
import { type FaultProxy, type SeenRequest, startFaultProxy } from './fault-proxy.ts';
import type { SlotPlaces } from './machine/places.ts';
import { killDaemon, startDaemon } from './node/daemons.ts';
import { makeStandInBed, type StandInBed, standInRecipe } from './stand-in-bed.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
const onOwnCluster = testWhere(cluster.own === null ? 'a foreign cluster, whose processes are not ours' : null);
let bed: StandInBed;
let site: Site;
let proxy: FaultProxy;

beforeAll(async () => {
  bed = await makeStandInBed(cluster, 'cases');
  proxy = await startFaultProxy(cluster.kubeconfig);
  site = await bed.site('cases');
  await site.startWorker({ environment: { KUBECONFIG: proxy.kubeconfig } });
});
afterAll(async () => {
  await bed.close();
  await proxy.close();
});
afterEach(async () => {
  proxy.rule(() => null);
  await kubectl('delete', 'quota', '--all');
});

interface Wish {
  readonly at?: Site;
  readonly steps?: number;
  readonly budgets?: object;
}

let seeds = 0;
const start = async (id: string, { at = site, ...recipe }: Wish = {}) =>
  await at.start(id, { recipe: standInRecipe((seeds += 1), recipe) });
const jobOf = (id: string, attempt = 1) => jobName({ workflowId: id, phase: 'base', attempt });
const statesOf = async (id: string, at = site) =>
  (await at.ledger.attemptsOf({ workflowId: id, phase: 'base' })).map(({ state }) => state);
const kubectl = (...args: readonly string[]) => cluster.kubectl(['--namespace', bed.namespace, ...args]);
const endState = async (pipeline: PipelineHandle) => (await pipeline.result()).promoted.at(-1)?.outcome.state;
const isCreateOf =
  (id: string) =>
  ({ method, body }: SeenRequest): boolean =>
    method === 'POST' && JSON.stringify(body ?? '').includes(`"name":"${jobOf(id)}"`);
const noted = (pipeline: PipelineHandle, note: RegExp) =>
  eventually(`it says ${String(note)}`, 60, async () => note.test((await phaseOf(pipeline, 'base'))?.note ?? ''));
const held = (pipeline: PipelineHandle) =>
  eventually('it is held', 90, async () => {
    const phase = await phaseOf(pipeline, 'base');
    return phase?.state === 'held' ? phase.note : null;
  });

/** Cancels it; resolves when it is cancelled, which is to be soon, and then nothing of it is left and no other attempt was opened. */
async function cancelled(
  pipeline: PipelineHandle,
  { at = site, last = 'cancelled' }: { readonly at?: Site; readonly last?: AttemptState } = {},
): Promise<void> {
  const id = pipeline.workflowId;
  const attempts = (await statesOf(id, at)).length;
  const from = performance.now();
  await pipeline.cancel();
  await expect(pipeline.result()).rejects.toThrow(/cancelled/i);
  expect(performance.now() - from).toBeLessThan(65_000); // the grace of its profile, and 60 s
  expect(await kubectl('get', 'jobs,pods', '--output', 'name')).not.toContain(`t-${id}-`);
  expect((await statesOf(id, at)).slice(0, -1)).toHaveLength(attempts - 1);
  expect((await statesOf(id, at)).at(-1)).toBe(last);
}

test('a stranger’s Job of the same name: held with the command that mends it, and goes on when it is done', async () => {
  await kubectl('create', 'job', jobOf('foreign'), `--image=${cluster.busyboxImage}`, '--', 'sleep', '1');
  const pipeline = await start('foreign');
  const note = await held(pipeline);
  const [, command = ''] = /delete it with `kubectl ([^`]+)`/.exec(note) ?? [];
  expect(command).toBe(`-n ${bed.namespace} delete job ${jobOf('foreign')}`);
  await cluster.kubectl(command.split(' '));
  await pipeline.executeUpdate(releaseUpdate, { args: [{}] });
  expect(await endState(pipeline)).toBe('completed');
});

test('a quota that is used up: queued and why is on the page; no attempt is charged; it starts when there is room, is given up after its bound, and a cancel makes nothing', async () => {
  await kubectl('create', 'quota', 'full', '--hard=count/jobs.batch=0');
  await eventually('the quota counts', 60, async () =>
    (await kubectl('get', 'resourcequota', 'full', '--output', 'jsonpath={.status.hard}')).includes('jobs.batch'),
  );
  const patient = await start('patient', { budgets: { attempts: 1 } });
  const impatient = await start('impatient', { budgets: { attempts: 1, waitMinutes: 0.05 } });
  const unwanted = await start('unwanted');
  for (const pipeline of [patient, unwanted]) await noted(pipeline, /^queued: .*exceeded quota: full/);
  await cancelled(unwanted);
  expect(await held(impatient)).toMatch(
    /waited .* for room in a quota \(.*exceeded quota: full.*GPUs released: quota, waited/,
  );
  expect(await statesOf('patient')).toEqual(['queued']);
  await kubectl('delete', 'quota', 'full');
  expect(await endState(patient)).toBe('completed');
  expect(await statesOf('patient')).toEqual(['completed']);
  await cancelled(impatient, { last: 'failed' }); // given up before
  expect([bed.witness.madeOf(jobOf('impatient')), bed.witness.madeOf(jobOf('unwanted'))]).toEqual([0, 0]);
});

test('a cancel between the create and its reply, and one while the server refuses: nothing is left, and nothing is made after it', async () => {
  const [isHasty, isBusy] = [isCreateOf('hasty'), isCreateOf('busy')];
  let asked = 0;
  proxy.rule((request) => {
    if (isHasty(request)) return (asked += 1) === 1 ? { kind: 'reply-lost' } : null;
    return isBusy(request) ? { kind: 'answered', status: 503, body: 'away' } : null;
  });
  const hasty = await start('hasty', { steps: 3000 });
  const busy = await start('busy', { steps: 3000 });
  await eventually('the Job is made', 60, () => bed.witness.madeOf(jobOf('hasty')) === 1);
  await eventually('the server refuses', 60, () => proxy.seen.some(isBusy));
  await Promise.all([cancelled(hasty), cancelled(busy)]);
  expect([bed.witness.madeOf(jobOf('hasty')), bed.witness.madeOf(jobOf('busy'))]).toEqual([1, 0]);
});

test('an image that cannot be pulled: held after its bound with the Job gone, and attempt 2 comes only then', async () => {
  const at = await bed.site('no-image', { jobs: { default: { image: 'temper.test/nonesuch:1' } } });
  await at.startWorker();
  const pipeline = await start('imageless', { at, budgets: { waitMinutes: 0.2 } });
  expect(await held(pipeline)).toMatch(/ErrImagePull|ImagePullBackOff/);
  expect(await bed.jobs()).not.toContain(jobOf('imageless'));
  expect(await statesOf('imageless', at)).toEqual(['failed']);
  await pipeline.executeUpdate(releaseUpdate, { args: [{}] });
  await eventually('attempt 2 is made', 60, () => bed.witness.madeOf(jobOf('imageless', 2)) === 1);
  expect(await bed.jobs()).not.toContain(jobOf('imageless'));
  await cancelled(pipeline, { at });
});

test('ids that are no names of Kubernetes: each gets a name of its own of at most 52 characters', async () => {
  const ids = ['Nightly_Run-', 'nightly-run', 'Übung — 夜間 №7', 'long-'.repeat(16)];
  const pipelines = await Promise.all(ids.map((id) => start(id)));
  expect(await Promise.all(pipelines.map(endState))).toEqual(ids.map(() => 'completed'));
  const names = ids.map((id) => jobOf(id));
  expect(new Set(names).size).toBe(ids.length);
  expect(names.filter((name) => name.length > 52)).toEqual([]);
  expect(names.map((name) => bed.witness.madeOf(name))).toEqual(ids.map(() => 1));
});

onOwnCluster(
  'a cancel while a pod waits for GPUs, and one between the Job and its pod: all is gone, and nothing comes after',
  async () => {
    const places = cluster.own as SlotPlaces;
    const at = await bed.site('no-gpus', {
      jobs: { default: { image: cluster.trainerImage, command: ['sleep', '600'], gpus: 64 } },
    });
    await at.startWorker();
    const pending = await start('pending', { at });
    await eventually('it waits for GPUs', 60, async () =>
      (await kubectl('get', 'pods', '--selector', `job-name=${jobOf('pending')}`, '--output', 'json')).includes(
        'Insufficient nvidia.com/gpu',
      ),
    );
    await cancelled(pending, { at });

    await killDaemon(places, 'kube-controller-manager');
    const podless = await start('podless', { at });
    await eventually('the Job is made', 60, () => bed.witness.madeOf(jobOf('podless')) === 1);
    const gone = cancelled(podless, { at });
    // A controller that is back before that makes the pod of a Job which is not stopped yet.
    const suspended = ['get', 'job', jobOf('podless'), '--ignore-not-found', '--output', 'jsonpath={.spec.suspend}'];
    await eventually('the Job is suspended', 60, async () => (await kubectl(...suspended)) !== 'false');
    await startDaemon(places, 'kube-controller-manager');
    await gone;
    expect([bed.witness.madeOf(jobOf('pending')), bed.witness.madeOf(jobOf('podless'))]).toEqual([1, 1]);
    expect(bed.witness.hasRun(jobOf('podless'))).toBe(false);
  },
);
