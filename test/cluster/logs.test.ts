/** The log of a job on its directory while it runs: whole and once, whatever happens to the server, the worker and the node's files. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JobRef } from '../../activities/backend.ts';
import type { KubernetesBackend } from '../../k8s/backend.ts';
import { gapMarker } from '../../k8s/log-file.ts';
import { repository } from '../../scripts/repository.ts';
import { eventually } from '../support/eventually.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';
import { testWhere } from '../support/test-where.ts';
import { type JobBed, makeJobBed, until } from './job-bed.ts';
import type { SlotPlaces } from './machine/places.ts';
import { killDaemon, startDaemon } from './node/daemons.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
const onOwnCluster = testWhere(cluster.own === null ? 'a foreign cluster, whose processes are not ours' : null);
let bed: JobBed;
beforeAll(async () => {
  bed = await makeJobBed(cluster, 'logs');
});
afterAll(() => bed.close());

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${String(from + index)}\n`).join('');
const counting = (lines: number, microseconds: number) =>
  `i=0; while [ $i -lt ${String(lines)} ]; do i=$((i+1)); echo "line $i"; usleep ${String(microseconds)}; done`;

async function logOf({ directory }: JobRef, name = 'log.txt'): Promise<string> {
  return await readFile(join(directory, name), 'utf8').catch(() => '');
}

async function has(job: JobRef, line: string): Promise<void> {
  await eventually(`the log has "${line}"`, 120, async () => (await logOf(job)).includes(`${line}\n`));
}

function following(backend: KubernetesBackend, job: JobRef) {
  const wanted = new AbortController();
  const done = backend.logs?.follow(job, 0, { signal: wanted.signal, heard: () => undefined });
  return {
    async stop() {
      wanted.abort();
      await done;
    },
  };
}

onOwnCluster(
  'it comes as it is said, through a server that is killed and by another worker, with each line once',
  async () => {
    const places = cluster.own as SlotPlaces;
    const script = `${counting(600, 50_000)}; exit 3`;
    const [first, second] = [bed.backendRunning(script), bed.backendRunning(script)];
    const job = await first.submit(await bed.spec('t-tells-a1'));
    const one = following(first, job);
    await has(job, 'line 40');
    await killDaemon(places, 'kube-apiserver');
    await startDaemon(places, 'kube-apiserver');
    await has(job, 'line 200');
    const other = following(second, job);
    await has(job, 'line 260');
    await one.stop();
    expect(await until(second, job, 'ended')).toMatchObject({ ranks: [{ exitCode: 3 }] });
    await other.stop();
    expect(await logOf(job)).toBe(numbered(1, 600));
  },
  300_000,
);

/** A worker of its own that follows the job; it ends by being killed. */
function startFollower(job: JobRef): ChildProcess {
  const { uid, name, directory } = job;
  const profile = kubernetesProfile({ namespace: bed.namespace, store: { claim: 'store', path: dirname(directory) } });
  const program = join(repository, 'test', 'support', 'follower-process.ts');
  const wish = JSON.stringify({ profile, job: { uid, name, directory } });
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, wish], { stdio: 'inherit' });
}

onOwnCluster(
  'workers that are killed while they follow it, one after the other, and a kubelet that is killed: each line once',
  async () => {
    const places = cluster.own as SlotPlaces;
    const backend = bed.backendRunning(`${counting(1200, 20_000)}; exit 4`);
    const job = await backend.submit(await bed.spec('t-orphaned-a1'));
    await until(backend, job, 'running');
    for (const last of [100, 300, 500]) {
      const follower = startFollower(job);
      await has(job, `line ${String(last)}`);
      const ended = once(follower, 'exit');
      follower.kill('SIGKILL');
      await ended;
    }
    const follower = following(backend, job);
    await has(job, 'line 700');
    await killDaemon(places, 'kubelet');
    await startDaemon(places, 'kubelet');
    expect(await until(backend, job, 'ended')).toMatchObject({ ranks: [{ exitCode: 4 }] });
    await follower.stop();
    expect(await logOf(job)).toBe(numbered(1, 1200));
  },
  300_000,
);

test('what nobody followed is there at the end, and once asked for before', async () => {
  const backend = bed.backendRunning(
    `${counting(3, 0)}; cd "\${TEMPER_REQUEST%/*}"; touch said; until [ -e go ]; do sleep 0.2; done; echo bye`,
  );
  const order = await bed.spec('t-asked-a1');
  const job = await backend.submit(order);
  await until(backend, job, 'running');
  await eventually('it has spoken', 60, () => readFile(join(order.directory, 'said')).catch(() => null));
  await backend.logs?.bring(job, 0, AbortSignal.timeout(60_000));
  expect(await logOf(job)).toBe(numbered(1, 3));
  await writeFile(join(order.directory, 'go'), '');
  await until(backend, job, 'ended');
  expect(await logOf(job)).toBe(`${numbered(1, 3)}bye\n`);
});

test('a node that rotates the log while it is followed loses nothing without a word', async () => {
  // 24 MiB in lines of 1 KiB, in bursts between which the node has time to rotate what is over 10 MiB.
  const burst = 'head -c 8388608 /dev/zero | tr "\\0" x | fold -w 1023';
  const backend = bed.backendRunning(`for i in 1 2 3; do ${burst}; echo; echo "burst $i"; sleep 12; done; exit 1`);
  const job = await backend.submit(await bed.spec('t-rotates-a1'));
  const follower = following(backend, job);
  expect(await until(backend, job, 'ended')).toMatchObject({ ranks: [{ exitCode: 1 }] });
  await follower.stop();
  const text = await logOf(job);
  expect(text.match(/burst \d/g)).toEqual(['burst 1', 'burst 2', 'burst 3']);
  const lines = text.split('\n').filter((line) => line.startsWith('xxx')).length;
  expect([lines, text.includes(gapMarker)]).toEqual([3 * 8201, false]);
}, 300_000);
