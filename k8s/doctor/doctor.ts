/**
 * What a cluster lacks for the jobs of a profile: facts, then what they mean, then a short pod that tries the store.
 *
 * Covers the order, and that no pod is made where it would not come up. Does not cover the words (judge-*.ts).
 */
import type { KubernetesProfile } from '../../configs/schema-profile.ts';
import { TemperError } from '../../decisions/errors.ts';
import { type HealthCheck, isHealthy, missing, notChecked } from '../../decisions/health-check.ts';
import type { KubeClient } from '../kube-client.ts';
import { asTemperError } from '../kube-error.ts';
import type { Job } from '../kube-types.ts';
import { kubectl } from './commands.ts';
import { type ClusterFacts, gatherFacts } from './facts.ts';
import { judgeNamespace, judgeRights, judgeService, judgeVersion } from './judge-access.ts';
import { judgeAdmission } from './judge-admission.ts';
import { judgeNodes } from './judge-nodes.ts';
import { judgeObjects } from './judge-objects.ts';
import { judgeQuota } from './judge-quota.ts';
import { judgeStore } from './judge-store.ts';
import { probeStore } from './store-probe.ts';
import { type JobWish, wishOf } from './wish.ts';

export interface DoctorOrder {
  readonly client: KubeClient;
  readonly profile: KubernetesProfile;
  /** Every job that is meant to run, as it would be submitted. */
  readonly jobs: readonly Job[];
  /** How long the pod that tries the store may take to come up. */
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Rejects when the signal comes; by then nothing that was made is left. */
export async function examineCluster(order: DoctorOrder): Promise<readonly HealthCheck[]> {
  const { client, profile } = order;
  const wishes = order.jobs.map(wishOf);
  let facts: ClusterFacts;
  try {
    facts = await untilStopped(gatherFacts(client, profile, wishes), order.signal);
  } catch (cause) {
    const error = asTemperError(cause, 'read the cluster');
    if (!(error instanceof TemperError)) throw error;
    return [missing('server', error.message, { command: kubectl(profile, 'cluster-info') })];
  }
  const checks = judgeFacts(facts, profile, wishes);
  return [...checks, ...(await storeChecks(order, checks, wishes))];
}

/** Nothing was made yet: what is under way may be left to itself. */
async function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
  signal.throwIfAborted();
  return await Promise.race([work, stopped]);
}

/** All that is known without making anything. Of a namespace that is not there nothing else is told. */
export function judgeFacts(facts: ClusterFacts, profile: KubernetesProfile, wishes: readonly JobWish[]): HealthCheck[] {
  const access = [judgeVersion(facts), judgeNamespace(facts, profile)];
  const nodes = judgeNodes(facts, profile, wishes);
  if (facts.namespace.state === 'absent') return [...access, ...nodes];
  const images = [...new Set(wishes.map(({ image }) => image))];
  const objects = judgeObjects(facts, profile, images);
  const isComplete = isHealthy(objects.filter(({ name }) => name === 'account' || name === 'priority'));
  return [
    ...access,
    ...judgeRights(facts, profile),
    judgeService(facts, profile, wishes),
    ...objects,
    // What an absent account or class does to pods is told already.
    ...(isComplete ? judgeAdmission(facts, profile) : []),
    ...nodes,
    ...judgeQuota(facts, profile, wishes),
  ];
}

/** Without these no pod comes up, or none would be seen. */
const needed = [
  ...['version', 'namespace', 'rights', 'store claim', 'cache claim', 'account', 'priority', 'secret'],
  ...['jobs', 'pods', 'nodes'],
];

async function storeChecks(
  { client, profile, seconds, signal }: DoctorOrder,
  before: readonly HealthCheck[],
  wishes: readonly JobWish[],
): Promise<readonly HealthCheck[]> {
  const lacking = before.filter(({ name, verdict }) => needed.includes(name) && verdict === 'missing');
  if (lacking.length > 0) return [notChecked('store', 'no pod comes up before what is missing is there')];
  const ofImages = [...new Map(wishes.toReversed().map((wish) => [wish.image, wish])).values()].toReversed();
  return judgeStore(await probeStore({ client, profile, wishes: ofImages, seconds, signal }), profile);
}
