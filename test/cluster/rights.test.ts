/** A worker that has the rights of k8s/rights.ts, and no other, does everything: and it uses each of them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKubeClient, type KubeClient, type KubeRequest } from '../../k8s/kube-client.ts';
import { resourceText, rightsFor, workerRole } from '../../k8s/rights.ts';
import { makeAccount } from './account.ts';
import { type JobBed, makeJobBed, until } from './job-bed.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
const used = new Set<string>();
let bed: JobBed;
let folder: string;
let kubeconfig: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-rights-'));
  bed = await makeJobBed(cluster, 'rights');
  const { namespace } = bed;
  kubeconfig = await makeAccount(cluster, { namespace, name: 'worker', file: join(folder, 'kubeconfig') });
  await cluster.kubectl(['create', '--filename', '-'], JSON.stringify(workerRole({ namespace })));
  const binding = ['rolebinding', 'worker', '--role=temper-worker', `--serviceaccount=${namespace}:worker`];
  await cluster.kubectl(['--namespace', namespace, 'create', ...binding]);
});
afterAll(async () => {
  await bed.close();
  await rm(folder, { recursive: true, force: true });
});

/** As the worker's own account, noting what it asks for. */
function workerClient(): KubeClient {
  const before = process.env['KUBECONFIG'];
  process.env['KUBECONFIG'] = kubeconfig;
  const client = createKubeClient();
  process.env['KUBECONFIG'] = before;
  const note = (method: KubeRequest['method'], path: string) => used.add(rightOf(method, path));
  return {
    ...client,
    send<T>(order: KubeRequest) {
      note(order.method, order.path);
      return client.send<T>(order);
    },
    stream(path, signal) {
      note('GET', path);
      return client.stream(path, signal);
    },
  };
}

/** What the API server asks its authorizer for: `list pods`, `get pods/log`. */
function rightOf(method: KubeRequest['method'], path: string): string {
  const { pathname, searchParams } = new URL(path, 'https://server');
  const [, resource = '', name, subresource] =
    /\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(pathname) ?? [];
  const reads = name !== undefined ? 'get' : searchParams.has('watch') ? 'watch' : 'list';
  const verb = { GET: reads, POST: 'create', PATCH: 'patch', DELETE: 'delete' }[method];
  return `${verb} ${[resource, subresource].filter(Boolean).join('/')}`;
}

test('it submits, adopts, follows, keeps logs, stops and deletes, and finds a Job that it never saw gone', async () => {
  const backend = bed.backendRunning('echo said; exit 3', {}, workerClient());
  const order = await bed.spec('t-ends-a1');
  const job = await backend.submit(order);
  expect(await backend.submit(order)).toEqual(job);
  expect(await until(backend, job, 'ended')).toMatchObject({ ranks: [{ exitCode: 3, lastLines: ['said'] }] });

  const stopping = bed.backendRunning('trap "exit 75" TERM; while true; do sleep 0.1; done', {}, workerClient());
  const stopped = await stopping.submit(await bed.spec('t-stopped-a1'));
  await until(stopping, stopped, 'running');
  expect(await stopping.list()).toContainEqual(stopped);
  await stopping.stop(stopped, { reason: 'cancel', graceSeconds: 10 });
  expect(await stopping.status(stopped)).toMatchObject({ state: 'ended', stopRequested: 'cancel' });

  // Neither the watch nor a record knows it: the server is asked for the Job, then for its pods.
  expect(
    await backend.status({ ...job, name: 't-never-a1', directory: (await bed.spec('t-never-a1')).directory }),
  ).toEqual({
    state: 'vanished',
  });
});

test('every right is used, and nothing is asked for that is not among them', () => {
  const granted = rightsFor({}).flatMap((right) => right.verbs.map((verb) => `${verb} ${resourceText(right)}`));
  expect([...used].sort()).toEqual(granted.sort());
});

test('it may not do more: secrets, nodes, other namespaces and running programs in pods are refused', async () => {
  const client = workerClient();
  const tried = [
    `/api/v1/namespaces/${bed.namespace}/secrets`,
    '/api/v1/nodes',
    '/apis/batch/v1/namespaces/default/jobs',
    `/api/v1/namespaces/${bed.namespace}/pods/x/exec?command=true`,
  ];
  for (const path of tried) await expect(client.send({ method: 'GET', path })).rejects.toMatchObject({ status: 403 });
  await client.close();
});
