/**
 * `temper doctor` on a real cluster: where everything is there it says so, and of each thing that is taken away it says that it is missing,
 * with a command that, run as it was printed, brings it back.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { doctorLabel, labels } from '../../k8s/labels.ts';
import { eventually } from '../support/eventually.ts';
import { makeAccount } from './account.ts';
import { type DoctorBed, makeDoctorBed } from './doctor-bed.ts';
import { gpuProduct } from './node/components.ts';
import { gpuCount } from './node/start-components.ts';
import { readTestCluster } from './test-bed.ts';

const cluster = readTestCluster();
let bed: DoctorBed;

beforeAll(async () => {
  bed = await makeDoctorBed(cluster);
});
afterAll(() => bed.close());

const kubectl = (...args: readonly string[]) => cluster.kubectl(['--namespace', bed.namespace, ...args]);
const create = (object: object) =>
  cluster.kubectl(['--namespace', bed.namespace, 'create', '-f', '-'], JSON.stringify(object));
const saying = (text: string) => expect.stringContaining(text) as string;
const nothingIsLeft = async (): Promise<void> => {
  await eventually(
    'its Jobs are gone',
    60,
    async () => (await kubectl('get', 'jobs', '-l', doctorLabel, '-o', 'name')) === '',
  );
  expect((await readdir(bed.store)).filter((name) => name.includes('doctor'))).toEqual([]);
};

test('where everything is there it ends with 0, and leaves nothing', async () => {
  const { exitCode, checks, errors } = await bed.examine(
    { jobs: { default: { image: cluster.trainerImage } } },
    { words: ['tiny'] },
  );
  const bad = checks.filter(({ verdict }) => verdict !== 'ok');
  expect({ errors, bad }).toMatchObject({
    errors: '',
    // Nobody runs a worker here.
    bad: [
      { name: 'temporal', verdict: 'not-checked', what: saying('no Temporal server answers') },
      { name: 'node memory', verdict: 'not-checked', what: saying('no Temporal server answers') },
    ],
  });
  expect(exitCode).toBe(0);
  expect(checks.at(-1)).toMatchObject({ name: 'store', what: saying('each read what the other wrote') });
  await nothingIsLeft();
});

test('all that is not there is told at once, and the commands that are printed, run, bring it', async () => {
  const priorityClass = bed.namespace;
  const changes = {
    jobs: { default: { image: cluster.busyboxImage, gpus: 1 } },
    store: { claim: 'gone', path: bed.store },
    serviceAccount: 'trainer',
    priorityClass,
    imagePullSecrets: ['registry'],
    secrets: { HF_TOKEN: { name: 'hub', key: 'token' } },
    queue: { kueue: 'research' },
    gpu: { product: 'NVIDIA-H100' },
  };
  const { exitCode, checks } = await bed.examine(changes);
  const lacking = checks.filter(({ verdict }) => verdict === 'missing');
  expect([exitCode, lacking.map(({ name, what }) => [name, what])]).toEqual([
    69,
    [
      ['store claim', 'there is no claim gone'],
      ['account', 'there is no service account trainer'],
      ['priority', `there is no priority class ${priorityClass}`],
      ['pull secret', 'there is no secret registry, which images are pulled with'],
      ['secret', 'there is no secret hub (its key token is used)'],
      ['queue', 'Kueue is not installed, and the profile names its queue research'],
      ['nodes', `default asks for nodes with nvidia.com/gpu.product=NVIDIA-H100, and the nodes have: ${gpuProduct}`],
    ],
  ]);
  // No pod is made that would not come up.
  expect(checks.at(-1)).toMatchObject({ name: 'store', verdict: 'not-checked' });
  try {
    // Kueue comes from the internet.
    for (const { name, mend } of lacking) if (mend?.command && name !== 'queue') await bed.run(mend.command);
    const again = await bed.examine(changes);
    expect(again.checks.filter(({ verdict }) => verdict === 'missing').map(({ name }) => name)).toEqual([
      'queue',
      'nodes',
    ]);
    // The cluster has no storage class: a claim without a volume of its own would wait for ever.
    const bound = () => kubectl('get', 'pvc', 'gone', '-o', 'jsonpath={.status.phase}');
    await eventually('the claim is bound', 60, async () => (await bound()) === 'Bound');
  } finally {
    await kubectl('delete', 'priorityclass', priorityClass, '--ignore-not-found');
    await kubectl('delete', 'pvc/gone', '--ignore-not-found');
    await kubectl('delete', `pv/${bed.namespace}-gone`, '--ignore-not-found');
  }
});

test.each([
  {
    title: 'a template that Pod Security refuses',
    changes: { podTemplate: { spec: { hostNetwork: true } } },
    want: { name: 'pods', what: 'violates PodSecurity "restricted' },
    after: () =>
      kubectl('label', '--overwrite', 'namespace', bed.namespace, 'pod-security.kubernetes.io/enforce=restricted'),
  },
  {
    title: 'a quota that is too small',
    before: () => kubectl('create', 'quota', 'small', '--hard=limits.memory=32Mi,count/jobs.batch=9'),
    changes: {},
    want: { name: 'quota', what: 'asks for 0.1 GiB of limits.memory, and quota small allows' },
    after: () => kubectl('delete', 'quota', 'small'),
  },
])('$title: its command lets the jobs in', async ({ changes, want, before, after }) => {
  await before?.();
  try {
    const first = await bed.examine(changes);
    expect([first.exitCode, first.trouble(want.name)]).toMatchObject([
      69,
      { verdict: 'missing', what: saying(want.what) },
    ]);
    await bed.run(first.trouble(want.name)?.mend?.command ?? 'false');
    expect((await bed.examine(changes)).trouble(want.name)?.verdict).not.toBe('missing');
  } finally {
    await after();
  }
});

test('of a namespace that is not there its command is told, and nothing of what is in it', async () => {
  const namespace = `${bed.namespace}-other`;
  const { exitCode, checks, trouble } = await bed.examine({ namespace });
  expect([exitCode, checks.map(({ name }) => name)]).toEqual([
    69,
    ['temporal', 'node memory', 'version', 'namespace', 'nodes', 'store'],
  ]);
  await bed.run(trouble('namespace')?.mend?.command ?? 'false');
  await kubectl('delete', 'namespace', namespace);
});

test('jobs that fit on no node, and templates that are none, are named with what they ask for', async () => {
  const needs = { image: cluster.busyboxImage, memory: '64Mi' };
  const { exitCode, checks } = await bed.examine({
    jobs: { default: needs, sft: { gpus: gpuCount * 2 }, drgrpo: { gpus: gpuCount, nodes: 2 } },
    podTemplate: { spec: { dnsPolicie: 'None' } },
  });
  const lacking = checks.filter(({ verdict }) => verdict === 'missing');
  expect([exitCode, lacking]).toMatchObject([
    69,
    [
      { name: 'jobs', what: saying('unknown field "spec.template.spec.dnsPolicie"') },
      { name: 'pods', what: saying('unknown field "spec.dnsPolicie"') },
      {
        name: 'nodes',
        what: `sft asks for ${String(gpuCount * 2)} nvidia.com/gpu a pod, and the largest node has ${String(gpuCount)} nvidia.com/gpu`,
      },
      { name: 'nodes', what: 'drgrpo needs 2 pods at once, and there is room for 1' },
    ],
  ]);
});

test('what only a pod can tell is told by one: an image, a mount, a key of a secret', async () => {
  const elsewhere = join(bed.folder, 'elsewhere');
  await mkdir(elsewhere);
  await kubectl('create', 'secret', 'generic', 'keyless', '--from-literal=other=x');
  const [image, folder, gone, key] = await Promise.all([
    bed.examine({ jobs: { default: { image: 'registry.invalid/none:1' } } }),
    bed.examine({ store: { claim: 'store', path: elsewhere } }),
    bed.examine({ store: { claim: 'store', path: join(bed.store, 'gone') } }),
    bed.examine({ secrets: { HF_TOKEN: { name: 'keyless', key: 'token' } } }),
  ]);
  expect([image, folder, gone, key].map(({ exitCode }) => exitCode)).toEqual([69, 69, 69, 69]);
  expect(image.trouble('image')).toMatchObject({ verdict: 'missing', what: saying('ImagePull') });
  expect(folder.trouble('store')).toMatchObject({ verdict: 'missing', what: saying('they see different folders') });
  expect(gone.trouble('store')).toMatchObject({ verdict: 'missing', what: saying('this machine has no folder') });
  expect(key.trouble('store')).toMatchObject({
    verdict: 'missing',
    what: saying("CreateContainerConfigError: couldn't find key token"),
  });
  await nothingIsLeft();
});

test('a claim that one pod may use is missing; one that one node may use will do where there is one node', async () => {
  const claim = (name: string, mode: string) =>
    create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: { accessModes: [mode], resources: { requests: { storage: '1Gi' } }, storageClassName: 'none' },
    });
  await claim('one-pod', 'ReadWriteOncePod');
  await claim('one-node', 'ReadWriteOnce');
  const onePod = await bed.examine({ store: { claim: 'one-pod', path: bed.store } });
  expect([onePod.exitCode, onePod.trouble('store claim')]).toMatchObject([
    69,
    { verdict: 'missing', what: saying('ReadWriteOncePod') },
  ]);
  const oneNode = await bed.examine({ store: { claim: 'one-node', path: bed.store } }, { words: ['--timeout', '2'] });
  expect(oneNode.trouble('store claim')).toMatchObject({ verdict: 'warning', what: saying('one node') });
});

test('with half the rights, those that are missing are named; their command brings them, and the rest is not checked', async () => {
  const { namespace } = bed;
  const kubeconfig = await makeAccount(cluster, { namespace, name: 'half', file: join(bed.folder, 'half') });
  await kubectl('create', 'role', 'half', '--verb=get,list,watch', '--resource=jobs,pods');
  await kubectl('create', 'rolebinding', 'half', '--role=half', `--serviceaccount=${namespace}:half`);
  const half = await bed.examine({}, { kubeconfig });
  expect(half.exitCode).toBe(69);
  expect(half.checks.filter(({ name, verdict }) => name === 'rights' && verdict !== 'ok')).toMatchObject([
    { verdict: 'missing', what: saying(`system:serviceaccount:${namespace}:half may not create, patch, delete jobs`) },
    { verdict: 'missing', what: saying('may not get pods/log') },
    { verdict: 'warning', what: saying('may not list, watch events') },
  ]);
  const service = saying('you may not read services, and you may not create it');
  expect(half.trouble('service')).toMatchObject({ verdict: 'warning', what: service });
  await bed.run(half.trouble('rights')?.mend?.command ?? 'false');

  const whole = await bed.examine({}, { kubeconfig });
  expect(whole.trouble('rights')).toBeUndefined();
  expect(whole.exitCode).toBe(0);
  expect(whole.checks.at(-1)).toMatchObject({ name: 'store', verdict: 'ok' });
  // What a worker may not read is never called fine.
  const unread = whole.checks.filter(
    ({ name, verdict }) => verdict === 'not-checked' && !['temporal', 'node memory'].includes(name),
  );
  expect(unread.map(({ name }) => name)).toEqual(['namespace', 'store claim', 'account', 'pods', 'nodes', 'quota']);
  for (const { what } of unread) expect(what).toContain('you may not ');
});

test('Ctrl-C takes away the Job and the folder; the Job is none that a worker takes for an attempt', async () => {
  await bed.writeProfile('site', { podTemplate: { spec: { schedulingGates: [{ name: 'example.com/later' }] } } });
  const doctor = bed.start();
  const made = await eventually('its Job is there', 60, async () => {
    const { items } = JSON.parse(await kubectl('get', 'jobs', '-l', doctorLabel, '-o', 'json')) as {
      items: { metadata: { labels: object }; spec: object }[];
    };
    return items[0] ?? null;
  });
  expect(made.metadata.labels).not.toHaveProperty([labels.managed]);
  // Of a doctor that is killed, they take it away.
  expect(made.spec).toMatchObject({ activeDeadlineSeconds: 180, ttlSecondsAfterFinished: 60 });
  expect(await doctor.stop()).toMatchObject({ exitCode: 130, errors: saying('nothing of it is left') });
  await nothingIsLeft();
});

test('a pod that is not up in time is not checked, and what was waited for is said', async () => {
  const gates = { podTemplate: { spec: { schedulingGates: [{ name: 'example.com/later' }] } } };
  const { trouble } = await bed.examine(gates, { words: ['--timeout', '2'] });
  expect(trouble('store')).toMatchObject({ verdict: 'not-checked', what: saying('SchedulingGated') });
  await nothingIsLeft();
});

test('an API server that does not answer is named', async () => {
  const kubeconfig = join(bed.folder, 'nowhere');
  await bed.run(
    `kubectl config view --raw --minify > ${kubeconfig} && kubectl --kubeconfig ${kubeconfig} config set-cluster "$(kubectl config view --minify -o 'jsonpath={.clusters[0].name}')" --server=https://127.0.0.1:9`,
  );
  const { exitCode, checks } = await bed.examine({}, { kubeconfig });
  // Nothing else of it is told.
  const ofCluster = checks.filter(({ name }) => name !== 'temporal');
  const server = { name: 'server', verdict: 'missing', what: saying('127.0.0.1:9') };
  expect([exitCode, ofCluster]).toMatchObject([69, [server]]);
});
