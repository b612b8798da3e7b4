/**
 * Two installs of Temper in one namespace, with the same ids and the same paths on volumes of their own: neither takes the other's jobs.
 * And time that passes without a word of the cluster.
 */
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobSpec } from '../../activities/backend.ts';
import { createKubernetesBackend, type KubernetesBackend } from '../../k8s/backend.ts';
import { writeJobEnd } from '../../k8s/job-end.ts';
import type { KubeClient, KubeRequest } from '../../k8s/kube-client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import type { SentJob } from '../../k8s/kube-types.ts';
import { jobUidLabel } from '../../k8s/labels.ts';
import { eventually } from '../support/eventually.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';

const open: KubernetesBackend[] = [];
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'temper-backend-'));
  await mkdir(join(directory, 'checkpoints'));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
  for (const backend of open.splice(0)) await backend.close();
});

const complete = { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-11-29T10:05:00Z' }] };

/** A server that keeps Jobs, and whose watches stay silent. `podsOfJob`: told to who asks for those of a Job, which is over then. */
function cluster(podsOfJob: readonly object[] = [], podsOfAll: readonly object[] = []): () => KubeClient {
  const jobs = new Map<string, SentJob>();
  const answer = ({ method, path, body }: KubeRequest): unknown => {
    const at = new URL(path, 'https://cluster');
    if (at.pathname.endsWith('/services')) return {};
    if (at.searchParams.get('labelSelector')?.startsWith(jobUidLabel)) return { items: podsOfJob };
    if (!at.pathname.includes('/jobs')) return { metadata: { resourceVersion: '1' }, items: podsOfAll };
    if (method === 'POST') {
      const job = structuredClone(body) as SentJob;
      if (jobs.has(job.metadata.name)) throw new KubeError('there already', { status: 409, reason: 'AlreadyExists' });
      const at = { uid: `uid-${String(jobs.size)}`, resourceVersion: '1', creationTimestamp: '2026-11-29T10:00:00Z' };
      Object.assign(job, { metadata: { ...job.metadata, ...at }, ...(podsOfJob.length > 0 && { status: complete }) });
      jobs.set(job.metadata.name, job);
      return job;
    }
    if (at.pathname.endsWith('/jobs')) return { metadata: { resourceVersion: '1' }, items: [...jobs.values()] };
    return jobs.get(at.pathname.split('/').at(-1) ?? '');
  };
  return () => ({
    server: 'https://cluster',
    cluster: 'east',
    send: <T>(order: KubeRequest) =>
      new Promise<T>((resolve) => {
        resolve(structuredClone(answer(order)) as T);
      }),
    stream: (path, signal) =>
      new Promise((_resolve, reject) => {
        if (path.includes('/log?')) reject(new KubeError('no logs here', { status: 404 }));
        signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      }),
    close: () => Promise.resolve(),
  });
}

function install(client: KubeClient, owner: string): KubernetesBackend {
  const backend = createKubernetesBackend(kubernetesProfile(), client, { ownerOf: () => Promise.resolve(owner) });
  open.push(backend);
  return backend;
}

const spec = (name: string, owner?: string): JobSpec => ({
  name,
  directory,
  requestPath: join(directory, 'request.json'),
  ...(owner === undefined ? {} : { owner }),
  slots: 1,
  memoryFactor: 1,
  sharedMemoryFactor: 1,
  avoidNodes: [],
  labels: { kind: 'sft', pipeline: 'tiny', phase: 'sft', attempt: 1, workflowId: 'tiny' },
});

test('a job of another install is not adopted, whatever it is called and wherever it lies', async () => {
  const client = cluster();
  const [ours, theirs] = [install(client(), 'run-1/train/1'), install(client(), 'run-9/train/1')];
  const job = await theirs.submit(spec('t-tiny-a1', 'run-9/train/1'));
  await expect(ours.submit(spec('t-tiny-a1', 'run-1/train/1'))).rejects.toThrow(/not this attempt’s.*run-9/);
  expect(await theirs.submit(spec('t-tiny-a1', 'run-9/train/1'))).toEqual(job);
});

test('nor is its log brought when its pod is ended: its directory may be anybody’s', async () => {
  const pod = {
    metadata: {
      name: 't-theirs-a1-0-x',
      uid: 'pod-1',
      resourceVersion: '1',
      creationTimestamp: '2026-11-29T10:00:00Z',
      deletionTimestamp: '2026-11-29T10:05:00Z',
      labels: { [jobUidLabel]: 'uid-0' },
    },
    status: { phase: 'Running', containerStatuses: [{ name: 'trainer', state: { running: {} } }] },
  };
  const client = cluster([], [pod]);
  const asked: string[] = [];
  const seenBy = (who: string): KubeClient => {
    const plain = client();
    const stream: KubeClient['stream'] = (path, signal) => {
      if (path.includes('/log?')) asked.push(who);
      return plain.stream(path, signal);
    };
    return { ...plain, stream };
  };
  const [ours, theirs] = [install(seenBy('ours'), 'run-1/train/1'), install(seenBy('theirs'), 'run-9/train/1')];
  const job = await theirs.submit(spec('t-theirs-a1', 'run-9/train/1'));
  await ours.status(job);
  await theirs.status(job);
  await eventually('the log is asked for', 60, () => asked.length > 0);
  expect(asked).toEqual(['theirs']);
});

test('nor listed, so that no reaper stops it; one that an older version made is', async () => {
  const client = cluster();
  const [ours, theirs] = [install(client(), 'run-1/train/1'), install(client(), 'run-9/train/1')];
  await theirs.submit(spec('t-theirs-a1', 'run-9/train/1'));
  const mine = await ours.submit(spec('t-mine-a1', 'run-1/train/1'));
  const old = await ours.submit(spec('t-old-a1'));
  expect(await ours.list()).toEqual([mine, old]);
});

test('what a worker made as root is handed to the user of the pods: also where a foreign trainer writes', async () => {
  await mkdir(join(directory, 'output'));
  await install(cluster()(), 'run-1/train/1').submit(spec('t-tiny-a1'));
  const owners = await Promise.all(['.', 'checkpoints', 'output'].map((name) => stat(join(directory, name))));
  const expected = process.getuid?.() === 0 ? kubernetesProfile().user : process.getuid?.();
  expect(owners.map(({ uid }) => uid)).toEqual([expected, expected, expected]);
});

test('a Job that is seen to be over before its pods are: they are asked for, and their exit codes kept', async () => {
  const terminated = { exitCode: 3, startedAt: '2026-11-29T10:00:05Z', finishedAt: '2026-11-29T10:04:59Z' };
  const pod = {
    metadata: { name: 't-tiny-a1-0-x', uid: 'pod-1', creationTimestamp: '2026-11-29T10:00:00Z' },
    status: { phase: 'Failed', containerStatuses: [{ name: 'trainer', state: { terminated } }] },
  };
  const backend = install(cluster([pod])(), 'run-1/train/1');
  const job = await backend.submit(spec('t-tiny-a1', 'run-1/train/1'));
  expect(await backend.status(job)).toMatchObject({ state: 'ended', ranks: [{ rank: 0, exitCode: 3 }] });
});

/** Its node has not answered since 10:05. */
function silentPod(): object {
  const times = { lastTransitionTime: '2026-11-29T10:05:00Z' };
  return {
    metadata: {
      name: 't-tiny-a1-0-x',
      uid: 'pod-1',
      resourceVersion: '1',
      creationTimestamp: '2026-11-29T10:00:00Z',
      labels: { [jobUidLabel]: 'uid-0' },
    },
    spec: { nodeName: 'gpu-7' },
    status: {
      conditions: [
        { type: 'PodScheduled', status: 'True', ...times },
        { type: 'ContainersReady', status: 'True', ...times },
        { type: 'Ready', status: 'False', ...times },
      ],
      containerStatuses: [{ name: 'trainer', state: { running: { startedAt: '2026-11-29T10:00:05Z' } } }],
    },
  };
}

test('a node that does not answer is lost when its minute is over, without an event', async () => {
  /** Before that its clock stands still. */
  let began = Infinity;
  const now = () => new Date(Date.parse('2026-11-29T10:05:59Z') + Math.max(0, Date.now() - began));
  const backend = createKubernetesBackend(kubernetesProfile(), cluster([], [silentPod()])(), { now });
  open.push(backend);
  const job = await backend.submit(spec('t-tiny-a1'));
  const running = await backend.status(job);
  expect(running).toEqual({ state: 'running', reason: null, since: '2026-11-29T10:00:05Z' });
  began = Date.now();
  expect(await backend.nextChange(job, running, AbortSignal.timeout(60_000))).toEqual({
    ...running,
    lostNode: 'gpu-7',
  });
  expect(now().toISOString() > '2026-11-29T10:06:00').toBe(true);
});

test('nor is it missed where the minute ends while the job is looked at', async () => {
  const times = ['2026-11-29T10:05:59.999Z', '2026-11-29T10:05:59.999Z'];
  const now = () => new Date(times.shift() ?? '2026-11-29T10:06:01Z');
  const backend = createKubernetesBackend(kubernetesProfile(), cluster([], [silentPod()])(), { now });
  open.push(backend);
  const job = await backend.submit(spec('t-tiny-a1'));
  const running = await backend.status(job);
  expect(running).not.toHaveProperty('lostNode');
  const signal = AbortSignal.timeout(60_000);
  expect(await backend.nextChange(job, running, signal)).toMatchObject({ lostNode: 'gpu-7' });
  expect(signal.aborted).toBe(false);
});

test('a job that has ended is not begun anew in its directory, although its Job is gone', async () => {
  const ended = {
    state: 'ended',
    startedAt: null,
    ranks: [],
    endedAt: '2026-11-29T10:05:00Z',
    stopRequested: 'node-lost',
  } as const;
  const job = { name: 't-tiny-a1', uid: 'uid-of-the-first', directory };
  await writeJobEnd(job, ended);
  const backend = install(cluster()(), 'run-1/train/1');
  expect(await backend.submit(spec('t-tiny-a1', 'run-1/train/1'))).toEqual(job);
  expect(await backend.status(job)).toEqual(ended);
  expect(await backend.list()).toEqual([]);
});
