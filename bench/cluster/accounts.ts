/**
 * Users of the cluster with rights in one namespace, each with a kubeconfig: so the API server's audit log tells whose request was whose,
 * and what is measured works with the rights that it has in production.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { SlotPlaces } from '../../test/cluster/machine/places.ts';
import type { TestCluster } from '../../test/cluster/test-bed.ts';

export interface Rights {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** What a worker of Temper needs, and nothing that is not of its namespace. */
export const rightsOfWorker: readonly Rights[] = [
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create', 'get', 'list', 'watch', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'delete'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  { apiGroups: [''], resources: ['events'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['services'], verbs: ['create', 'get'] },
];

export interface Account {
  /** As the audit log names it. */
  readonly user: string;
  readonly kubeconfig: string;
}

/** Makes a ServiceAccount `name` with these rights in `namespace`, and a kubeconfig for it that lasts a day. */
export async function makeAccount(
  { cluster, places }: { readonly cluster: TestCluster; readonly places: SlotPlaces },
  { name, namespace }: { readonly name: string; readonly namespace: string },
  rules: readonly Rights[],
): Promise<Account> {
  const metadata = { name, namespace };
  const rbac = 'rbac.authorization.k8s.io';
  const items = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
  await cluster.kubectl(['create', '--filename', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const token = await cluster.kubectl(['create', 'token', name, '--namespace', namespace, '--duration=24h']);
  const admin = parse(readFileSync(places.kubeconfig, 'utf8')) as { contexts: { context: { user: string } }[] };
  const [{ context } = { context: { user: '' } }] = admin.contexts;
  const kubeconfig = join(places.folder, `${name}.kubeconfig`);
  const users = [{ name: context.user, user: { token: token.trim() } }];
  writeFileSync(kubeconfig, stringify({ ...admin, users }), { mode: 0o600 });
  return { user: `system:serviceaccount:${namespace}:${name}`, kubeconfig };
}
