/**
 * The worker in the cluster, installed by Helm under its own ServiceAccount: it runs a pipeline to its end, while it is evicted and upgraded;
 * and it may do what k8s/rights.ts says but for the Service that the chart makes, nothing else. What it leaves when the release goes.
 */
import { resourceText, rightsWhereMade } from '../../k8s/rights.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { careless, shortRecipe } from '../support/short-recipe.ts';
import { type ChartBed, makeChartBed } from './chart-bed.ts';
import { manifestsFolder } from './helm/chart.ts';
import { processesOfAttempt, processesOfJob, signalAll } from './pod-processes.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
const aBase = { ...careless, 'phases.base.params.steps': 60 };
let bed: ChartBed;
let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres();
  const begun = performance.now();
  bed = await makeChartBed(cluster, 'chart');
  await bed.apply('install');
  console.log(`installed and ready after ${seconds(begun)} s, the image and the server included`);
}, 900_000);
afterAll(async () => {
  await bed.close();
  await postgres.close();
}, 180_000);

const seconds = (begun: number) => ((performance.now() - begun) / 1000).toFixed(1);

interface Job {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status: { readonly active?: number };
}

async function jobs(): Promise<readonly Job[]> {
  return (JSON.parse(await bed.kubectl('get', 'jobs', '--output', 'json')) as { items: Job[] }).items;
}

/** The one whose pod runs. */
async function runningJob(): Promise<Job> {
  const running = (await jobs()).filter(({ status }) => status.active === 1);
  expect(running).toHaveLength(1);
  return running[0] as Job;
}

/** As a drain of its node does. */
async function evict(pod: string): Promise<void> {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace: bed.namespace } };
  const path = `/api/v1/namespaces/${bed.namespace}/pods/${pod}/eviction`;
  await cluster.kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(body));
}

test('a pipeline goes to its end with the worker inside, which is evicted and upgraded meanwhile: its job runs on, once', async () => {
  const pipeline = await bed.start('charted', await shortRecipe(['base', 'sft'], aBase));
  // Held in the middle of its work for as long as the workers change.
  signalAll(processesOfAttempt(await bed.saved('charted', 'base')), 'SIGSTOP');
  const job = await runningJob();

  const [first = ''] = await bed.workers(1);
  let begun = performance.now();
  await evict(first);
  const [second = ''] = await bed.workers(1, [first]);
  console.log(`the next worker is ready ${seconds(begun)} s after the eviction`);

  begun = performance.now();
  await bed.apply('upgrade', { podAnnotations: { 'example.com/changed': 'once' } });
  await bed.workers(1, [first, second]);
  console.log(`upgraded and ready after ${seconds(begun)} s`);
  expect((await runningJob()).metadata.uid).toBe(job.metadata.uid);

  signalAll(processesOfJob(job.metadata.uid), 'SIGCONT');
  const { promoted } = await pipeline.result();
  expect(promoted.map(({ outcome }) => outcome.state)).toEqual(['completed', 'completed']);
  const ended = await jobs();
  expect(ended.map(({ metadata: { uid } }) => uid)).toContain(job.metadata.uid);
  expect(ended.map(({ metadata: { name } }) => name.slice(-3))).toEqual(['-a1', '-a1']);
}, 420_000);

interface Rules {
  readonly status: { readonly resourceRules: readonly { readonly verbs: string[]; readonly resources: string[] }[] };
}

/** What everybody who is logged in may do. */
const everybodys = [
  'selfsubjectaccessreviews',
  'selfsubjectrulesreviews',
  'selfsubjectreviews',
  'clustertrustbundles',
  'podcertificaterequests',
];

test('its account may do what the table of rights says in its namespace, and nothing else', async () => {
  const as = ['--as', `system:serviceaccount:${bed.namespace}:temper-worker`];
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    spec: { namespace: bed.namespace },
  };
  const answer = await cluster.kubectl(
    ['create', '--validate=false', '--output', 'json', '--filename', '-', ...as],
    JSON.stringify(review),
  );
  const { resourceRules } = (JSON.parse(answer) as Rules).status;
  const may = resourceRules.flatMap(({ verbs, resources }) =>
    resources.flatMap((one) => verbs.map((verb) => `${verb} ${one}`)),
  );
  const own = may.filter((right) => !everybodys.includes(right.split(' ')[1] ?? ''));
  const granted = rightsWhereMade({}).flatMap((right) => right.verbs.map((verb) => `${verb} ${resourceText(right)}`));
  expect(own.sort()).toEqual([...granted, 'get services'].sort());

  expect(await bed.kubectl('get', 'jobs', '--output', 'name', ...as)).toContain('job.batch/t-charted-base-');
  const exec = `/api/v1/namespaces/${bed.namespace}/pods/${(await bed.workers(1)).join('')}/exec?command=true`;
  for (const asked of [
    ['get', 'secrets', '--namespace', bed.namespace],
    ['delete', 'pods', '--all', '--namespace', bed.namespace],
    ['create', '--raw', exec, '--filename', '-'],
    ['get', 'jobs', '--namespace', 'default'],
    ['get', 'jobs', '--all-namespaces'],
    ['get', 'nodes'],
    ['get', 'services', '--namespace', bed.namespace],
  ])
    await expect(cluster.kubectl([...asked, ...as])).rejects.toThrow(/forbidden/i);
});

test('the plain manifests are taken by the API server, as they are', async () => {
  await cluster.kubectl(['create', 'namespace', 'temper']);
  try {
    const said = await cluster.kubectl(['apply', '--kustomize', manifestsFolder, '--dry-run=server']);
    const lines = said.trim().split('\n');
    expect(lines).toContain('deployment.apps/temper-worker created (server dry run)');
    expect(lines.filter((line) => !line.endsWith(' created (server dry run)'))).toEqual([]);
  } finally {
    await cluster.kubectl(['delete', 'namespace', 'temper']);
  }
});

test('uninstalled, it leaves the job that runs, what the job needs, and the claims; installed again, it goes on with them', async () => {
  const pipeline = await bed.start('left', await shortRecipe(['base'], { ...aBase, seed: 2 }));
  signalAll(processesOfAttempt(await bed.saved('left', 'base')), 'SIGSTOP');
  const job = await runningJob();
  await bed.helm(['uninstall', 'temper', '--wait']);
  expect((await bed.kubectl('get', 'deployments,roles,rolebindings', '--output', 'name')).trim()).toBe('');
  const left = await bed.kubectl(
    'get',
    'services,persistentvolumeclaims,serviceaccounts,networkpolicies',
    '--output',
    'name',
  );
  for (const name of [
    'service/temper-workers',
    'persistentvolumeclaim/store',
    'persistentvolumeclaim/temper-ledger',
    'serviceaccount/temper-trainer',
    'networkpolicy.networking.k8s.io/temper-trainers',
  ])
    expect(left).toContain(`${name}\n`);
  expect((await runningJob()).metadata.uid).toBe(job.metadata.uid);
  expect(job.metadata.name).toMatch(/^t-left-base-/);

  await bed.apply('install');
  signalAll(processesOfJob(job.metadata.uid), 'SIGCONT');
  expect((await pipeline.result()).promoted.map(({ outcome }) => outcome.state)).toEqual(['completed']);
  const made = (await jobs()).map(({ metadata }) => metadata).filter(({ name }) => name.startsWith('t-left-'));
  expect(made.map(({ uid }) => uid)).toEqual([job.metadata.uid]);
}, 300_000);

test('two workers share a ledger in PostgreSQL, of which one may be evicted at a time', async () => {
  const address = await bed.reach(Number(new URL(postgres.address).port));
  const secret = `--from-literal=address=postgresql://temper@${address}/temper`;
  await bed.kubectl('create', 'secret', 'generic', 'ledger', secret);
  await bed.apply('upgrade', { replicas: 2, ledger: { postgres: { name: 'ledger', key: 'address' } } });
  const [one = '', other = ''] = await bed.workers(2);
  const pipeline = await bed.start('shared', await shortRecipe(['base'], { ...aBase, seed: 3 }));
  await bed.saved('shared', 'base');

  await evict(one);
  await expect(evict(other)).rejects.toThrow(/disruption budget/);
  await bed.workers(2, [one]);
  expect((await pipeline.result()).promoted.map(({ outcome }) => outcome.state)).toEqual(['completed']);
}, 300_000);
