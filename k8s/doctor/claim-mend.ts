/**
 * How a claim on a volume that many nodes write to comes to be: of a storage class where there are any, else of a volume that is named. Pure.
 *
 * A claim without a class is no answer: where there is no default class it waits for ever, and most default classes serve one node alone.
 */
import type { KubernetesProfile } from '../../configs/schema-profile.ts';
import type { Mend } from '../../decisions/health-check.ts';
import { createObject } from './commands.ts';
import type { ClusterFacts } from './facts.ts';

export interface ClaimWish {
  readonly claim: string;
  /** Where the volume is mounted. */
  readonly path: string;
}

export function claimMend(
  { storageClasses, nodes }: Pick<ClusterFacts, 'storageClasses' | 'nodes'>,
  wish: ClaimWish,
  profile: KubernetesProfile,
): Mend {
  const manyNodes = 'a class whose volumes many nodes write to (ReadWriteMany)';
  if (storageClasses.state === 'unreadable')
    return {
      change: `name for CLASS ${manyNodes}: \`kubectl get storageclass\` lists them to those who may; where there is none, docs/how-to/run-on-a-cluster.md makes a volume`,
      command: createObject(profile, claimOf(wish, { storageClassName: 'CLASS' })),
    };
  const classes = storageClasses.state === 'found' ? storageClasses.value.map(({ metadata }) => metadata.name) : [];
  if (classes.length > 0)
    return {
      change: `name for CLASS ${manyNodes}; there are: ${classes.join(', ')}`,
      command: createObject(profile, claimOf(wish, { storageClassName: 'CLASS' })),
    };
  const isOneNode = nodes.state === 'found' && nodes.value.length === 1;
  const made = isOneNode
    ? `this makes a volume of the folder ${wish.path} of the only node, which must be there`
    : 'this makes a volume of an NFS server, whose name and export you fill in';
  const command = createObject(profile, volumeAndClaim(wish, { isOneNode, namespace: profile.namespace }));
  return { change: `there is no storage class: ${made}`, command };
}

function claimOf({ claim }: ClaimWish, of: object): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: claim },
    spec: { accessModes: ['ReadWriteMany'], ...of, resources: { requests: { storage: '100Gi' } } },
  };
}

/** The volume is the cluster's, so that its name holds the namespace's. */
function volumeAndClaim(
  wish: ClaimWish,
  { isOneNode, namespace }: { readonly isOneNode: boolean; readonly namespace: string },
): object {
  const volumeName = `${namespace}-${wish.claim}`;
  const source = isOneNode
    ? { hostPath: { path: wish.path, type: 'Directory' } }
    : { nfs: { server: 'SERVER', path: 'EXPORT' } };
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: volumeName },
    spec: {
      capacity: { storage: '100Gi' },
      accessModes: ['ReadWriteMany'],
      storageClassName: '',
      claimRef: { namespace, name: wish.claim },
      ...source,
    },
  };
  return { apiVersion: 'v1', kind: 'List', items: [volume, claimOf(wish, { storageClassName: '', volumeName })] };
}
