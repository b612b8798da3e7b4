/** Jobs and pods of the test cluster are those of real controllers. How jobs die is failures.test.ts. */
import { makeNamespace, readTestCluster } from './test-bed.ts';
import type { TestNamespace } from './test-bed.ts';
import { jobOf, podSpec, workloadsIn } from './workloads.ts';
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

test('a pod that Pod Security forbids is refused, and a Job of such pods is created and has none', async () => {
  const forbidden = { ...podSpec(shell('true')), hostNetwork: true };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'forbidden' }, spec: forbidden };
  await expect(workloads.create(pod)).rejects.toThrow(/violates PodSecurity "restricted.*host namespaces/);
});
