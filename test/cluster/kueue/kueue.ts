/**
 * Kueue on a cluster of the tests, as one of its processes: started by the tests that need it, and ended by them, since every Job of the
 * cluster passes its webhooks while it is there.
 *
 * Covers Jobs. The webhooks of other kinds are left out: nobody answers for kinds that Kueue was not told to manage.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { eventually } from '../../support/eventually.ts';
import { buildContext } from '../machine/kept-build.ts';
import type { SlotPlaces } from '../machine/places.ts';
import { makeCertificate } from '../node/certificates.ts';
import { addDaemon, brokenDaemons, killDaemon, logTail } from '../node/daemons.ts';
import type { TestCluster } from '../test-bed.ts';
import { ensureKueue } from './build.ts';

const daemon = 'kueue';
const port = 9444;
const readySeconds = 60;
const kinds = ['clusterqueue', 'job', 'resourceflavor', 'workload'];
const group = 'kueue.x-k8s.io/v1beta2';

interface WebhookConfiguration {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly {
    readonly name: string;
    readonly clientConfig: { readonly service: { readonly path: string } };
  }[];
}

/** Resolves when Kueue answers. */
export async function startKueue(cluster: TestCluster, places: SlotPlaces): Promise<void> {
  const kueue = await ensureKueue(buildContext(process.env, (line) => process.stderr.write(`${line}\n`)));
  for (const definition of kueue.definitions)
    await cluster.kubectl(['apply', '--server-side', '--filename', definition]);
  await cluster.kubectl(['wait', '--for=condition=Established', 'customresourcedefinitions', '--all', '--timeout=60s']);
  await cluster.kubectl(['create', 'namespace', 'kueue-system']).catch(ignoreExisting);
  const folder = join(places.folder, 'kueue');
  mkdirSync(folder, { recursive: true });
  await makeCertificate(places.keys, {
    name: 'kueue',
    subject: '/CN=kueue',
    servesAs: [`IP:${places.nodeAddress}`],
  });
  for (const [from, to] of Object.entries({ crt: 'tls.crt', key: 'tls.key' }))
    writeFileSync(join(folder, to), readFileSync(join(places.keys, `kueue.${from}`)));
  writeFileSync(join(folder, 'config.yaml'), stringify(configurationOf(places, folder)));
  await addDaemon(places, daemon, commandOf(places, { program: kueue.program, folder }));
  const items = webhooksOf(places, kueue.webhooks);
  await cluster.kubectl(['apply', '--filename', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const flavor = { apiVersion: group, kind: 'ResourceFlavor', metadata: { name: 'default' } };
  await eventually('Kueue answers', readySeconds, () =>
    cluster.kubectl(['apply', '--filename', '-'], JSON.stringify(flavor)).catch(() => {
      if (brokenDaemons(places).includes(daemon)) throw new Error(`Kueue ended:\n${logTail(places, daemon)}`);
      return null; // not listening yet
    }),
  );
}

/** Takes it away with its kinds and all that is of them, while it runs: it alone takes its marks off. Resolves when the API knows none. */
export async function stopKueue(cluster: TestCluster, places: SlotPlaces): Promise<void> {
  const webhooks = ['mutatingwebhookconfiguration', 'validatingwebhookconfiguration'];
  for (const kind of webhooks) await cluster.kubectl(['delete', kind, daemon, '--ignore-not-found']);
  const found = await cluster.kubectl(['get', 'customresourcedefinitions', '--output', 'name']);
  const definitions = found.split('\n').filter((name) => name.endsWith('.kueue.x-k8s.io'));
  const gone = ['--ignore-not-found', '--wait=true', '--timeout=60s'];
  if (definitions.length > 0) await cluster.kubectl(['delete', ...definitions, ...gone]);
  await cluster.kubectl(['delete', 'namespace', 'kueue-system', ...gone]);
  await eventually('the API knows no kind of Kueue', 60, async () => {
    return !(await cluster.kubectl(['get', '--raw', '/apis'])).includes('"kueue.x-k8s.io"');
  });
  await killDaemon(places, daemon);
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && error.message.includes('AlreadyExists'))) throw error;
}

function configurationOf({ nodeAddress }: SlotPlaces, folder: string): object {
  return {
    apiVersion: 'config.kueue.x-k8s.io/v1beta2',
    kind: 'Configuration',
    health: { healthProbeBindAddress: '127.0.0.1:18082' },
    metrics: { bindAddress: '127.0.0.1:18444' },
    webhook: { host: nodeAddress, port, certDir: folder },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: false },
    integrations: { frameworks: ['batch/job'] },
  };
}

/** It reads certificates at one fixed path below /etc, which it finds on a layer that it alone sees. */
function commandOf(
  { folder: cluster, kubeconfig }: SlotPlaces,
  { program, folder }: { readonly program: string; readonly folder: string },
): readonly string[] {
  const layer = join(cluster, 'layers', daemon);
  const script = [
    `mkdir -p ${layer}/upper ${layer}/work`,
    `mount -t overlay -o lowerdir=/etc,upperdir=${layer}/upper,workdir=${layer}/work overlay /etc`,
    'mkdir -p /etc/kueue/metrics',
    `ln -sfn ${folder} /etc/kueue/metrics/certs`,
    `exec ${program} --config ${join(folder, 'config.yaml')} --kubeconfig ${kubeconfig} --feature-gates=VisibilityOnDemand=false`,
  ].join('\n');
  return ['unshare', '--mount', 'sh', '-ec', script];
}

/** At an address of the node, since no Service of the cluster has one; under names of its own. */
function webhooksOf({ keys, nodeAddress }: SlotPlaces, text: string): readonly object[] {
  const caBundle = readFileSync(join(keys, 'ca.crt'), 'base64');
  return parseAllDocuments(text).map((document) => {
    const found = document.toJS() as WebhookConfiguration;
    const webhooks = found.webhooks
      .filter(({ name }) => kinds.some((kind) => name.slice(1) === `${kind}.kb.io`))
      .map((webhook) => {
        const url = `https://${nodeAddress}:${String(port)}${webhook.clientConfig.service.path}`;
        return { ...webhook, clientConfig: { url, caBundle } };
      });
    return { ...found, metadata: { name: daemon }, webhooks };
  });
}

/** A queue `training` in a namespace with so many GPUs, and of CPU and memory what nobody counts; higher priorities take places away. */
export async function makeQueue(cluster: TestCluster, namespace: string, gpus: number): Promise<void> {
  const quota = { cpu: '1000', memory: '1000Gi', 'nvidia.com/gpu': String(gpus) };
  const resources = Object.entries(quota).map(([name, nominalQuota]) => ({ name, nominalQuota }));
  const items = [
    {
      apiVersion: group,
      kind: 'ClusterQueue',
      metadata: { name: namespace },
      spec: {
        namespaceSelector: {},
        preemption: { withinClusterQueue: 'LowerPriority' },
        resourceGroups: [{ coveredResources: Object.keys(quota), flavors: [{ name: 'default', resources }] }],
      },
    },
    {
      apiVersion: group,
      kind: 'LocalQueue',
      metadata: { name: 'training', namespace },
      spec: { clusterQueue: namespace },
    },
    { apiVersion: group, kind: 'WorkloadPriorityClass', metadata: { name: 'urgent' }, value: 1000 },
  ];
  await cluster.kubectl(['apply', '--filename', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}
