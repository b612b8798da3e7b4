/** The Kubernetes backend on a real API server with real controllers and pods: one Job an attempt, and ends that stay. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRef } from '../../activities/backend.ts';
import { createKubeClient, type KubeClient, type KubeRequest } from '../../k8s/kube-client.ts';
import { createKubernetesBackend } from '../../k8s/backend.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { eventually } from '../support/eventually.ts';
import { kubernetesProfile } from '../support/kubernetes-profile.ts';
import { type JobBed, makeJobBed, until } from './job-bed.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
let bed: JobBed;

beforeAll(async () => {
  bed = await makeJobBed(cluster, 'backend');
});
afterAll(() => bed.close());

const jobNames = async (): Promise<string[]> =>
  (await cluster.kubectl(['--namespace', bed.namespace, 'get', 'jobs', '--output', 'name'])).trim().split('\n');
const deleteJob = (name: string) =>
  cluster.kubectl(['--namespace', bed.namespace, 'delete', 'job', name, '--wait=true']);

test('a job runs, writes to its directory, and its end with its last lines outlives the Job', async () => {
  const backend = bed.backendRunning(
    'echo "$TEMPER_JOB_TOKEN" > "${TEMPER_REQUEST%/*}/token"; echo hello; echo "no good" >&2; exit 3',
  );
  const order = await bed.spec('t-ends-a1');
  const job = await backend.submit(order);
  const end = await until(backend, job, 'ended');
  expect(end).toMatchObject({
    state: 'ended',
    stopRequested: null,
    // Of two streams the node keeps no order.
    ranks: [{ rank: 0, exitCode: 3, lastLines: expect.arrayContaining(['hello', 'no good']) as string[] }],
  });
  expect((await readFile(join(order.directory, 'token'), 'utf8')).trim()).toBe(job.uid);
  await deleteJob(job.name);
  // Another worker, which never saw the Job.
  expect(await bed.backendRunning('true').status(job)).toEqual(end);
});

test('whoever submits again gets the Job that is there: two workers, and a reply that was lost', async () => {
  const order = await bed.spec('t-once-a1');
  const lossy = losingTheFirstReply(createKubeClient());
  await expect(bed.backendRunning('sleep 60', {}, lossy).submit(order)).rejects.toMatchObject({
    code: 'backend-unavailable',
  });
  const workers = [bed.backendRunning('sleep 60'), bed.backendRunning('sleep 60')] as const;
  const [one, other] = await Promise.all(workers.map((backend) => backend.submit(order)));
  expect(one).toEqual(other);
  expect((await jobNames()).filter((name) => name.includes('t-once'))).toEqual(['job.batch/t-once-a1']);
  expect(await workers[0].list()).toContainEqual(one);
});

test('a Job of the same name that is not this attempt’s is left alone, and named', async () => {
  const order = await bed.spec('t-foreign-a1');
  await cluster.kubectl([
    '--namespace',
    bed.namespace,
    'create',
    'job',
    order.name,
    `--image=${cluster.busyboxImage}`,
    '--',
    'true',
  ]);
  await expect(bed.backendRunning('true').submit(order)).rejects.toMatchObject({
    code: 'job-refused',
    message: expect.stringContaining(
      'a Job named t-foreign-a1 is there already, and not this attempt’s (not made by Temper)',
    ) as string,
  });
});

test('a namespace that is not there is told with the command that makes it', async () => {
  const backend = createKubernetesBackend(kubernetesProfile({ namespace: 'not-made-yet' }), createKubeClient());
  try {
    await expect(backend.submit(await bed.spec('t-nowhere-a1'))).rejects.toMatchObject({
      code: 'job-refused',
      message: expect.stringContaining(
        'namespaces "not-made-yet" not found: make it with `kubectl create namespace not-made-yet`',
      ) as string,
    });
  } finally {
    await backend.close();
  }
});

test('a stop lets the trainer save; how it ended is known after its pod and its Job are gone', async () => {
  const backend = bed.backendRunning('trap "echo saved; exit 75" TERM; echo ready; while true; do sleep 0.1; done');
  const job = await backend.submit(await bed.spec('t-stopped-a1'));
  await until(backend, job, 'running');
  await eventually('the trap is set', 60, async () =>
    (await cluster.kubectl(['--namespace', bed.namespace, 'logs', `job/${job.name}`])).includes('ready'),
  );
  await backend.stop(job, { reason: 'cancel', graceSeconds: 10 });
  expect(await backend.status(job)).toMatchObject({
    state: 'ended',
    stopRequested: 'cancel',
    ranks: [{ exitCode: 75 }],
  });
  // Nobody had asked for its log before, and its pod took it along.
  expect(await readFile(join(job.directory, 'log.txt'), 'utf8')).toBe('ready\nsaved\n');
  await eventually('the Job is gone', 60, async () => !(await jobNames()).includes(`job.batch/${job.name}`));
  await backend.stop(job, { reason: 'cancel', graceSeconds: 10 }); // again: nothing is left to do
  expect(await backend.status(job)).toMatchObject({ state: 'ended', stopRequested: 'cancel' });
});

test('a Job that somebody deleted while it ran has vanished', async () => {
  const backend = bed.backendRunning('echo "got far"; sleep 300');
  const job = await backend.submit(await bed.spec('t-deleted-a1'));
  const running = await until(backend, job, 'running');
  const next = backend.nextChange(job, running, AbortSignal.timeout(60_000));
  await deleteJob(job.name);
  let status = await next;
  while (status.state !== 'vanished' && status.state !== 'ended')
    status = await backend.nextChange(job, status, AbortSignal.timeout(60_000));
  expect(status).toEqual({ state: 'vanished' });
  await eventually('its log is kept', 60, async () =>
    (await readFile(join(job.directory, 'log.txt'), 'utf8').catch(() => '')).includes('got far\n'),
  );
});

test('more memory than its limit: OOMKilled', async () => {
  const backend = bed.backendRunning('tail /dev/zero', { memory: '32Mi' });
  const job = await backend.submit(await bed.spec('t-memory-a1'));
  expect(await until(backend, job, 'ended')).toMatchObject({ ranks: [{ reason: 'OOMKilled' }] });
});

test('GPUs that are taken: the job waits, and says for what', async () => {
  const backend = bed.backendRunning('sleep 300', { gpus: 64 });
  const job = await backend.submit(await bed.spec('t-gpus-a1'));
  const queued = await eventually('it is said', 60, async () => {
    const status = await backend.status(job);
    return status.state === 'queued' && status.reason?.includes('nvidia.com/gpu') ? status : null;
  });
  expect(queued).toMatchObject({
    reason: expect.stringMatching(/^Unschedulable: .*Insufficient nvidia\.com\/gpu/) as string,
  });
  await backend.stop(job, { reason: 'cancel', graceSeconds: 1 });
});

test('two pods of one job find each other by name, and each rank’s end is known', async () => {
  // Its input stays open: a listener that has nothing to say hangs up, maybe before it is told anything.
  const backend = bed.backendRunning(
    'if [ "$PET_NODE_RANK" = 0 ]; then mkfifo /tmp/open; nc -l -p "$PET_MASTER_PORT" <> /tmp/open > "${TEMPER_REQUEST%/*}/heard"; exit 0; fi; until (echo met; sleep 1) | nc "$PET_MASTER_ADDR" "$PET_MASTER_PORT"; do sleep 0.2; done; exit 4',
    { nodes: 2 },
  );
  const order = await bed.spec('t-two-a1');
  const job = await backend.submit(order);
  const end = await until(backend, job, 'ended');
  // The controller deletes the pods that it does not know to be over when one fails, so that the log of rank 0 may be gone.
  expect(end).toMatchObject({
    ranks: [
      { rank: 0, exitCode: 0 },
      { rank: 1, exitCode: 4 },
    ],
  });
  expect(await readFile(join(order.directory, 'heard'), 'utf8')).toBe('met\n');
});

test('a wait asks the server for nothing: the one watch tells', async () => {
  const asked: string[] = [];
  const backend = bed.backendRunning('sleep 3', {}, counting(createKubeClient(), asked));
  const jobs = await Promise.all(
    ['t-wait-a1', 't-wait-a2', 't-wait-a3'].map(async (name) => await backend.submit(await bed.spec(name))),
  );
  await backend.status(jobs[0] as JobRef);
  const before = asked.length;
  await Promise.all(jobs.map((job) => until(backend, job, 'ended')));
  // For each job: the log of its pod, and its shorter time to live.
  expect(asked.slice(before).filter((each) => !/ GET .*\/log\?|^PATCH|^STREAM .*\/log\?/.test(each))).toEqual([]);
});

/** The first POST of a Job reaches the server, and its answer nobody. */
function losingTheFirstReply(client: KubeClient): KubeClient {
  let lost = false;
  return {
    ...client,
    async send<T>(order: KubeRequest) {
      const answer = await client.send<T>(order);
      if (lost || order.method !== 'POST' || !order.path.includes('/jobs')) return answer;
      lost = true;
      throw new KubeError('the connection was reset');
    },
  };
}

function counting(client: KubeClient, asked: string[]): KubeClient {
  return {
    ...client,
    send<T>(order: KubeRequest) {
      asked.push(`${order.method} ${order.path}`);
      return client.send<T>(order);
    },
    stream(path, signal) {
      asked.push(`STREAM ${path}`);
      return client.stream(path, signal);
    },
  };
}
