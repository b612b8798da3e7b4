/**
 * What a cluster says of everything that the jobs of a profile need. Asked with the rights of whoever asks: what they may not read is so
 * marked. Changes nothing; judges nothing (judge-*.ts).
 */
import type { KubernetesProfile } from '../../configs/schema-profile.ts';
import { jobsPath, podsPath } from '../job-observer.ts';
import type { KubeClient } from '../kube-client.ts';
import { type Right, rightsFor } from '../rights.ts';
import type { Claim, List, LocalQueue, Named, Node, Quota, ServerVersion } from './cluster-objects.ts';
import { type Reading, read, refusalOf } from './reading.ts';
import type { JobWish } from './wish.ts';

export interface ClusterFacts {
  readonly version: ServerVersion;
  /** As the server calls whoever asks; null where it does not say. */
  readonly user: string | null;
  readonly namespace: Reading<Named>;
  readonly rights: readonly { readonly right: Right; readonly refused: readonly string[] }[];
  readonly service: Reading<Named>;
  readonly storeClaim: Reading<Claim>;
  readonly cacheClaim: Reading<Claim> | null;
  readonly storageClasses: Reading<readonly Named[]>;
  readonly serviceAccount: Reading<Named>;
  readonly priorityClass: Reading<Named> | null;
  readonly secrets: readonly SecretFact[];
  readonly nodes: Reading<readonly Node[]>;
  readonly quotas: Reading<readonly Quota[]>;
  readonly queue: QueueFacts | null;
  readonly admission: readonly AdmissionFact[];
}

export interface SecretFact {
  readonly name: string;
  /** The key that a variable is read from; null for one that images are pulled with. */
  readonly key: string | null;
  readonly reading: Reading<Named>;
}

export interface QueueFacts {
  /** The version of Kueue's API; null where Kueue is not installed. */
  readonly apiVersion: string | null;
  readonly localQueue: Reading<LocalQueue>;
  readonly priorityClass: Reading<Named> | null;
}

export interface AdmissionFact {
  readonly title: string;
  /** What the server says against the Job; null where it takes it. */
  readonly job: string | null;
  /** The same of its pods. */
  readonly pod: Reading<string | null>;
}

/** Throws `backend-unavailable` where the server does not answer. */
export async function gatherFacts(
  client: KubeClient,
  profile: KubernetesProfile,
  wishes: readonly JobWish[],
): Promise<ClusterFacts> {
  const { namespace, store, cache, priorityClass, serviceAccount } = profile;
  const version = await client.send<ServerVersion>({ method: 'GET', path: '/version' });
  const inNamespace = <T>(kind: string, name: string) =>
    read<T>(client, { path: `/api/v1/namespaces/${namespace}/${kind}/${name}`, doing: `read ${kind}` });
  const found = await read<Named>(client, { path: `/api/v1/namespaces/${namespace}`, doing: 'read namespaces' });
  const isThere = found.state !== 'absent';
  const [user, rights, service, storeClaim, cacheClaim, storageClasses, account, priority, nodes, quotas] =
    await Promise.all([
      userOf(client),
      refusedRights(client, profile),
      inNamespace<Named>('services', profile.rendezvousService),
      inNamespace<Claim>('persistentvolumeclaims', store.claim),
      cache === undefined ? null : inNamespace<Claim>('persistentvolumeclaims', cache.claim),
      listed<Named>(client, '/apis/storage.k8s.io/v1/storageclasses', 'list storageclasses'),
      inNamespace<Named>('serviceaccounts', serviceAccount),
      priorityClass === undefined ? null : clusterWide(client, 'scheduling.k8s.io/v1/priorityclasses', priorityClass),
      listed<Node>(client, '/api/v1/nodes', 'list nodes'),
      listed<Quota>(client, `/api/v1/namespaces/${namespace}/resourcequotas`, 'list resourcequotas'),
    ]);
  return {
    version,
    user,
    namespace: found,
    rights,
    service,
    storeClaim,
    cacheClaim,
    storageClasses,
    serviceAccount: account,
    priorityClass: priority,
    secrets: await secretFacts(client, profile),
    nodes,
    quotas,
    queue: await queueFacts(client, profile),
    // Of a namespace that is not there, every answer would be the same.
    admission: isThere ? await admissionFacts(client, namespace, wishes) : [],
  };
}

async function userOf(client: KubeClient): Promise<string | null> {
  const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  try {
    const { status } = await client.send<{ status: { userInfo: { username: string } } }>({
      method: 'POST',
      path,
      body: kind,
    });
    return status.userInfo.username;
  } catch {
    return null; // it is only told, and nothing depends on it
  }
}

async function refusedRights(client: KubeClient, profile: KubernetesProfile): Promise<ClusterFacts['rights']> {
  return await Promise.all(
    rightsFor(profile).map(async (right) => {
      const allowed = await Promise.all(right.verbs.map((verb) => mayI(client, profile.namespace, { ...right, verb })));
      return { right, refused: right.verbs.filter((_, index) => allowed[index] !== true) };
    }),
  );
}

async function mayI(
  client: KubeClient,
  namespace: string,
  asked: Pick<Right, 'group' | 'resource' | 'subresource'> & { readonly verb: string },
): Promise<boolean> {
  const { group, resource, subresource, verb } = asked;
  const resourceAttributes = { namespace, group, resource, verb, ...(subresource ? { subresource } : {}) };
  const { status } = await client.send<{ status: { allowed: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    },
  });
  return status.allowed;
}

const clusterWide = (client: KubeClient, kind: string, name: string): Promise<Reading<Named>> =>
  read<Named>(client, { path: `/apis/${kind}/${name}`, doing: `read ${kind.split('/').at(-1) ?? kind}` });

async function listed<T>(client: KubeClient, path: string, doing: string): Promise<Reading<readonly T[]>> {
  const reading = await read<List<T>>(client, { path, doing });
  return reading.state === 'found' ? { state: 'found', value: reading.value.items } : reading;
}

/** Only that they are there: their values are never asked for. */
async function secretFacts(client: KubeClient, profile: KubernetesProfile): Promise<readonly SecretFact[]> {
  const wanted = [
    ...profile.imagePullSecrets.map((name) => ({ name, key: null })),
    ...Object.values(profile.secrets).map(({ name, key }) => ({ name, key })),
  ];
  return await Promise.all(
    wanted.map(async ({ name, key }) => {
      const path = `/api/v1/namespaces/${profile.namespace}/secrets/${name}`;
      return { name, key, reading: await read<Named>(client, { path, doing: 'read secrets', metadataOnly: true }) };
    }),
  );
}

async function queueFacts(client: KubeClient, { queue, namespace }: KubernetesProfile): Promise<ClusterFacts['queue']> {
  if (queue === undefined) return null;
  const group = await read<{ preferredVersion: { groupVersion: string } }>(client, {
    path: '/apis/kueue.x-k8s.io',
    doing: 'read API groups',
  });
  const absent = { state: 'absent' } as const;
  if (group.state !== 'found') return { apiVersion: null, localQueue: absent, priorityClass: absent };
  const { groupVersion } = group.value.preferredVersion;
  const path = `/apis/${groupVersion}/namespaces/${namespace}/localqueues/${queue.kueue}`;
  const [localQueue, priorityClass] = await Promise.all([
    read<LocalQueue>(client, { path, doing: 'read localqueues' }),
    queue.priorityClass === undefined
      ? null
      : clusterWide(client, `${groupVersion}/workloadpriorityclasses`, queue.priorityClass),
  ]);
  return { apiVersion: groupVersion, localQueue, priorityClass };
}

/** Tried as dry runs under another name: the Jobs themselves may be there already. */
async function admissionFacts(
  client: KubeClient,
  namespace: string,
  wishes: readonly JobWish[],
): Promise<readonly AdmissionFact[]> {
  const named = { name: `temper-doctor-${String(process.pid)}`, namespace };
  const mayTryPods = await mayI(client, namespace, { group: '', resource: 'pods', verb: 'create' });
  return await Promise.all(
    wishes.map(async ({ title, manifest: { metadata, spec, ...kind } }) => {
      const job = { ...kind, metadata: { ...metadata, ...named }, spec };
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...spec?.template.metadata, ...named },
        spec: spec?.template.spec,
      };
      return {
        title,
        job: await refusalOf(client, jobsPath(namespace), job),
        pod: mayTryPods
          ? { state: 'found', value: await refusalOf(client, podsPath(namespace), pod) }
          : { state: 'unreadable', why: 'you may not create pods' },
      };
    }),
  );
}
