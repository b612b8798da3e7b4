/**
 * The chart as Helm renders it, without a cluster: what it refuses, what it makes of which values, and that nothing in it is a second source
 * of what the code says.
 */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { kubernetesProfileSchema } from '../../configs/schema-profile.ts';
import { rendezvousService } from '../../k8s/job-manifest.ts';
import { rightsWhereMade, ruleOf } from '../../k8s/rights.ts';
import { repository } from '../../scripts/repository.ts';
import { samplesOf } from '../docs/pages.ts';
import {
  chartFolder,
  type Helm,
  type KubeObject,
  manifestsFolder,
  openHelm,
  plainManifests,
  type Values,
} from './helm/chart.ts';
import { ensureBinaries } from './machine/binaries.ts';
import { buildContext } from './machine/kept-build.ts';
import { run } from './machine/programs.ts';

const least = {
  image: { repository: 'registry.example/temper-worker' },
  temporal: { address: 'temporal.example:7233' },
  profile: { jobs: { default: { image: 'registry.example/trainers:1' } } },
};
/** Of the Service that the chart makes. */
const sight = { apiGroups: [''], resources: ['services'], resourceNames: ['temper-workers'], verbs: ['get'] };
const postgres = { postgres: { name: 'ledger', key: 'address' } };

let helm: Helm;
beforeAll(async () => {
  helm = await openHelm();
}, 900_000);
afterAll(() => {
  helm.close();
});

async function rendered(values: Values = {}, ...options: readonly string[]) {
  const objects = await helm.render({ ...least, ...values }, ...options);
  return {
    names: objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`),
    only: (kind: string, name?: string) => {
      const found = objects.filter((one) => one.kind === kind && (name === undefined || one.metadata.name === name));
      expect(found).toHaveLength(1);
      return found[0] as KubeObject;
    },
  };
}

test.each([
  { title: 'two workers on SQLite', values: { replicas: 2 }, want: "'/ledger': missing property 'postgres'" },
  { title: 'no image', values: { image: {} }, want: "'/image': missing property 'repository'" },
  { title: 'no server', values: { temporal: {} }, want: "'/temporal': missing property 'address'" },
  { title: 'no jobs', values: { profile: {} }, want: "'/profile': missing property 'jobs'" },
  {
    title: 'a misspelt field of the profile',
    values: { profile: { ...least.profile, graceSecond: 5 } },
    want: "'/profile': additional properties 'graceSecond' not allowed",
  },
  {
    title: 'what the chart fills in itself',
    values: { profile: { ...least.profile, namespace: 'elsewhere' } },
    want: "'/profile': additional properties 'namespace' not allowed",
  },
  { title: 'a field that is not there', values: { replica: 1 }, want: "additional properties 'replica' not allowed" },
  {
    title: 'a key of TLS that would be left out',
    values: { temporal: { ...least.temporal, tls: { ca: { name: 'tls', key: 'ca.crt' } } } },
    want: "'/temporal/tls/enabled': value must be true",
  },
  {
    title: 'a certificate without its key',
    values: { temporal: { ...least.temporal, tls: { enabled: true, cert: { name: 'tls', key: 'tls.crt' } } } },
    want: "'/temporal/tls': properties 'key' required, if 'cert' exists",
  },
])('$title is refused, with the field', async ({ values, want }) => {
  await expect(helm.render({ ...least, ...values })).rejects.toThrow(want);
});

test('one worker: SQLite on a volume that one node has, upgraded only when the old one is gone, and free to be evicted', async () => {
  const { names, only } = await rendered();
  expect(names).not.toContainEqual(expect.stringContaining('PodDisruptionBudget'));
  expect(only('Deployment')).toMatchObject({ spec: { replicas: 1, strategy: { type: 'Recreate' } } });
  expect(only('PersistentVolumeClaim', 'temper-ledger')).toMatchObject({ spec: { accessModes: ['ReadWriteOnce'] } });
  expect(only('PersistentVolumeClaim', 'temper-store')).toMatchObject({ spec: { accessModes: ['ReadWriteMany'] } });
});

test('several: a database by its Secret, one goes at a time, and no volume for a ledger', async () => {
  const { names, only } = await rendered({ replicas: 2, ledger: postgres, store: { claim: 'shared' } });
  expect(only('PodDisruptionBudget')).toMatchObject({ spec: { maxUnavailable: 1 } });
  expect(only('Deployment')).toMatchObject({ spec: { replicas: 2, strategy: { type: 'RollingUpdate' } } });
  expect(names).not.toContainEqual(expect.stringContaining('PersistentVolumeClaim'));
  const text = JSON.stringify(only('Deployment'));
  expect(text).toContain('{"name":"TEMPER_LEDGER","valueFrom":{"secretKeyRef":{"name":"ledger","key":"address"}}}');
  expect(text).not.toContain('/var/lib/temper/ledger');
});

test.each([
  { title: 'without a queue', profile: least.profile },
  { title: 'with one', profile: { ...least.profile, queue: { kueue: 'research' } } },
])(
  '$title, its Role is that of k8s/rights.ts without the Service that the chart makes, and its profile one that a worker takes',
  async ({ profile }) => {
    const { only } = await rendered({ profile, ledger: postgres, replicas: 2 });
    const { data } = only('ConfigMap');
    const taken = kubernetesProfileSchema.parse(parse(data?.['cluster.yaml'] ?? ''));
    expect(taken).toMatchObject({ ...profile, namespace: 'temper', ledger: { postgres: { env: 'TEMPER_LEDGER' } } });
    const { rules } = only('Role');
    expect(rules).toEqual([...rightsWhereMade(taken).map(ruleOf), sight]);
    const { spec } = only('Service');
    expect(spec).toEqual(rendezvousService(taken).spec);
  },
);

test('what jobs need stays when the release goes', async () => {
  const { only } = await rendered();
  const kept = [
    only('Service', 'temper-workers'),
    only('ServiceAccount', 'temper-trainer'),
    only('PersistentVolumeClaim', 'temper-store'),
    only('PersistentVolumeClaim', 'temper-ledger'),
    only('NetworkPolicy', 'temper-trainers'),
  ];
  for (const { metadata } of kept) expect(metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
});

test('a server with TLS and a key: everything by reference to Secrets', async () => {
  const tls = { enabled: true, ca: { name: 'tls', key: 'ca.crt' }, serverName: 'temporal' };
  const temporal = { address: 'temporal.example:443', tls, apiKey: { name: 'cloud', key: 'token' } };
  const { only } = await rendered({ temporal });
  const text = JSON.stringify(only('Deployment'));
  for (const variable of ['TEMPORAL_API_KEY', 'TEMPORAL_TLS_SERVER_CA_CERT_DATA'])
    expect(text).toContain(`{"name":"${variable}","valueFrom":{"secretKeyRef":`);
  expect(text).toContain('{"name":"TEMPORAL_TLS_SERVER_NAME","value":"temporal"}');
  expect(JSON.stringify(only('NetworkPolicy', 'temper-worker'))).toContain('"port":443');
});

test('names that YAML would take for numbers or truths stay texts', async () => {
  const { only } = await rendered(
    {
      store: { claim: '12', subPath: '2024', path: '/store' },
      ledger: { sqlite: { claim: '0' } },
      defaultRecipe: 'on',
      priorityClass: '1e3',
      imagePullSecrets: ['007'],
      serviceAccounts: { worker: { create: false, name: '42' } },
      environment: { Y: 'no' },
    },
    '--namespace',
    '1234',
  );
  const deployment = only('Deployment');
  expect(deployment).toMatchObject({
    metadata: { namespace: '1234' },
    spec: {
      template: { spec: { serviceAccountName: '42', priorityClassName: '1e3', imagePullSecrets: [{ name: '007' }] } },
    },
  });
  const text = JSON.stringify(deployment);
  for (const part of [
    '"--recipe","on"',
    '"subPath":"2024"',
    '"claimName":"12"',
    '"claimName":"0"',
    '{"name":"Y","value":"no"}',
  ])
    expect(text).toContain(part);
  expect(only('RoleBinding')).toMatchObject({ subjects: [{ name: '42', namespace: '1234' }] });
});

test("an annotation of one's own counts before the chart's", async () => {
  const { only } = await rendered({ podAnnotations: { 'prometheus.io/port': '1', mine: 'yes' } });
  expect(only('Deployment')).toMatchObject({
    spec: {
      template: {
        metadata: { annotations: { 'prometheus.io/port': '1', 'prometheus.io/scrape': 'true', mine: 'yes' } },
      },
    },
  });
});

test('where Temporal and the database are may be said, and the ledger kept to one pod', async () => {
  const temporal = [{ ipBlock: { cidr: '10.1.0.0/16' } }];
  const database = [{ ipBlock: { cidr: '10.2.0.0/16' } }];
  const networkPolicy = { temporalTo: temporal, postgresTo: database };
  const { only } = await rendered({ networkPolicy, ledger: postgres });
  expect(only('NetworkPolicy', 'temper-worker').spec).toMatchObject({
    egress: expect.arrayContaining([
      { ports: [{ protocol: 'TCP', port: 7233 }], to: temporal },
      { ports: [{ protocol: 'TCP', port: 5432 }], to: database },
    ]) as unknown,
  });
  const alone = await rendered({ ledger: { sqlite: { accessMode: 'ReadWriteOncePod' } } });
  const claim = alone.only('PersistentVolumeClaim', 'temper-ledger');
  expect(claim).toMatchObject({ spec: { accessModes: ['ReadWriteOncePod'] } });
});

test('the plain manifests are what the chart renders: `npm run manifests` writes them', async () => {
  expect(await readFile(join(manifestsFolder, 'temper.yaml'), 'utf8')).toBe(await plainManifests(helm));
});

test('the overlay of the how-to is one that kubectl reads, and what it says is there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'temper-overlay-'));
  try {
    await symlink(repository, join(folder, 'temper'));
    await mkdir(join(folder, 'mine'));
    const page = await readFile(join(repository, 'docs', 'how-to', 'install-in-the-cluster.md'), 'utf8');
    for (const { text } of samplesOf(page)) {
      const [, file] = /^# (kustomization|profile)\.yaml\n/.exec(text) ?? [];
      if (file !== undefined) await writeFile(join(folder, 'mine', `${file}.yaml`), text);
    }
    const { kubectl } = await ensureBinaries(buildContext(process.env, () => undefined));
    const objects = parseAllDocuments(await run(kubectl, ['kustomize', join(folder, 'mine')])).map(
      (document) => document.toJS() as KubeObject,
    );
    const profile = objects.find(({ kind }) => kind === 'ConfigMap')?.data?.['cluster.yaml'] ?? '';
    expect(kubernetesProfileSchema.parse(parse(profile))).toMatchObject({
      rendezvousService: objects.find(({ kind }) => kind === 'Service')?.metadata.name,
      jobs: { default: { image: 'registry.mine/temper-trainers:0.1.0' } },
    });
    const worker = JSON.stringify(objects.find(({ kind }) => kind === 'Deployment'));
    for (const said of ['registry.mine/temper-worker:0.1.0', 'temporal.mine:7233']) expect(worker).toContain(said);
  } finally {
    await rm(folder, { recursive: true });
  }
}, 900_000);

test('its versions are those of Temper', async () => {
  const version = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { readonly version: string };
  const chart = parse(await helm.helm(['show', 'chart', chartFolder])) as Record<string, unknown>;
  expect(chart).toMatchObject({ version: version.version, appVersion: version.version });
});
