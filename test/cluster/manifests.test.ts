/** Every golden manifest is one that the real API server takes, its pods in a namespace with Pod Security `restricted`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repository } from '../../scripts/repository.ts';
import { makeNamespace, readTestCluster, type TestNamespace } from './test-bed.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly template?: {
      readonly metadata: object;
      readonly spec: { readonly [field: string]: unknown; priorityClassName?: string; serviceAccountName?: string };
    };
  };
}

const cluster = readTestCluster();
const golden = join(repository, 'test', 'k8s', 'golden');
let namespace: TestNamespace;

beforeAll(async () => {
  namespace = await makeNamespace(cluster, 'manifests');
});
afterAll(() => namespace.remove());

/** Answers as the server would, and changes nothing. */
const dryRun = (object: object) =>
  cluster.kubectl(['create', '--dry-run=server', '--validate=strict', '-o', 'name', '-f', '-'], JSON.stringify(object));

/** What a site has of its own is not part of what is asked here: its accounts and classes. */
function podOf({ metadata, spec }: Manifest) {
  const { priorityClassName: _class, serviceAccountName: _account, ...pod } = spec.template?.spec ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...spec.template?.metadata, name: metadata.name, namespace: namespace.name },
    spec: pod,
  };
}

test.each(await readdir(golden))('%s', async (file) => {
  const manifests = parseAllDocuments(await readFile(join(golden, file), 'utf8')).map(
    (each) => each.toJS() as Manifest,
  );
  for (const manifest of manifests) {
    const { metadata, kind } = manifest;
    const placed = { ...manifest, metadata: { ...metadata, namespace: namespace.name } };
    expect((await dryRun(placed)).trim()).toBe(`${kind === 'Job' ? 'job.batch' : 'service'}/${metadata.name}`);
    // A Job that violates Pod Security is created all the same; only its pods are refused.
    if (kind === 'Job') expect((await dryRun(podOf(manifest))).trim()).toBe(`pod/${metadata.name}`);
  }
});

test('a template that Pod Security forbids, or with a field that is none, does not pass', async () => {
  const [, job] = parseAllDocuments(await readFile(join(golden, 'tiny-on-cluster.yaml'), 'utf8')).map(
    (each) => each.toJS() as Manifest,
  );
  if (job === undefined) throw new Error('the second manifest is a Job');
  const pod = podOf(job);
  await expect(dryRun({ ...pod, spec: { ...pod.spec, hostNetwork: true } })).rejects.toThrow(
    /violates PodSecurity "restricted/,
  );
  await expect(
    dryRun({ ...job, metadata: { ...job.metadata, namespace: namespace.name }, spec: { ...job.spec, complations: 1 } }),
  ).rejects.toThrow(/unknown field "spec\.complations"/);
});
