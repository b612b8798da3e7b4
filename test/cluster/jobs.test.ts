/** Jobs on a real cluster end as the real controllers, kubelet and kernel make them end: what the Kubernetes backend stands on. */
import { eventually } from '../support/eventually.ts';
import { makeNamespace, readTestCluster } from './test-bed.ts';
import type { TestNamespace } from './test-bed.ts';
import { endOfPod, jobOf, podSpec, workloadsIn } from './workloads.ts';
import type { Workloads } from './workloads.ts';

const cluster = readTestCluster();
const shell = (script: string) => ({ image: cluster.busyboxImage, command: ['sh', '-c', script] });
let namespace: TestNamespace;
let workloads: Workloads;

beforeAll(async () => {
  namespace = await makeNamespace(cluster, 'jobs');
  workloads = workloadsIn(cluster, namespace.name);
});
afterAll(async () => {
  await namespace.remove();
});

test('an Indexed Job completes when each of its pods has ended well, each with its own index', async () => {
  await workloads.create(jobOf({ name: 'two', pods: 2, container: shell('echo "index $JOB_COMPLETION_INDEX"') }));
  expect(await workloads.endOf('two', 60)).toMatchObject({ type: 'Complete' });
  expect((await workloads.logsOf('two')).trim().split('\n').sort()).toEqual(['index 0', 'index 1']);
});

test('a container over its memory limit ends as OOMKilled, and its Job fails', async () => {
  // `tail` keeps what it was asked for in memory, and is the container's first process.
  const container = { ...shell('exec tail -c 200000000 /dev/zero'), limits: { memory: '32Mi' } };
  await workloads.create(jobOf({ name: 'too-big', container }));
  expect(await workloads.endOf('too-big', 60)).toMatchObject({ type: 'Failed', reason: 'BackoffLimitExceeded' });
  const [pod] = await workloads.podsOf('too-big');
  expect(endOfPod(pod)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
});

test('an eviction says DisruptionTarget before the pod goes', async () => {
  // It stays for a while after it was asked to go: the condition is read meanwhile.
  await workloads.create(
    jobOf({ name: 'evicted', container: shell('trap "sleep 3; exit 75" TERM; while :; do sleep 0.1; done') }),
  );
  const pod = await eventually('its pod runs', 60, async () => {
    const [first] = await workloads.podsOf('evicted');
    return first?.status.phase === 'Running' ? first : null;
  });
  const { name } = pod.metadata;
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: namespace.name } };
  const path = `/api/v1/namespaces/${namespace.name}/pods/${name}/eviction`;
  await cluster.kubectl(['create', '--raw', path, '--filename', '-'], JSON.stringify(eviction));
  const disrupted = await eventually('it is marked', 20, async () => {
    const [first] = await workloads.podsOf('evicted');
    return first?.status.conditions?.find(({ type }) => type === 'DisruptionTarget') ?? null;
  });
  expect(disrupted).toMatchObject({ status: 'True', reason: 'EvictionByEvictionAPI' });
});

test('a pod that Pod Security forbids is refused, and a Job of such pods is created and has none', async () => {
  const forbidden = { ...podSpec(shell('true')), hostNetwork: true };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'forbidden' }, spec: forbidden };
  await expect(workloads.create(pod)).rejects.toThrow(/violates PodSecurity "restricted.*host namespaces/);
});
