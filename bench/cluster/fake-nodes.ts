/**
 * Nodes that only pretend, beside the cluster's real one: kwok says that they are Ready and that their pods run. Their GPUs are counted.
 *
 * Pods get there by a node selector and a toleration. Does not cover the end of a pod: nothing runs in it, so whoever measures ends it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SlotPlaces } from '../../test/cluster/machine/places.ts';
import { fillIn } from '../../test/cluster/node/configuration.ts';
import { addDaemon } from '../../test/cluster/node/daemons.ts';
import type { TestCluster } from '../../test/cluster/test-bed.ts';

const annotation = 'kwok.x-k8s.io/node';
/** kwok is the kubelet of all of them: the API server asks it for logs. */
const port = 10247;

/** What the pods of a profile need to get there, as a patch of its pod template. */
export const onFakeNodes = {
  spec: { nodeSelector: { [annotation]: 'fake' }, tolerations: [{ key: annotation, operator: 'Exists' }] },
};

/** Starts kwok and makes `count` nodes; resolves when they are Ready. */
export async function addFakeNodes(
  cluster: TestCluster,
  { places, kwok, count }: { readonly places: SlotPlaces; readonly kwok: string; readonly count: number },
): Promise<void> {
  const stages = join(places.folder, 'kwok-stages.yaml');
  const logFile = join(places.folder, 'fake-pod.log');
  writeFileSync(logFile, 'nothing runs in this pod\n');
  const template = readFileSync(join(import.meta.dirname, 'conf', 'kwok-stages.yaml'), 'utf8');
  writeFileSync(stages, fillIn(template, { LOG_FILE: logFile }));
  await addDaemon(places, 'kwok', [
    kwok,
    `--kubeconfig=${places.kubeconfig}`,
    `--config=${stages}`,
    '--manage-all-nodes=false',
    `--manage-nodes-with-annotation-selector=${annotation}=fake`,
    '--node-lease-duration-seconds=40',
    `--node-ip=${places.nodeAddress}`,
    `--node-port=${String(port)}`,
    `--server-address=${places.nodeAddress}:${String(port)}`,
    // The API server asks any kubelet by the node's address, which this certificate is for.
    `--tls-cert-file=${join(places.keys, 'kubelet-serving.crt')}`,
    `--tls-private-key-file=${join(places.keys, 'kubelet-serving.key')}`,
  ]);
  const nodes = Array.from({ length: count }, (_, index) => nodeOf(`fake-${String(index + 1)}`));
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: nodes });
  await cluster.kubectl(['create', '--filename', '-'], list);
  await cluster.kubectl(['wait', '--for=condition=Ready', 'node', `--selector=${annotation}=fake`, '--timeout=120s']);
}

function nodeOf(name: string): object {
  const resources = { cpu: '1k', memory: '100Ti', pods: '1000', 'nvidia.com/gpu': '1000' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { [annotation]: 'fake' },
      labels: { [annotation]: 'fake', 'kubernetes.io/hostname': name },
    },
    spec: { taints: [{ key: annotation, value: 'fake', effect: 'NoSchedule' }] },
    status: { allocatable: resources, capacity: resources },
  };
}
