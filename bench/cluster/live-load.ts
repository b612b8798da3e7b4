/**
 * What many live phases are made of: pipelines that are started, the one whose phase has been live for the longest, and its end.
 *
 * Does not cover what is measured (live-phases.ts).
 */
import { join } from 'node:path';
import { podsPath } from '../../k8s/job-observer.ts';
import type { KubeClient } from '../../k8s/kube-client.ts';
import { trainerContainer } from '../../k8s/pod-template.ts';
import type { SlotPlaces } from '../../test/cluster/machine/places.ts';
import { workflowNames, type PipelineInput } from '../../workflows/contract.ts';
import type { Fleet } from './fleet.ts';
import type { SeenJob, SeenJobs } from './seen-jobs.ts';
import { taskQueue, type TemperOnCluster } from './temper-on-cluster.ts';

/** Each pipeline has this many phases: as many can end one after the other. */
const phasesOfPipeline = 6;
const startsAtOnce = 20;

export interface LiveBed {
  readonly temper: TemperOnCluster;
  readonly client: KubeClient;
  readonly namespace: string;
  readonly seen: SeenJobs;
  readonly fleet: Fleet;
  /** The worker's name in the audit log. */
  readonly user: string;
  readonly places: SlotPlaces;
}

/** Each goes on by itself to its first job. */
export async function startPipelines({ temper: { client } }: LiveBed, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1).values();
  const starter = async () => {
    for (const number of numbers) {
      const args = [{ recipe: recipeOf(number) } satisfies PipelineInput];
      await client.workflow.start(workflowNames.pipeline, { workflowId: `live-${String(number)}`, taskQueue, args });
    }
  };
  await Promise.all(Array.from({ length: startsAtOnce }, starter));
}

/** With a seed of its own, so that none is another's finished work. */
function recipeOf(seed: number): Record<string, unknown> {
  const params = { steps: 200, checkpointEvery: 200 };
  const more = Array.from({ length: phasesOfPipeline - 1 }, (_, index) => ({
    name: `sft-${String(index + 1)}`,
    kind: 'sft',
    data: { tiny: 'solutions' },
    params: { ...params, learningRate: 0.1, batchSize: 1 },
  }));
  return {
    name: 'live',
    seed,
    model: { tiny: { seed } },
    phases: [{ name: 'base', kind: 'base', params }, ...more],
    budgets: { waitMinutes: 600 },
  };
}

/** Jobs whose pod runs, the oldest first. */
export function runningIn({ seen }: LiveBed): readonly SeenJob[] {
  const running = [...seen.all.values()].filter(({ pod }) => Boolean(pod?.runningAt) && pod?.endedAt === null);
  return running.sort((one, other) => one.addedAt - other.addedAt);
}

/** The job of the phase after this one's, once it is there. */
export function nextOf({ seen }: LiveBed, { pipeline, addedAt }: SeenJob): SeenJob | undefined {
  return [...seen.all.values()].find((job) => job.pipeline === pipeline && job.addedAt > addedAt);
}

/** Its trainer writes what is left, then its pod is said to have ended: what a kubelet says of a container that has ended with 0. */
export async function endPhase({ client, fleet, namespace }: LiveBed, { directory, pod }: SeenJob): Promise<void> {
  await fleet.finish(join(directory, 'request.json'));
  const terminated = {
    exitCode: 0,
    reason: 'Completed',
    startedAt: wholeSeconds(pod?.runningAt ?? 0),
    finishedAt: wholeSeconds(Date.now()),
  };
  const common = { name: trainerContainer, ready: false, restartCount: 0, image: 'none', imageID: '' };
  const body = { status: { phase: 'Succeeded', containerStatuses: [{ ...common, state: { terminated } }] } };
  await client.send({ method: 'PATCH', path: `${podsPath(namespace)}/${pod?.name ?? ''}/status`, body });
}

/** As Kubernetes writes times. */
const wholeSeconds = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
