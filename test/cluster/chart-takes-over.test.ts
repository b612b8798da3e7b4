/** The chart in a namespace that was set up by hand, as the how-to of a cluster says: refused, and taken over where one says so. */
import { kubernetesProfileSchema } from '../../configs/schema-profile.ts';
import { rendezvousService } from '../../k8s/job-manifest.ts';
import { workerRole } from '../../k8s/rights.ts';
import { chartFolder, type Helm, openHelm } from './helm/chart.ts';
import { makeNamespace, readTestCluster, type TestNamespace } from './test-bed.ts';

const cluster = readTestCluster();
let namespace: TestNamespace;
let helm: Helm;

beforeAll(async () => {
  helm = await openHelm();
  namespace = await makeNamespace(cluster, 'by-hand');
}, 900_000);
afterAll(async () => {
  await namespace.remove();
  helm.close();
});

test('what is there by hand is refused, and with --take-ownership it is taken over', async () => {
  const { name, volumeClaim } = namespace;
  const jobs = { default: { image: 'registry.example/trainers:1' } };
  const store = { claim: volumeClaim, path: '/var/lib/temper/store' };
  const profile = kubernetesProfileSchema.parse({ name: 'mine', backend: 'kubernetes', namespace: name, store, jobs });
  const kubectl = (...args: string[]) => cluster.kubectl(['--namespace', name, ...args]);
  for (const object of [workerRole(profile), rendezvousService(profile)])
    await cluster.kubectl(['create', '--filename', '-'], JSON.stringify(object));
  await kubectl('create', 'serviceaccount', 'temper-worker');
  const binding = ['--role=temper-worker', `--serviceaccount=${name}:temper-worker`];
  await kubectl('create', 'rolebinding', 'temper-worker', ...binding);

  const values = {
    image: { repository: 'registry.example/temper-worker' },
    temporal: { address: 'temporal.example:7233' },
    store,
    profile: { jobs },
  };
  const install = ['install', 'temper', chartFolder, '--namespace', name, '--kubeconfig', cluster.kubeconfig];
  await expect(helm.helm(install, values)).rejects.toThrow(/exists and cannot be imported into the current release/);
  expect(await helm.helm([...install, '--take-ownership', '--force-conflicts'], values)).toContain('STATUS: deployed');
  for (const object of [
    'role/temper-worker',
    'rolebinding/temper-worker',
    'serviceaccount/temper-worker',
    'service/temper-workers',
  ]) {
    const owner = ['--output', 'jsonpath={.metadata.annotations.meta\\.helm\\.sh/release-name}'];
    expect(await kubectl('get', object, ...owner)).toBe('temper');
  }
});
