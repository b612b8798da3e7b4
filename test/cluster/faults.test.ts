/** What goes wrong between the backend and a real API server: busy, cut off, behind a load balancer, short of quota, with webhooks that hang. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { type FaultBed, makeFaultBed } from './fault-bed.ts';
import type { Fault, SeenRequest } from './fault-proxy.ts';
import { until } from './job-bed.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
let bed: FaultBed;

beforeAll(async () => {
  bed = await makeFaultBed(cluster, 'faults');
});
afterAll(() => bed.close());

const isCreate = ({ method, path }: SeenRequest): boolean => method === 'POST' && path.includes('/jobs');
const status = (code: number, reason: string, message: string) =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message });
/** What a list or a watch is about: jobs, pods or events. */
const watchedOf = (path: string): string => path.replace(/\?.*/, '');
const page = '<html><body>Bad gateway</body></html>';
const expired = status(410, 'Expired', 'too old resource version: 1 (2)');

test.each<{ title: string; fault: Fault; sooner?: number }>([
  {
    title: '429 with Retry-After: it is asked again after that, not before',
    fault: {
      kind: 'answered',
      status: 429,
      headers: { 'retry-after': '2' },
      body: status(429, 'TooManyRequests', 'busy'),
    },
    sooner: 2000,
  },
  { title: '500', fault: { kind: 'answered', status: 500, body: status(500, 'InternalError', 'etcd is away') } },
  { title: '502 with a page of a load balancer', fault: { kind: 'answered', status: 502, body: page } },
  { title: '504 though it was created', fault: { kind: 'disguised', status: 504, body: page } },
  { title: 'a connection that breaks in the middle of the answer', fault: { kind: 'cut' } },
])('one Job is made where the server answers a submit with $title', async ({ title, fault, sooner = 0 }) => {
  const { proxy, client } = await bed.proxied();
  let wrong = 0;
  proxy.rule((asked) => (isCreate(asked) && (wrong += 1) <= 2 ? fault : null));
  const name = `t-${title
    .replaceAll(/[^a-z0-9]+/gi, '-')
    .toLowerCase()
    .slice(0, 30)}x-a1`;
  const order = await bed.spec(name);
  const job = await bed.backendRunning('true', {}, client).submit(order);
  expect(wrong).toBeGreaterThan(1);
  const times = proxy.seen.filter(isCreate).map(({ at }) => at);
  for (const [index, at] of times.entries()) expect(at - (times[index - 1] ?? -Infinity)).toBeGreaterThan(sooner);
  expect(await bed.backendRunning('true').submit(order)).toEqual(job);
  expect(bed.witness.madeOf(name)).toBe(1);
});

test('a job that ends while its watch is broken in any way is seen to end within 90 s, and the server is not asked without a pause', async () => {
  const wrongs: Readonly<Record<string, Fault>> = {
    'too-old': {
      kind: 'answered',
      status: 200,
      body: `${JSON.stringify({ type: 'ERROR', object: JSON.parse(expired) as unknown })}\n`,
    },
    gone: { kind: 'answered', status: 410, body: expired },
    empty: { kind: 'answered', status: 200, body: '' },
    page: { kind: 'answered', status: 200, body: page },
    silent: { kind: 'silent' },
  };
  const seen = Object.entries(wrongs).map(async ([name, fault]) => {
    const { proxy, client } = await bed.proxied();
    const order = await bed.spec(`t-watch-${name}-a1`);
    const backend = bed.backendRunning(
      'until [ -e "${TEMPER_REQUEST%/*}/go" ]; do sleep 0.2; done; exit 5',
      {},
      client,
    );
    const job = await backend.submit(order);
    await until(backend, job, 'running');
    proxy.rule(({ isWatch }) => (isWatch ? fault : null));
    proxy.cutAll();
    const [from, before] = [performance.now(), proxy.seen.length];
    await writeFile(join(order.directory, 'go'), '');
    const end = await until(backend, job, 'ended');
    const seconds = (performance.now() - from) / 1000;
    await pause(5000);
    const perWatch = Object.values(Object.groupBy(proxy.seen.slice(before), ({ path }) => watchedOf(path)));
    const busiest = Math.max(...perWatch.map((asked) => asked?.length ?? 0));
    return { name, end, seconds, perSecond: busiest / (seconds + 5) };
  });
  for (const { name, end, seconds, perSecond } of await Promise.all(seen)) {
    expect({ name, end }).toMatchObject({ end: { ranks: [{ exitCode: 5 }] } });
    expect({ name, inTime: seconds <= 90 }).toEqual({ name, inTime: true });
    expect({ name, seldom: perSecond < 1 }).toEqual({ name, seldom: true });
  }
}, 240_000);

const kubectl = (...args: readonly string[]) => cluster.kubectl(['--namespace', bed.namespace, ...args]);
const apply = (...items: readonly object[]) =>
  cluster.kubectl(
    ['--namespace', bed.namespace, 'apply', '--filename', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  );

test('a quota that is used up is trouble that passes: the same submit goes through when it is free', async () => {
  await apply({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'full' },
    spec: { hard: { 'count/jobs.batch': '0' } },
  });
  const order = await bed.spec('t-quota-a1');
  const backend = bed.backendRunning('true');
  await eventually('the quota counts', 60, async () =>
    (await kubectl('get', 'resourcequota', 'full', '--output', 'jsonpath={.status.hard}')).includes('jobs.batch'),
  );
  await expect(backend.submit(order)).rejects.toMatchObject({
    code: 'no-room',
    message: expect.stringContaining('exceeded quota: full') as string,
  });
  expect(await backend.find(order)).toBeNull();
  await kubectl('delete', 'resourcequota', 'full');
  const job = await eventually('the quota is free', 60, () => backend.submit(order).catch(() => null));
  expect(await until(backend, job, 'ended')).toMatchObject({ ranks: [{ exitCode: 0 }] });
});

test('an admission policy that denies: refused at once, for good, in its own words', async () => {
  const name = `${bed.namespace}-denies`;
  const ours = { matchLabels: { 'kubernetes.io/metadata.name': bed.namespace } };
  const rules = [{ apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['jobs'] }];
  const expression = '!object.metadata.name.startsWith("t-denied")';
  const about = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name } };
  await apply(
    {
      ...about,
      kind: 'ValidatingAdmissionPolicy',
      spec: {
        matchConstraints: { resourceRules: rules },
        validations: [{ expression, message: 'ask the platform team first' }],
      },
    },
    {
      ...about,
      kind: 'ValidatingAdmissionPolicyBinding',
      spec: { policyName: name, validationActions: ['Deny'], matchResources: { namespaceSelector: ours } },
    },
  );
  try {
    const order = await bed.spec('t-denied-a1');
    await eventually('the policy counts', 60, async () =>
      (await kubectl('create', 'job', 't-denied-by-hand', `--image=${cluster.busyboxImage}`).catch(String)).includes(
        'ask the platform team first',
      ),
    );
    const { proxy, client } = await bed.proxied();
    await expect(bed.backendRunning('true', {}, client).submit(order)).rejects.toMatchObject({
      code: 'job-refused',
      message: expect.stringContaining('ask the platform team first') as string,
    });
    expect(proxy.seen.filter(isCreate)).toHaveLength(1);
  } finally {
    await kubectl('delete', 'validatingadmissionpolicybinding', name);
    await kubectl('delete', 'validatingadmissionpolicy', name);
  }
});

test('a webhook that does not answer in time is trouble that passes', async () => {
  const mute = createServer(() => undefined).listen(0, '0.0.0.0');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  const name = `${bed.namespace}-mute`;
  const host = cluster.own?.hostAddress ?? '127.0.0.1';
  await apply({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: 'mute.temper.test',
        clientConfig: { url: `https://${host}:${String(port)}/` },
        rules: [{ apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['jobs'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': bed.namespace } },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        timeoutSeconds: 1,
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  const order = await bed.spec('t-mute-a1');
  const { proxy, client } = await bed.proxied();
  const backend = bed.backendRunning('true', {}, client);
  try {
    await eventually('the webhook counts', 60, async () =>
      (await kubectl('create', 'job', 't-mute-by-hand', `--image=${cluster.busyboxImage}`).catch(String)).includes(
        'failed calling webhook',
      ),
    );
    const submitted = backend.submit(order);
    await eventually('it was asked more than once', 60, () => proxy.seen.filter(isCreate).length > 1);
    await kubectl('delete', 'validatingwebhookconfiguration', name);
    expect(await until(backend, await submitted, 'ended')).toMatchObject({ ranks: [{ exitCode: 0 }] });
    expect(bed.witness.madeOf('t-mute-a1')).toBe(1);
  } finally {
    await kubectl('delete', 'validatingwebhookconfiguration', name, '--ignore-not-found');
    mute.close();
  }
});
