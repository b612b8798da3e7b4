/**
 * What the chart's values are, for Helm (values.schema.json) and for people (docs/reference/chart.md); and the rights that its Role is made from.
 *
 * The worker's profile is a profile of Kubernetes without what the chart knows itself. Does not cover the templates (k8s/deploy/chart).
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { kubernetesProfileSchema } from '../../configs/schema-profile.ts';
import { rights, rightsWhereMade, ruleOf } from '../../k8s/rights.ts';
import { fieldTable, type Shape } from './field-rows.ts';
import { generatedNote, page } from './recipe-page.ts';
import { repository } from '../repository.ts';

const ofProfile = kubernetesProfileSchema.shape;
const objectName = ofProfile.namespace;
/** Fields that are not set are empty texts in values.yaml. */
const nameOrNothing = z
  .string()
  .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/)
  .max(253);
const text = z.string();
const port = z.int().min(1).max(65_535);
const anything = z.record(z.string(), z.unknown());
const peers = z.array(anything);
const variables = ofProfile.environment;
const secretKey = z.strictObject({
  name: objectName.describe('Name of the Secret.'),
  key: z.string().min(1).describe('Its key that holds the value.'),
});

const claim = {
  storageClass: text
    .optional()
    .describe('StorageClass of the claim that is made; the cluster’s default unless named, none with a `volume`.'),
  volume: text
    .optional()
    .describe('Name of a PersistentVolume for the claim that is made, in a cluster without classes.'),
};

const account = (who: string) =>
  z.strictObject({
    create: z.boolean().optional().describe(`Whether it is made; where it is not, \`name\`, else \`default\`.`),
    name: nameOrNothing.optional().describe(`ServiceAccount of ${who}; by the release’s name unless named.`),
    annotations: z
      .record(z.string(), z.string())
      .optional()
      .describe('Of the account, such as those of a cloud’s identities.'),
  });

const {
  backend: _backend,
  context: _context,
  namespace: _namespace,
  store: _store,
  serviceAccount: _account,
  rendezvousService: _service,
  ledger: _ledger,
  ...profile
} = ofProfile;

/** Nothing is left out silently. */
const onlyWithTls = {
  if: { anyOf: ['serverName', 'ca', 'cert', 'key'].map((field) => ({ required: [field] })) },
  then: { properties: { enabled: { const: true } } },
};

const valuesSchema = z.strictObject({
  replicas: z.int().min(0).describe('Workers; more than one need `ledger.postgres`.'),
  image: z
    .strictObject({
      repository: z.string().min(1).describe('Of the worker’s image (k8s/deploy/image).'),
      tag: text.optional().describe('Its tag, and digest: `0.1.0@sha256:…`. The chart’s appVersion unless named.'),
      pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional().describe('When it is pulled.'),
    })
    .describe('What the worker runs.'),
  imagePullSecrets: z.array(objectName).optional().describe('Secrets that the worker’s image is pulled with.'),
  temporal: z
    .strictObject({
      address: z
        .string()
        .regex(/^[^\s:/]+:\d+$/, 'must be host:port')
        .describe('host:port of the Temporal server’s frontend.'),
      namespace: z.string().min(1).optional().describe('Of the Temporal server.'),
      taskQueue: z.string().min(1).optional().describe('One for each profile: a worker serves one profile.'),
      uiUrl: text.optional().describe('Where people reach the Web UI: links in messages lead there.'),
      tls: z
        .strictObject({
          enabled: z.boolean().describe('Whether the server is spoken to by TLS.'),
          serverName: text
            .optional()
            .describe('The name in the server’s certificate, where it is not that of the address.'),
          ca: secretKey.optional().describe('Who signed it; the public authorities unless named.'),
          cert: secretKey.optional().describe('The worker’s own certificate, for mutual TLS.'),
          key: secretKey.optional().describe('Its key.'),
        })
        .optional()
        .meta({
          description: 'Read when the worker starts: restart it when a certificate was renewed.',
          ...onlyWithTls,
          dependencies: { cert: ['key'], key: ['cert'] },
        }),
      apiKey: secretKey.optional().describe('Such as Temporal Cloud’s.'),
    })
    .describe('The server whose task queue the worker polls.'),
  profile: z
    .strictObject(profile)
    .describe('Where the worker’s jobs run: a profile of Kubernetes without what the chart knows itself.'),
  defaultRecipe: text.optional().describe('What an empty input, {}, starts; a recipe must be named unless this is.'),
  store: z
    .strictObject({
      path: ofProfile.store.shape.path,
      claim: nameOrNothing
        .optional()
        .describe(
          'PersistentVolumeClaim with the store (ReadWriteMany); one that outlives the release is made unless named.',
        ),
      subPath: text.optional().describe('Folder of the volume that is the store; the whole unless named.'),
      size: text.optional().describe('Of the claim that is made.'),
      ...claim,
    })
    .describe('Where runs and checkpoints lie: a volume that worker and pods share.'),
  ledger: z
    .strictObject({
      postgres: secretKey
        .optional()
        .describe('Where the address of a database is found, as postgresql://user:password@host:5432/database.'),
      sqlite: z
        .strictObject({
          claim: nameOrNothing
            .optional()
            .describe('PersistentVolumeClaim of the one worker; one that outlives the release is made unless named.'),
          accessMode: z
            .enum(['ReadWriteOnce', 'ReadWriteOncePod'])
            .describe(
              'Of the claim that is made: ReadWriteOncePod, where a CSI driver has it, keeps the successor of an evicted worker out until that one is gone; else the ledger’s locks do.',
            ),
          size: text.optional().describe('Of the claim that is made.'),
          ...claim,
        })
        .optional()
        .describe('Where the ledger lies without `postgres`. Never on a network filesystem.'),
    })
    .describe('SQLite for one worker, PostgreSQL for several.'),
  environment: variables.describe('Further environment variables of the worker, such as HTTPS_PROXY.'),
  secrets: z
    .record(z.string(), secretKey)
    .optional()
    .describe('Environment variables of the worker from Secrets, such as that of `profile.notify.slackWebhook.env`.'),
  healthPort: port.describe('Of /healthz, /readyz and /metrics.'),
  metrics: z
    .strictObject({ annotations: z.boolean().describe('Whether the pod carries prometheus.io/scrape, port and path.') })
    .describe('For Prometheus.'),
  serviceAccounts: z
    .strictObject({
      worker: account('the worker').describe('It gets the Role.'),
      trainer: account('the pods of jobs').describe('It gets no rights and no token.'),
    })
    .describe('Who the pods are.'),
  networkPolicy: z
    .strictObject({
      enabled: z
        .boolean()
        .describe(
          'Whether worker and jobs are held to the ports that they need, wherever these are unless said below. Turned off later, the policy of jobs stays until it is deleted.',
        ),
      apiServerPorts: z.array(port).describe('Of the API server, as pods reach it.'),
      postgresPort: port.describe('Of the ledger’s database.'),
      temporalTo: peers.describe('Where Temporal is (NetworkPolicyPeer); anywhere unless named.'),
      postgresTo: peers.describe('Where the database is (NetworkPolicyPeer); anywhere unless named.'),
      metricsFrom: peers.describe('Who may ask the health port (NetworkPolicyPeer); everybody unless named.'),
      workerEgress: peers.describe('Further rules of what the worker may reach (NetworkPolicyEgressRule).'),
      trainerEgress: peers.describe('Further rules of what jobs may reach, beside each other, DNS and port 443.'),
    })
    .describe('Where the cluster’s network enforces policies.'),
  resources: anything.describe('Of the worker’s container.'),
  priorityClass: nameOrNothing.optional().describe('Of the worker’s pod.'),
  nodeSelector: z.record(z.string(), z.string()).describe('Nodes for the worker.'),
  tolerations: peers.describe('Of the worker’s pod.'),
  affinity: anything.describe('Of the worker’s pod.'),
  podAnnotations: z.record(z.string(), z.string()).describe('Of the worker’s pod.'),
  terminationGracePeriodSeconds: z.int().min(15).describe('Seconds that the worker has to leave; it takes 10 at most.'),
  global: anything.optional().describe('What Helm hands to charts that lie in others; not read.'),
});

const severalWorkers = {
  if: { properties: { replicas: { minimum: 2 } } },
  then: { properties: { ledger: { required: ['postgres'] } } },
};

/** What stands in values.yaml is not asked for, and is said as the default. */
function withDefaults(shape: Shape, values: Readonly<Record<string, unknown>>): Shape {
  const { properties = {}, required = [] } = shape;
  const isSet = (key: string) => values[key] !== undefined && values[key] !== '';
  const below = Object.entries(properties).map(([key, one]): [string, Shape] => {
    const value = values[key];
    if (!isSet(key)) return [key, one];
    if (one.properties !== undefined && isGroup(value)) return [key, withDefaults(one, value)];
    return [key, { ...one, default: value }];
  });
  return { ...shape, properties: Object.fromEntries(below), required: required.filter((key) => !isSet(key)) };
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Files of the chart that are written from the code, by their path in the repository. */
export async function chartFiles(): Promise<[string, string][]> {
  const values = parse(await readFile(join(repository, 'k8s', 'deploy', 'chart', 'values.yaml'), 'utf8')) as object;
  const schema = withDefaults(
    z.toJSONSchema(valuesSchema, { target: 'draft-7', io: 'input', unrepresentable: 'any', reused: 'inline' }) as Shape,
    { ...values },
  );
  const always = rightsWhereMade({});
  const withQueue = rights.filter((right) => right.withQueue === true);
  const ruled = { always: always.map(ruleOf), withQueue: withQueue.map(ruleOf) };
  return [
    ['k8s/deploy/chart/values.schema.json', jsonText({ ...schema, ...severalWorkers })],
    ['k8s/deploy/chart/rights.json', jsonText(ruled)],
    ['docs/reference/chart.md', valuesPage(schema)],
  ];
}

const jsonText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

function valuesPage(schema: Shape): string {
  return page([
    generatedNote,
    '# Values of the chart',
    'What `helm install … k8s/deploy/chart --values mine.yaml` takes. What stands where nothing is named: ' +
      '[values.yaml](../../k8s/deploy/chart/values.yaml). How to use it: [install in the cluster](../how-to/install-in-the-cluster.md). ' +
      'Of `profile`, each field as in [a profile of Kubernetes](profile.md); `backend`, `context`, `namespace`, `store`, `serviceAccount`, ' +
      '`rendezvousService` and `ledger` are filled in by the chart.',
    fieldTable(schema, '', ['profile', 'global']),
  ]);
}
