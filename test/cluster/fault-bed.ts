/** A job bed whose backends reach the API server through proxies that go wrong as the test says. */
import { createKubeClient, type KubeClient } from '../../k8s/kube-client.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type JobBed, makeJobBed } from './job-bed.ts';
import { type JobWitness, watchJobs } from './job-witness.ts';
import type { TestCluster } from './test-bed.ts';

export interface FaultBed extends JobBed {
  readonly witness: JobWitness;
  /** One of its own, and a client that knows no other server. */
  proxied(): Promise<{ readonly proxy: FaultProxy; readonly client: KubeClient }>;
}

export async function makeFaultBed(cluster: TestCluster, purpose: string): Promise<FaultBed> {
  const bed = await makeJobBed(cluster, purpose);
  const witness = await watchJobs(cluster.kubeconfig, bed.namespace);
  const proxies: FaultProxy[] = [];
  return {
    ...bed,
    witness,
    async proxied() {
      const proxy = await startFaultProxy(cluster.kubeconfig);
      proxies.push(proxy);
      return { proxy, client: clientOf(proxy.kubeconfig) };
    },
    async close() {
      witness.close();
      await bed.close();
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
  };
}

/** The client reads the environment once, when it is made. */
function clientOf(kubeconfig: string): KubeClient {
  const before = process.env['KUBECONFIG'];
  process.env['KUBECONFIG'] = kubeconfig;
  try {
    return createKubeClient();
  } finally {
    process.env['KUBECONFIG'] = before;
  }
}
