/**
 * What a worker may do in the namespace of its Jobs: every verb that the backend sends, with why. Nothing of the cluster itself, no
 * secrets, no exec.
 *
 * One table for the worker's Role, for `temper doctor` and for the docs. Does not cover the rights of pods: they need none.
 */
import type { KubernetesProfile } from '../configs/schema-profile.ts';

export interface Right {
  /** Empty for Kubernetes' own core. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verbs: readonly string[];
  /** What the backend does with it. */
  readonly why: string;
  /** Jobs go on without it. */
  readonly isOptional?: true;
  /** Needless where somebody has made the object already, as the chart does. */
  readonly unlessMade?: true;
  /** Only needed where the profile names a queue. */
  readonly withQueue?: true;
}

export const rights: readonly Right[] = [
  {
    group: 'batch',
    resource: 'jobs',
    verbs: ['create', 'get', 'list', 'watch', 'patch', 'delete'],
    why: 'submits an attempt, follows it, suspends it so that it saves, shortens its life when its end is recorded, deletes it',
  },
  {
    group: '',
    resource: 'pods',
    verbs: ['list', 'watch'],
    why: 'sees where the pods of a Job stand and how they ended',
  },
  { group: '', resource: 'pods', subresource: 'log', verbs: ['get'], why: 'keeps what a pod printed, before it goes' },
  {
    group: '',
    resource: 'events',
    verbs: ['list', 'watch'],
    why: 'says why a pod does not start, where nothing else does: a volume that is not mounted, pods that are refused',
    isOptional: true,
  },
  {
    group: '',
    resource: 'services',
    verbs: ['create'],
    why: 'makes the one Service that pods of a Job meet by, where nobody has made it',
    isOptional: true,
    unlessMade: true,
  },
  {
    group: 'kueue.x-k8s.io',
    resource: 'workloads',
    verbs: ['list', 'watch', 'patch'],
    why: 'says why a Job waits in its queue, and takes it out when it is stopped',
    withQueue: true,
  },
];

export function rightsFor({ queue }: Pick<KubernetesProfile, 'queue'>): readonly Right[] {
  return rights.filter(({ withQueue }) => withQueue !== true || queue !== undefined);
}

/** Of a worker whose Service is made by who installs it; to see that it is there, `temper doctor` gets it by name. */
export function rightsWhereMade(profile: Pick<KubernetesProfile, 'queue'>): readonly Right[] {
  return rightsFor(profile).filter(({ unlessMade }) => unlessMade !== true);
}

/** As a Role and `kubectl auth can-i` write it: `pods/log`. */
export function resourceText({ resource, subresource }: Right): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

export const workerRoleName = 'temper-worker';

export interface Role {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'Role';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** Exactly what a worker on this profile needs; it is bound to whoever the worker is. */
export function workerRole(profile: Pick<KubernetesProfile, 'namespace' | 'queue'>): Role {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: workerRoleName, namespace: profile.namespace },
    rules: rightsFor(profile).map(ruleOf),
  };
}

export function ruleOf(right: Right): Role['rules'][number] {
  return { apiGroups: [right.group], resources: [resourceText(right)], verbs: [...right.verbs] };
}
