/** The node of the cluster that was brought up here: Ready, with GPUs that the scheduler counts. Not on a foreign cluster. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { testWhere } from '../support/test-where.ts';
import type { SlotPlaces } from './machine/places.ts';
import { gpuProduct, nodeName } from './node/components.ts';
import { killDaemon, startDaemon } from './node/daemons.ts';
import { gpuCount } from './node/start-components.ts';
import { makeNamespace, readTestCluster } from './test-bed.ts';
import type { TestNamespace } from './test-bed.ts';
import { jobOf, workloadsIn } from './workloads.ts';

const cluster = readTestCluster();
const onOwnCluster = testWhere(cluster.own === null ? 'a foreign cluster, whose processes are not ours' : null);
let namespace: TestNamespace;

beforeAll(async () => {
  namespace = await makeNamespace(cluster, 'node');
});
afterAll(async () => {
  await namespace.remove();
});

interface Node {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly status: {
    readonly allocatable: Readonly<Record<string, string>>;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
    readonly nodeInfo: { readonly kubeletVersion: string };
  };
}

onOwnCluster('the node is Ready, knows its version, and has GPUs of a product', async () => {
  const { metadata, status } = JSON.parse(await cluster.kubectl(['get', 'node', nodeName, '--output', 'json'])) as Node;
  expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  expect(status.allocatable['nvidia.com/gpu']).toBe(String(gpuCount));
  expect(metadata.labels['nvidia.com/gpu.product']).toBe(gpuProduct);
  expect(status.nodeInfo.kubeletVersion).toMatch(/^v1\.\d+\.\d+$/);
});

onOwnCluster(
  'GPUs are counted: a Job that finds none left waits, and runs when the others are given back',
  async () => {
    const workloads = workloadsIn(cluster, namespace.name);
    const limits = { 'nvidia.com/gpu': String(gpuCount) };
    const container = (script: string) => ({ image: cluster.busyboxImage, command: ['sh', '-c', script], limits });
    await workloads.create(
      // Its end would end the `touch` beside it as well.
      jobOf({ name: 'first', container: container('while [ ! -e /tmp/go ]; do sleep 0.1; done; sleep 2') }),
    );
    const running = await eventually('the first runs', 60, async () => {
      const [pod] = await workloads.podsOf('first');
      return pod?.status.phase === 'Running' ? pod : null;
    });
    await workloads.create(jobOf({ name: 'second', container: container('true') }));
    const refused = await eventually('the second is told why it waits', 60, async () => {
      const [pod] = await workloads.podsOf('second');
      return pod?.status.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False') ?? null;
    });
    expect(refused).toMatchObject({
      reason: 'Unschedulable',
      message: expect.stringContaining('Insufficient nvidia.com/gpu') as string,
    });
    await cluster.kubectl(['--namespace', namespace.name, 'exec', running.metadata.name, '--', 'touch', '/tmp/go']);
    expect(await workloads.endOf('first', 30)).toMatchObject({ type: 'Complete' });
    expect(await workloads.endOf('second', 60)).toMatchObject({ type: 'Complete' });
  },
);

onOwnCluster(
  'a component that is killed stays away until it is started anew, and a Job that ran meanwhile completes',
  async () => {
    const places = cluster.own as SlotPlaces;
    const workloads = workloadsIn(cluster, namespace.name);
    const script = 'until [ -e /store/go ]; do sleep 0.1; done';
    const volumeClaim = namespace.volumeClaim;
    await workloads.create(
      jobOf({
        name: 'meanwhile',
        container: { image: cluster.busyboxImage, command: ['sh', '-c', script], volumeClaim },
      }),
    );
    await eventually('it runs', 60, async () => (await workloads.podsOf('meanwhile'))[0]?.status.phase === 'Running');
    await killDaemon(places, 'kube-apiserver');
    try {
      await expect(cluster.kubectl(['get', '--raw', '/readyz'])).rejects.toThrow(/refused|reset/);
      await writeFile(join(namespace.volumeFolder ?? '', 'go'), '');
    } finally {
      await startDaemon(places, 'kube-apiserver');
    }
    // The controllers come back late: they wait longer after each failure.
    expect(await workloads.endOf('meanwhile', 120)).toMatchObject({ type: 'Complete' });
  },
);
