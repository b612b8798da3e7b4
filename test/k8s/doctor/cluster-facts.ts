/** Facts of a cluster in which nothing is missing, with what a test changes, and what doctor makes of them. */
import type { HealthCheck } from '../../../decisions/health-check.ts';
import type { Node } from '../../../k8s/doctor/cluster-objects.ts';
import { judgeFacts } from '../../../k8s/doctor/doctor.ts';
import type { ClusterFacts } from '../../../k8s/doctor/facts.ts';
import { jobsOfProfile } from '../../../k8s/doctor/profile-jobs.ts';
import { wishOf } from '../../../k8s/doctor/wish.ts';
import { rightsFor } from '../../../k8s/rights.ts';
import { kubernetesProfile } from '../../support/kubernetes-profile.ts';

export const absent = { state: 'absent' } as const;
export const found = <T>(value: T) => ({ state: 'found', value }) as const;
export const unreadable = (what: string) => ({ state: 'unreadable', why: `you may not ${what}` }) as const;
export const named = (name: string, labels: Record<string, string> = {}) => ({ metadata: { name, labels } });

const product = 'nvidia.com/gpu.product';
export const node = (changes: { labels?: Record<string, string>; spec?: Node['spec']; gpus?: string } = {}): Node => ({
  ...named('node', changes.labels ?? { [product]: 'H100' }),
  spec: changes.spec ?? {},
  status: {
    allocatable: { cpu: '96', memory: '1800Gi', pods: '110', 'nvidia.com/gpu': changes.gpus ?? '8' },
    conditions: [{ type: 'Ready', status: 'True' }],
  },
});
export const claim = (modes: readonly string[], phase = 'Bound') =>
  found({ ...named('claim'), spec: { accessModes: modes }, status: { phase } });
const shared = claim(['ReadWriteMany']);

/** A cluster in which nothing is missing. */
export function facts(changes: Partial<ClusterFacts> = {}): ClusterFacts {
  return {
    version: { major: '1', minor: '36', gitVersion: 'v1.36.3' },
    user: 'ada',
    namespace: found(named('training')),
    rights: rightsFor({}).map((right) => ({ right, refused: [] })),
    service: found(named('temper-workers')),
    storeClaim: shared,
    cacheClaim: null,
    storageClasses: found([named('standard'), named('filestore')]),
    serviceAccount: found(named('default')),
    priorityClass: null,
    secrets: [],
    nodes: found([node(), node()]),
    quotas: found([]),
    queue: null,
    admission: [{ title: 'default', job: null, pod: found(null) }],
    ...changes,
  };
}

export function judge(
  changes: Partial<ClusterFacts>,
  profileChanges: Record<string, unknown> = {},
): readonly HealthCheck[] {
  const profile = kubernetesProfile(profileChanges);
  return judgeFacts(facts(changes), profile, jobsOfProfile(profile).map(wishOf));
}

export const gpus = (needs: object) => ({ jobs: { default: { image: 'registry.example/x:1', ...needs } } });

export interface Case {
  readonly title: string;
  readonly facts: Partial<ClusterFacts>;
  readonly profile?: Record<string, unknown>;
  readonly want: Partial<Record<keyof HealthCheck, unknown>>;
}

export const saying = (text: string) => expect.stringContaining(text) as unknown;
export const by = (command: string): unknown => expect.objectContaining({ command: saying(command) });
