/**
 * A node that does not answer any more: its kubelet hangs or is killed, while what it runs goes on. For a minute nothing happens; then its
 * jobs are over.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { testWhere } from '../support/test-where.ts';
import { type JobBed, makeJobBed, until } from './job-bed.ts';
import type { SlotPlaces } from './machine/places.ts';
import { nodeName } from './node/components.ts';
import { hangDaemon, killDaemon, startDaemon } from './node/daemons.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
const onOwnCluster = testWhere(cluster.own === null ? 'a foreign cluster, whose processes are not ours' : null);
const places = cluster.own as SlotPlaces;
let bed: JobBed;

beforeAll(async () => {
  bed = await makeJobBed(cluster, 'lost-node');
});
afterEach(async () => {
  if (cluster.own === null) return;
  hangDaemon(places, 'kubelet', 'SIGCONT');
  await startDaemon(places, 'kubelet');
});
afterAll(() => bed.close());

interface Conditions {
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function isReady(...what: readonly string[]): Promise<boolean> {
  const text = await cluster.kubectl(['--namespace', bed.namespace, 'get', ...what, '--output', 'json']);
  const found = JSON.parse(text) as Conditions | { items: readonly Conditions[] };
  const [object] = 'items' in found ? found.items : [found];
  return object?.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}
const podOf = (job: string) => ['pods', '--selector', `job-name=${job}`] as const;
const named = async (kind: string, name: string): Promise<string> =>
  await cluster.kubectl(['--namespace', bed.namespace, 'get', kind, '--output', 'name', '--selector', name]);

onOwnCluster(
  'a node that answers again within the minute: its job goes on, and ends by itself',
  async () => {
    const backend = bed.backendRunning('until [ -e "${TEMPER_REQUEST%/*}/go" ]; do sleep 0.2; done; exit 5');
    const order = await bed.spec('t-back-a1');
    const job = await backend.submit(order);
    const running = await until(backend, job, 'running');
    hangDaemon(places, 'kubelet', 'SIGSTOP');
    await eventually('the cluster misses the node', 60, async () => !(await isReady(...podOf(job.name))));
    hangDaemon(places, 'kubelet', 'SIGCONT');
    await eventually('the node is back', 60, async () => await isReady(...podOf(job.name)));
    expect(await backend.status(job)).toEqual(running);
    await writeFile(join(order.directory, 'go'), '');
    expect(await until(backend, job, 'ended')).toMatchObject({ stopRequested: null, ranks: [{ exitCode: 5 }] });
  },
  300_000,
);

onOwnCluster(
  'a node that stays away: its jobs end without it, what one of them writes later is its own, and the next runs when the node is back',
  async () => {
    const backend = bed.backendRunning(
      'trap "" TERM; while true; do date > "${TEMPER_REQUEST%/*}/checkpoints/zombie"; sleep 0.2; done',
    );
    const [lost, cancelled] = await Promise.all(
      ['t-lost-a1', 't-cancelled-a1'].map(async (name) => {
        const job = await backend.submit(await bed.spec(name));
        return { job, running: await until(backend, job, 'running') };
      }),
    );
    if (lost === undefined || cancelled === undefined) throw new Error('two jobs run');
    await killDaemon(places, 'kubelet');
    const killedAt = performance.now();
    const ended = backend.stop(cancelled.job, { reason: 'cancel', graceSeconds: 10 });
    expect(await backend.nextChange(lost.job, lost.running, AbortSignal.timeout(150_000))).toMatchObject({
      state: 'running',
      lostNode: nodeName,
    });
    const seconds = (performance.now() - killedAt) / 1000;
    expect(seconds).toBeGreaterThan(60);
    expect(seconds).toBeLessThan(100);
    await backend.stop(lost.job, { reason: 'node-lost', graceSeconds: 10 });
    await ended;
    expect((performance.now() - killedAt) / 1000).toBeLessThan(10 + 120);

    const end = await backend.status(lost.job);
    expect(end).toMatchObject({
      state: 'ended',
      stopRequested: 'node-lost',
      ranks: [{ exitCode: null, reason: 'NodeUnreachable', node: nodeName }],
    });
    expect(await backend.status(cancelled.job)).toMatchObject({ state: 'ended', stopRequested: 'cancel' });
    const selector = `batch.kubernetes.io/controller-uid=${lost.job.uid}`;
    expect(await named('jobs', selector)).toBe('');
    expect(await named('pods', selector)).toContain('pod/t-lost-a1');
    const zombie = join(lost.job.directory, 'checkpoints', 'zombie');
    const before = await readFile(zombie, 'utf8');
    await eventually('it is at work still', 60, async () => (await readFile(zombie, 'utf8')) !== before);

    const next = bed.backendRunning('ls "${TEMPER_REQUEST%/*}/checkpoints"; exit 6');
    const again = await next.submit(await bed.spec('t-lost-a2'));
    await startDaemon(places, 'kubelet');
    await eventually('the node has ended it', 60, async () => (await named('pods', selector)) === '');
    expect(await until(next, again, 'ended')).toMatchObject({ ranks: [{ exitCode: 6 }] });
    expect(await readdir(join(again.directory, 'checkpoints'))).toEqual([]);
    // Whatever the node says now: what was decided stays, for workers that never saw it too.
    expect(await backend.status(lost.job)).toEqual(end);
    expect(await bed.backendRunning('true').status(lost.job)).toEqual(end);
  },
  400_000,
);
