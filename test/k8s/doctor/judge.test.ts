/** Each fact of access and objects, and what doctor makes of it: nothing that is not known is ever called fine. */
import type { ClusterFacts } from '../../../k8s/doctor/facts.ts';
import {
  absent,
  by,
  type Case,
  claim,
  facts,
  found,
  gpus,
  judge,
  named,
  node,
  saying,
  unreadable,
} from './cluster-facts.ts';

const refusing = (resource: string, ...verbs: string[]) =>
  facts().rights.map(({ right }) => ({
    right,
    refused: right.resource === resource && !right.subresource ? verbs : [],
  }));
const queued = { queue: { kueue: 'research', priorityClass: 'high' } };
const kueue = (changes: Partial<NonNullable<ClusterFacts['queue']>> = {}) => ({
  apiVersion: 'kueue.x-k8s.io/v1beta2',
  localQueue: found({
    ...named('research'),
    spec: { clusterQueue: 'all' },
    status: { conditions: [{ type: 'Active', status: 'True' }] },
  }),
  priorityClass: found(named('high')),
  ...changes,
});

test('where nothing is missing, everything is fine', () => {
  expect(judge({}).filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
  expect(judge({ queue: kueue() }, queued).filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
});

const cases: readonly Case[] = [
  {
    title: 'an old cluster',
    facts: { version: { major: '1', minor: '30+', gitVersion: 'v1.30.9-gke.1' } },
    want: { name: 'version', verdict: 'missing', what: 'Kubernetes v1.30.9-gke.1, and 1.31 or newer is needed' },
  },
  {
    title: 'a namespace that may not be read',
    facts: { namespace: unreadable('read namespaces') },
    want: { name: 'namespace', verdict: 'not-checked', what: 'you may not read namespaces' },
  },
  {
    title: 'a context of the profile',
    facts: { serviceAccount: absent },
    profile: { context: 'gpu cluster' },
    want: { name: 'account', mend: by("kubectl --context 'gpu cluster' -n training create serviceaccount default") },
  },
  {
    title: 'a right that is refused',
    facts: { rights: refusing('jobs', 'patch', 'delete') },
    want: {
      name: 'rights',
      verdict: 'missing',
      what: saying('ada may not patch, delete jobs: submits an attempt'),
      mend: by(
        'temper render --setup --profile site | kubectl apply -f - &&\n  kubectl -n training create rolebinding temper-worker --role=temper-worker --user=ada',
      ),
    },
  },
  {
    title: 'a Service that may not be made, and is there',
    facts: { rights: refusing('services', 'create') },
    want: { name: 'rights', verdict: 'ok' },
  },
  {
    title: 'a Service that is not there and may not be made, where jobs have one pod',
    facts: { service: absent, rights: refusing('services', 'create') },
    want: { name: 'service', verdict: 'warning' },
  },
  {
    title: 'the same where a job has two',
    facts: { service: absent, rights: refusing('services', 'create') },
    profile: gpus({ nodes: 2 }),
    want: { name: 'service', verdict: 'missing', what: saying('the pods of default find each other by it') },
  },
  {
    title: 'the same where it may not be read',
    facts: { service: unreadable('read services'), rights: refusing('services', 'create') },
    profile: gpus({ nodes: 2 }),
    want: { name: 'service', verdict: 'not-checked' },
  },
  {
    title: 'a claim of one node, on two nodes',
    facts: { storeClaim: claim(['ReadWriteOnce']) },
    want: {
      name: 'store claim',
      verdict: 'missing',
      what: saying('is ReadWriteOnce'),
      mend: by('"name":"checkpoints-shared"'),
    },
  },
  {
    title: 'a claim of one node, on nobody knows how many',
    facts: { storeClaim: claim(['ReadWriteOnce']), nodes: unreadable('list nodes') },
    want: { name: 'store claim', verdict: 'missing' },
  },
  {
    title: 'a claim without a volume',
    facts: { storeClaim: claim(['ReadWriteMany'], 'Pending') },
    want: { name: 'store claim', verdict: 'warning', what: 'claim checkpoints has no volume yet' },
  },
  {
    title: 'a claim whose volume is lost',
    facts: { storeClaim: claim(['ReadWriteMany'], 'Lost') },
    want: { name: 'store claim', verdict: 'missing' },
  },
  {
    title: 'a cache claim that is not there',
    facts: { cacheClaim: absent },
    profile: { cache: { claim: 'hub', path: '/cache' } },
    want: { name: 'cache claim', verdict: 'missing', what: 'there is no claim hub' },
  },
  {
    title: 'a claim that is not there, where there are classes',
    facts: { storeClaim: absent },
    want: {
      name: 'store claim',
      verdict: 'missing',
      mend: {
        change:
          'name for CLASS a class whose volumes many nodes write to (ReadWriteMany); there are: standard, filestore',
        command: saying('"storageClassName":"CLASS"'),
      },
    },
  },
  {
    title: 'the same where classes may not be listed',
    facts: { storeClaim: absent, storageClasses: unreadable('list storageclasses') },
    want: {
      mend: { change: saying('where there is none, docs/how-to/run-on-a-cluster.md'), command: saying('"CLASS"') },
    },
  },
  {
    title: 'the same on several nodes without a class',
    facts: { storeClaim: absent, storageClasses: found([]) },
    want: {
      mend: { change: saying('of an NFS server, whose name'), command: saying('"nfs":{"server":"SERVER",') },
    },
  },
  {
    title: 'the same on one node without a class: its folder',
    facts: { storeClaim: absent, storageClasses: found([]), nodes: found([node()]) },
    want: {
      mend: { change: saying('the folder /store of the only node'), command: saying('"hostPath":{"path":"/store",') },
    },
  },
  {
    title: 'secrets that may not be read',
    facts: { secrets: [{ name: 'hub', key: 'token', reading: unreadable('read secrets') }] },
    want: {
      name: 'secret',
      verdict: 'not-checked',
      what: 'secret hub (its key token is used): you may not read secrets',
    },
  },
  {
    title: 'a pull secret for a registry with a port',
    facts: { secrets: [{ name: 'reg', key: null, reading: absent }] },
    profile: { jobs: { default: { image: 'localhost:5000/trainers:1' } } },
    want: { name: 'pull secret', verdict: 'missing', mend: by('--docker-server=localhost:5000') },
  },
  {
    title: 'a pull secret for Docker’s own names',
    facts: { secrets: [{ name: 'reg', key: null, reading: absent }] },
    profile: { jobs: { default: { image: 'team/trainers:1' } } },
    want: { mend: by('--docker-server=https://index.docker.io/v1/') },
  },
  {
    title: 'no such queue',
    facts: { queue: kueue({ localQueue: absent }) },
    profile: queued,
    want: {
      name: 'queue',
      verdict: 'missing',
      what: 'there is no LocalQueue research',
      mend: by('"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"LocalQueue"'),
    },
  },
  {
    title: 'a queue that is stopped',
    facts: {
      queue: kueue({
        localQueue: found({
          ...named('research'),
          spec: { clusterQueue: 'all' },
          status: {
            conditions: [{ type: 'Active', status: 'False', reason: 'ClusterQueueIsInactive', message: 'held' }],
          },
        }),
      }),
    },
    profile: queued,
    want: {
      name: 'queue',
      verdict: 'missing',
      what: 'LocalQueue research is not active (ClusterQueueIsInactive: held)',
    },
  },
  {
    title: 'no such priority in the queue',
    facts: { queue: kueue({ priorityClass: absent }) },
    profile: queued,
    want: { name: 'queue', verdict: 'missing', what: 'there is no workload priority class high' },
  },
];

test.each(cases)('$title', ({ facts: changes, profile, want }) => {
  expect(judge(changes, profile)).toContainEqual(expect.objectContaining(want));
});

test('of a namespace that is not there, nothing in it is asked for', () => {
  expect(judge({ namespace: absent, storeClaim: absent, admission: [] }).map(({ name }) => name)).toEqual([
    'version',
    'namespace',
    'nodes',
  ]);
});

test('what an absent priority class does to pods is told once', () => {
  const refused = 'pods "x" is forbidden: no PriorityClass with name high was found';
  const admission = [{ title: 'sft', job: null, pod: found(refused) }];
  const checks = judge({ priorityClass: absent, admission }, { priorityClass: 'high' });
  expect(checks.filter(({ verdict }) => verdict === 'missing').map(({ name }) => name)).toEqual(['priority']);
});
