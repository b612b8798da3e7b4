/**
 * The same chains of steps through Argo Workflows: a Workflow for each chain, its controller with the defaults that it ships with, in a
 * namespace of its own, with the rights of its own namespace install.
 */
import type { KubeClient } from '../../k8s/kube-client.ts';
import type { SlotPlaces } from '../../test/cluster/machine/places.ts';
import { addDaemon, killDaemon } from '../../test/cluster/node/daemons.ts';
import { importImage } from '../../test/cluster/node/start-components.ts';
import type { TestCluster } from '../../test/cluster/test-bed.ts';
import { eventually } from '../../test/support/eventually.ts';
import { makeAccount, type Rights } from './accounts.ts';
import { seeChainPods } from './chain-pods.ts';
import { stepName, stepScript, stepsOfChain } from './chain-step.ts';
import type { Contender } from './contender.ts';
import { type Argo, argoExecutorImage, argoVersion } from './controllers.ts';

const namespace = 'argo-chains';
const group = 'argoproj.io';
const chainLabel = `workflows.${group}/workflow`;
const all = ['create', 'get', 'list', 'watch', 'update', 'patch', 'delete', 'deletecollection'];
const mostSeconds = 900;

/** Of manifests/namespace-install, less what chains of pods do not need. */
const rightsOfController: readonly Rights[] = [
  { apiGroups: [''], resources: ['pods', 'pods/exec', 'persistentvolumeclaims', 'events'], verbs: all },
  { apiGroups: [''], resources: ['configmaps', 'serviceaccounts', 'secrets'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [group], resources: ['*'], verbs: all },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: all },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: all },
];
/** Each step's pod says how it ended. */
const rightsOfStep: readonly Rights[] = [
  { apiGroups: [group], resources: ['workflowtaskresults'], verbs: ['create', 'patch'] },
];

export async function argoChains(
  { cluster, places, argo }: { readonly cluster: TestCluster; readonly places: SlotPlaces; readonly argo: Argo },
  client: KubeClient,
): Promise<Contender> {
  await importImage(places, argo.executor);
  await cluster.kubectl(['create', 'namespace', namespace]);
  await cluster.kubectl(['create', ...argo.definitions.map((file) => `--filename=${file}`)]);
  await cluster.kubectl(['create', 'configmap', 'workflow-controller-configmap', '--namespace', namespace]);
  const machine = { cluster, places };
  const controller = await makeAccount(machine, { name: 'argo', namespace }, rightsOfController);
  const step = await makeAccount(machine, { name: 'argo-step', namespace }, rightsOfStep);
  await addDaemon(places, 'argo', [
    'env',
    'LEADER_ELECTION_DISABLE=true',
    argo.controller,
    `--kubeconfig=${controller.kubeconfig}`,
    '--namespaced',
    `--namespace=${namespace}`,
    `--managed-namespace=${namespace}`,
    `--executor-image=${argoExecutorImage}`,
    '--executor-image-pull-policy=Never',
    '--loglevel=warn',
  ]);
  const pods = seeChainPods({
    client,
    namespace,
    labelSelector: chainLabel,
    container: 'main',
    chainOf: ({ metadata }) => metadata.labels?.[chainLabel] ?? null,
  });
  await pods.started();
  return {
    name: `Argo Workflows ${argoVersion}`,
    daemons: ['argo'],
    users: [controller.user, step.user],
    pods,
    async run(names) {
      const items = names.map((name) => workflowOf(name, cluster.busyboxImage));
      await cluster.kubectl(['create', '--filename', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      await eventually('every chain of Argo has ended', mostSeconds, async () => {
        const asked = ['get', 'workflows', '--namespace', namespace, '--output', 'json', '--request-timeout=30s'];
        const { items: found } = JSON.parse(await cluster.kubectl(asked)) as { items: readonly Workflow[] };
        const ours = found.filter(({ metadata }) => names.includes(metadata.name));
        const failed = ours.find(({ status }) => ['Failed', 'Error'].includes(status?.phase ?? ''));
        if (failed) throw new Error(`${failed.metadata.name}: ${failed.status?.message ?? 'failed'}`);
        return ours.length === names.length && ours.every(({ status }) => status?.phase === 'Succeeded');
      });
    },
    async close() {
      pods.close();
      await killDaemon(places, 'argo');
    },
  };
}

interface Workflow {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly phase?: string; readonly message?: string };
}

function workflowOf(name: string, image: string): object {
  const numbers = Array.from({ length: stepsOfChain }, (_, index) => index + 1);
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: 'Workflow',
    metadata: { name, namespace },
    spec: {
      entrypoint: 'chain',
      serviceAccountName: 'argo-step',
      templates: [
        { name: 'chain', steps: numbers.map((number) => [{ name: stepName(number), template: stepName(number) }]) },
        ...numbers.map((number) => ({
          name: stepName(number),
          container: {
            image,
            imagePullPolicy: 'IfNotPresent',
            command: ['sh', '-c', stepScript],
          },
        })),
      ],
    },
  };
}
