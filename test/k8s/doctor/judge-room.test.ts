/** Whether there is room: nodes, quotas, and what the server lets in. */
import { by, type Case, found, gpus, judge, named, node, saying, unreadable } from './cluster-facts.ts';

const quota = (hard: Record<string, string>, used: Record<string, string> = {}, spec: object = {}) =>
  found([{ ...named('team'), spec, status: { hard, used } }]);

const cases: readonly Case[] = [
  {
    title: 'nodes that may not be read',
    facts: { nodes: unreadable('list nodes') },
    want: { name: 'nodes', verdict: 'not-checked', what: saying('you may not list nodes') },
  },
  {
    title: 'nodes without any label of a product',
    facts: { nodes: found([node({ labels: {} })]) },
    profile: { ...gpus({ gpus: 1 }), gpu: { product: 'H100' } },
    want: { name: 'nodes', verdict: 'missing', what: saying('no node has any such label') },
  },
  {
    title: 'a node of the product that takes no pods',
    facts: { nodes: found([node({ spec: { unschedulable: true } })]) },
    profile: { ...gpus({ gpus: 1 }), gpu: { product: 'H100' } },
    want: { name: 'nodes', verdict: 'missing' },
  },
  {
    title: 'taints that nothing tolerates',
    facts: { nodes: found([node({ spec: { taints: [{ key: 'team', value: 'b', effect: 'NoSchedule' }] } })]) },
    want: { name: 'nodes', verdict: 'missing', what: saying('all that fit are tainted (team=b:NoSchedule)') },
  },
  {
    title: 'the taint of GPU nodes, which jobs with GPUs tolerate',
    facts: { nodes: found([node({ spec: { taints: [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }] } })]) },
    profile: gpus({ gpus: 8 }),
    want: { name: 'nodes', verdict: 'ok', what: 'each pod fits on one of 1 nodes (up to 8 nvidia.com/gpu a pod)' },
  },
  {
    title: 'no GPUs at all',
    facts: { nodes: found([node({ gpus: '0' })]) },
    profile: gpus({ gpus: 1 }),
    want: {
      name: 'nodes',
      verdict: 'missing',
      what: saying('no node has any'),
      mend: { change: saying('device plugin') },
    },
  },
  {
    title: 'more GPUs than a node has',
    facts: {},
    profile: gpus({ gpus: 16 }),
    want: {
      name: 'nodes',
      verdict: 'missing',
      mend: { change: saying('ask for 8 nvidia.com/gpu at most in `jobs.default.gpus`') },
    },
  },
  {
    title: 'more memory than a node has',
    facts: {},
    profile: gpus({ memory: '2Ti' }),
    want: {
      name: 'nodes',
      what: 'default asks for 2048 GiB of memory a pod, and the largest node has 1800 GiB of memory',
    },
  },
  {
    title: 'what a patch of the template asks for',
    facts: {},
    profile: {
      podTemplate: { spec: { containers: [{ name: 'trainer', resources: { limits: { 'rdma/ib': '1' } } }] } },
    },
    want: { name: 'nodes', verdict: 'missing', what: 'default asks for 1 rdma/ib a pod, and no node has any' },
  },
  {
    title: 'three nodes of GPUs where there are two',
    facts: {},
    profile: gpus({ gpus: 8, nodes: 3 }),
    want: { name: 'nodes', verdict: 'missing', what: 'default needs 3 pods at once, and there is room for 2' },
  },
  {
    title: 'a quota that could never do',
    facts: { quotas: quota({ 'requests.nvidia.com/gpu': '8' }) },
    profile: gpus({ gpus: 8, nodes: 2 }),
    want: { name: 'quota', verdict: 'missing', mend: by(`'{"spec":{"hard":{"requests.nvidia.com/gpu":"16"}}}'`) },
  },
  {
    title: 'a quota that others use now',
    facts: { quotas: quota({ 'requests.memory': '4Gi' }, { 'requests.memory': '3Gi' }) },
    profile: gpus({ memory: '2Gi' }),
    want: { name: 'quota', verdict: 'warning', what: saying('1 GiB of requests.memory free now') },
  },
  {
    title: 'a quota of some pods only',
    facts: { quotas: quota({ pods: '0' }, {}, { scopes: ['BestEffort'] }) },
    want: { name: 'quota', verdict: 'not-checked' },
  },
  {
    title: 'quotas that may not be read',
    facts: { quotas: unreadable('list resourcequotas') },
    want: { name: 'quota', verdict: 'not-checked' },
  },
  {
    title: 'pods that may not be tried',
    facts: { admission: [{ title: 'sft', job: null, pod: unreadable('create pods') }] },
    want: { name: 'pods', verdict: 'not-checked' },
  },
  {
    title: 'pods that a webhook refuses',
    facts: {
      admission: [{ title: 'sft', job: null, pod: found('admission webhook "x" denied the request: no latest') }],
    },
    want: { name: 'pods', verdict: 'missing', what: saying('a pod of sft is refused: admission webhook "x" denied') },
  },
];

test.each(cases)('$title', ({ facts: changes, profile, want }) => {
  expect(judge(changes, profile)).toContainEqual(expect.objectContaining(want));
});
