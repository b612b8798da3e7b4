/**
 * Chains of steps through Temper: a pipeline for each chain, a phase for each step, real pods on the real node.
 *
 * A step's pod lasts until its result is there, which a stand-in writes half a second after the pod has begun, with a checkpoint and its
 * seal.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { KubeClient } from '../../k8s/kube-client.ts';
import { labels } from '../../k8s/labels.ts';
import { trainerContainer } from '../../k8s/pod-template.ts';
import type { SlotPlaces } from '../../test/cluster/machine/places.ts';
import { makeNamespace, type TestCluster } from '../../test/cluster/test-bed.ts';
import { workflowNames, type PipelineInput } from '../../workflows/contract.ts';
import { makeAccount, rightsOfWorker } from './accounts.ts';
import { seeChainPods } from './chain-pods.ts';
import { stepName, stepsOfChain } from './chain-step.ts';
import type { Contender } from './contender.ts';
import { startFleet } from './fleet.ts';
import { seeJobs } from './seen-jobs.ts';
import { startTemper, taskQueue } from './temper-on-cluster.ts';

const untilResult = 'until [ -e "${TEMPER_REQUEST%/*}/result.json" ]; do sleep 0.1; done';
const stepMilliseconds = 400;

export async function temperChains(
  { cluster, places }: { readonly cluster: TestCluster; readonly places: SlotPlaces },
  client: KubeClient,
): Promise<Contender> {
  const { name: namespace, volumeClaim: claim, volumeFolder: path } = await makeNamespace(cluster, 'chains');
  const account = await makeAccount({ cluster, places }, { name: 'temper-worker', namespace }, rightsOfWorker);
  const fleet = await startFleet(1);
  let seed = 0;
  const temper = await startTemper(places, {
    purpose: 'chains',
    kubeconfig: account.kubeconfig,
    profile: {
      backend: 'kubernetes',
      namespace,
      store: { claim, path },
      jobs: { default: { image: cluster.busyboxImage, command: ['sh', '-c', untilResult] } },
      graceSeconds: 5,
    },
  });
  const jobs = seeJobs(client, namespace, ({ directory, uid }) => {
    const request = join(directory, 'request.json');
    void fleet.begin(request, uid).then(async () => {
      await pause(stepMilliseconds);
      await fleet.finish(request);
    });
  });
  const pods = seeChainPods({
    client,
    namespace,
    labelSelector: `${labels.managed}=true`,
    container: trainerContainer,
    // Cut to what a label may be, which is whole for these names.
    chainOf: ({ metadata }) => metadata.labels?.[labels.pipeline] ?? null,
  });
  await Promise.all([jobs.started(), pods.started()]);
  return {
    name: 'Temper',
    daemons: ['temporal', 'worker'],
    users: [account.user],
    pods,
    async run(names) {
      const results = names.map(async (workflowId) => {
        const args = [{ recipe: recipeOf((seed += 1)) } satisfies PipelineInput];
        await temper.client.workflow.execute(workflowNames.pipeline, { workflowId, taskQueue, args });
      });
      await Promise.all(results);
    },
    async close() {
      jobs.close();
      pods.close();
      await Promise.all([fleet.close(), temper.close()]);
    },
  };
}

/** With a seed of its own, so that none is another's finished work. */
function recipeOf(seed: number): Record<string, unknown> {
  const params = { steps: 2, checkpointEvery: 2 };
  const [first, ...others] = Array.from({ length: stepsOfChain }, (_, index) => stepName(index + 1));
  const phases = [
    { name: first, kind: 'base', params },
    ...others.map((name) => ({
      name,
      kind: 'sft',
      data: { tiny: 'solutions' },
      params: { ...params, learningRate: 0.1, batchSize: 1 },
    })),
  ];
  return { name: 'chain', seed, model: { tiny: { seed } }, phases, onFailure: 'fail' };
}
