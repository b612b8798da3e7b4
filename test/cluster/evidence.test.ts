/** What is kept of a job's end on a real cluster, when its pods and the Job itself are gone. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRef, JobSpec } from '../../activities/backend.ts';
import { classify } from '../../decisions/classify.ts';
import type { JobEvidence } from '../../decisions/job-evidence.ts';
import { createKubeClient } from '../../k8s/kube-client.ts';
import { readJobEvidence } from '../../store/job-evidence.ts';
import { evidence as endOf } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { type JobBed, makeJobBed, until } from './job-bed.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
const client = createKubeClient();
let bed: JobBed;
beforeAll(async () => {
  bed = await makeJobBed(cluster, 'evidence');
});
afterAll(async () => {
  await bed.close();
  await client.close();
});

const trap = 'trap "echo bye; exit 75" TERM; echo at work; while true; do sleep 0.1; done';
const jobs = () => `/apis/batch/v1/namespaces/${bed.namespace}/jobs`;
const remove = async (job: JobRef) => {
  await client.send({ method: 'DELETE', path: `${jobs()}/${job.name}`, body: { propagationPolicy: 'Background' } });
};
const podOf = async ({ name }: JobRef) => {
  const names = await cluster.kubectl([
    ...['--namespace', bed.namespace, 'get', 'pods', '--selector', `batch.kubernetes.io/job-name=${name}`],
    ...['--output', 'jsonpath={.items[*].metadata.name}'],
  ]);
  return names.trim();
};
const eventsWith = async (reason: string, words = '') => {
  const path = `/api/v1/namespaces/${bed.namespace}/events?fieldSelector=reason%3D${reason}`;
  const { items } = await client.send<{ items: readonly { message: string }[] }>({ method: 'GET', path });
  return items.filter(({ message }) => message.includes(words)).length;
};
/** When the Job itself is gone. */
const keptOf = async (spec: JobSpec): Promise<JobEvidence> => {
  await eventually('the Job is gone', 60, async () => {
    const { items } = await client.send<{ items: { metadata: { name: string } }[] }>({ method: 'GET', path: jobs() });
    return items.every(({ metadata }) => metadata.name !== spec.name);
  });
  const kept = await readJobEvidence(spec.directory);
  if (kept === null) throw new Error(`nothing was kept in ${spec.directory}`);
  return kept;
};
const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const containerRunning = (name: string, script: string) => ({
  name,
  image: cluster.busyboxImage,
  command: ['sh', '-c', script],
  securityContext: restricted,
});

/** Of what ends by itself: how it ended, and what is there when the Job has gone. */
async function endedAndGone(name: string, backend: ReturnType<JobBed['backendRunning']>) {
  const spec = await bed.spec(name);
  const job = await backend.submit(spec);
  const end = await until(backend, job, 'ended');
  if (end.state !== 'ended') throw new Error('it has not ended');
  await remove(job);
  const log = await readFile(join(spec.directory, 'log.txt'), 'utf8').catch(() => '');
  const verdict = classify(
    endOf()
      .withoutResult()
      .ranks(...end.ranks)
      .build(),
  );
  return { end, log, verdict, kept: await keptOf(spec) };
}

test('of an init container that failed: its name, its code and its log, which is the only word', async () => {
  const template = { spec: { initContainers: [containerRunning('fetch', 'echo no such bucket; exit 3')] } };
  const { end, log, verdict, kept } = await endedAndGone('t-init-a1', bed.backendPatched('echo never', template));
  expect(end.ranks).toMatchObject([
    { exitCode: null, lastLines: ['no such bucket'], beside: { name: 'fetch', isInit: true, exitCode: 3 } },
  ]);
  expect(log).toBe('no such bucket\n');
  expect(verdict).toMatchObject({ because: { rule: 'exit-code', container: 'fetch', exitCode: 3 } });
  expect(kept.pods[0]?.containers.map(({ name, state }) => `${name} ${String(state?.kind)}`)).toEqual([
    'fetch ended',
    'trainer waiting',
  ]);
});

test('of a program that is not there: the runtime’s words, and no retry', async () => {
  const { end, verdict, kept } = await endedAndGone('t-absent-a1', bed.backendRunning('', { command: ['/no/such'] }));
  expect(end.startedAt).toBeNull();
  expect(verdict).toMatchObject({ class: 'config', because: { reason: 'StartError' } });
  expect(kept.pods[0]?.containers[0]?.state).toMatchObject({
    exitCode: 128,
    message: expect.stringContaining('no such file or directory') as string,
    startedAt: null,
  });
});

test('of a sidecar out of memory under a trainer that ended with 0: which it was', async () => {
  const side = { ...containerRunning('side', 'tail /dev/zero'), resources: { limits: { memory: '20Mi' } } };
  const backend = bed.backendPatched('sleep 3', { spec: { containers: [side] } });
  const { verdict } = await endedAndGone('t-side-a1', backend);
  expect(verdict).toMatchObject({ class: 'config', because: { reason: 'OOMKilled', container: 'side' } });
});

test.each([
  {
    name: 'deleted',
    act: (pod: string) =>
      cluster.kubectl(['--namespace', bed.namespace, 'delete', 'pod', pod, '--force', '--grace-period=0']),
    want: { class: 'interrupted', because: { reason: 'PodDeleted' } },
    condition: [],
  },
  {
    name: 'evicted',
    act: (pod: string) =>
      client.send({
        method: 'POST',
        path: `/api/v1/namespaces/${bed.namespace}/pods/${pod}/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod } },
      }),
    want: { class: 'evicted', because: { reason: 'EvictionByEvictionAPI', says: 'Eviction API: evicting' } },
    condition: [{ type: 'DisruptionTarget' }],
  },
])('of a pod that is $name while it runs: who ended it, its last words, and the events', async ({ name, ...row }) => {
  const backend = bed.backendRunning(trap);
  const spec = await bed.spec(`t-${name}-a1`);
  const job = await backend.submit(spec);
  await until(backend, job, 'running');
  await row.act(await podOf(job));
  const end = await until(backend, job, 'ended');
  if (end.state !== 'ended') throw new Error('it has not ended');
  const verdict = classify(
    endOf()
      .withoutResult()
      .ranks(...end.ranks)
      .build(),
  );
  expect(verdict).toMatchObject(row.want);
  await remove(job);
  const { pods, events, conditions } = await keptOf(spec);
  expect(pods[0]?.conditions.filter(({ type }) => type === 'DisruptionTarget')).toMatchObject(row.condition);
  expect(conditions.map(({ type }) => type)).toContain('Failed');
  expect(events.map(({ reason }) => reason)).toContain('Killing');
});

test('of a job that Temper stops while it waits: what it waited for, though its pod never was more', async () => {
  const volume = { name: 'absent', configMap: { name: 'no-such-map' } };
  const trainer = { name: 'trainer', volumeMounts: [{ name: 'absent', mountPath: '/absent' }] };
  const backend = bed.backendPatched('echo never', { spec: { volumes: [volume], containers: [trainer] } });
  const spec = await bed.spec('t-waits-a1');
  const job = await backend.submit(spec);
  await until(backend, job, 'starting');
  // Its first try may only say that it has no configMaps of the namespace yet.
  const why = '"no-such-map" not found';
  await eventually('the kubelet says why', 120, async () => (await eventsWith('FailedMount', why)) > 0);
  await backend.stop(job, { reason: 'cancel', graceSeconds: 5 });
  const { pods, events } = await keptOf(spec);
  // The kubelet says of a container that it never made that it cannot find it.
  expect(pods).toMatchObject([
    { isGone: true, containers: [{ state: { reason: 'ContainerStatusUnknown', startedAt: null } }] },
  ]);
  expect(events.filter(({ reason }) => reason === 'FailedMount').map(({ message }) => message)).toContainEqual(
    expect.stringContaining(why),
  );
});

test('of a Job that somebody deletes under a worker: what was last seen', async () => {
  const backend = bed.backendRunning(trap);
  const spec = await bed.spec('t-gone-a1');
  const job = await backend.submit(spec);
  await until(backend, job, 'running');
  await remove(job);
  await until(backend, job, 'vanished');
  const { pods } = await eventually('it is kept', 60, () => readJobEvidence(spec.directory));
  expect(pods).toMatchObject([{ rank: 0, containers: [{ name: 'trainer' }] }]);
});

test('of pods that no admission lets in: the refusal, once, though each try has a name of its own', async () => {
  const backend = bed.backendPatched('echo never', { spec: { securityContext: { runAsUser: 0 } } });
  const spec = await bed.spec('t-refused-a1');
  const job = await backend.submit(spec);
  await eventually('it is refused twice', 60, async () => (await eventsWith('FailedCreate')) > 1);
  await backend.stop(job, { reason: 'cancel', graceSeconds: 1 });
  const { pods, events } = await keptOf(spec);
  expect(pods).toEqual([]);
  expect(events.filter(({ reason }) => reason === 'FailedCreate')).toMatchObject([
    { pod: null, message: expect.stringContaining('violates PodSecurity') as string },
  ]);
});
