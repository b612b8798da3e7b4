/** What is left on a cluster is named: each kind of thing that the next test would meet, and nothing once it is gone. */
import { testWhere } from '../support/test-where.ts';
import { eventually } from '../support/eventually.ts';
import { changesBetween, snapshotOfCluster } from './cluster-snapshot.ts';
import type { SlotPlaces } from './machine/places.ts';
import { nodeName } from './node/components.ts';
import { hangDaemon } from './node/daemons.ts';
import { readTestCluster } from './test-bed.ts';
import { podSpec } from './workloads.ts';

const cluster = readTestCluster();
const onOwnCluster = testWhere(cluster.own === null ? 'a foreign cluster, which others change too' : null);
const places = cluster.own as SlotPlaces;
const kubectl = (args: readonly string[], input = '') => cluster.kubectl(args, input);
const create = (object: object) => kubectl(['create', '--filename', '-'], JSON.stringify(object));
const signalled = (daemon: string, signal: 'SIGSTOP' | 'SIGCONT') => {
  hangDaemon(places, daemon, signal);
  return Promise.resolve();
};
const spec = podSpec({ image: cluster.busyboxImage, command: ['sleep', '600'] });

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'leftovers.temper.test' },
  spec: {
    group: 'temper.test',
    scope: 'Cluster',
    names: { plural: 'leftovers', singular: 'leftover', kind: 'Leftover' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

onOwnCluster.each<{
  title: string;
  leave: () => Promise<unknown>;
  want: readonly string[];
  mend: () => Promise<unknown>;
}>([
  {
    title: 'a priority class',
    leave: () => kubectl(['create', 'priorityclass', 'left', '--value=1']),
    want: ['+ priorityclasses/left'],
    mend: () => kubectl(['delete', 'priorityclass', 'left']),
  },
  {
    title: 'a kind of objects and one of them',
    leave: async () => {
      await create(definition);
      await kubectl(['wait', '--for=condition=Established', `crd/${definition.metadata.name}`, '--timeout=60s']);
      await create({ apiVersion: 'temper.test/v1', kind: 'Leftover', metadata: { name: 'one' } });
    },
    want: ['+ customresourcedefinitions/leftovers.temper.test', '+ leftovers/one'],
    mend: () => kubectl(['delete', 'crd', definition.metadata.name]),
  },
  {
    title: 'a pod in a namespace that was there',
    leave: () => create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'left' }, spec }),
    want: ['+ pods/default/left'],
    mend: () => kubectl(['delete', 'pod', 'left', '--now']),
  },
  {
    title: 'a node that was cordoned and has another label',
    leave: async () => {
      await kubectl(['cordon', nodeName]);
      await kubectl(['label', 'node', nodeName, 'temper.test/left=yes']);
    },
    want: [
      '+ label of the node: temper.test/left=yes',
      '+ taint of the node: node.kubernetes.io/unschedulable:NoSchedule',
      '+ the node is cordoned',
    ],
    mend: async () => {
      await kubectl(['uncordon', nodeName]);
      await kubectl(['label', 'node', nodeName, 'temper.test/left-']);
    },
  },
  {
    title: 'a process that was stopped',
    leave: () => signalled('kube-scheduler', 'SIGSTOP'),
    want: [
      expect.stringMatching(/^\+ process kube-scheduler is stopped: /) as string,
      expect.stringMatching(/^- process kube-scheduler runs: /) as string,
    ],
    mend: () => signalled('kube-scheduler', 'SIGCONT'),
  },
])('$title', async ({ leave, want, mend }) => {
  const before = await snapshotOfCluster(places);
  const changes = async () => changesBetween(before, await snapshotOfCluster(places));
  try {
    await leave();
    // Some of it follows by itself.
    const seen = await eventually('all of it is seen', 60, async () => {
      const all = await changes();
      return all.length === want.length && all;
    });
    expect(seen).toEqual(want);
  } finally {
    await mend();
  }
  await eventually('nothing is seen', 60, async () => (await changes()).length === 0);
});

test('what was on its way out before is of the tests before; what is on its way out now is still left', () => {
  const before = ['namespaces/default', 'namespaces/theirs (being deleted)'];
  expect(changesBetween(before, ['namespaces/default'])).toEqual([]);
  expect(changesBetween(before, before)).toEqual([]);
  expect(changesBetween(before, [...before, 'namespaces/ours (being deleted)'])).toEqual([
    '+ namespaces/ours (being deleted)',
  ]);
});
