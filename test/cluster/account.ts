/** A ServiceAccount of a test's namespace, and a kubeconfig by which requests come from it. */
import { writeFile } from 'node:fs/promises';
import type { TestCluster } from './test-bed.ts';

export interface AccountWish {
  readonly namespace: string;
  readonly name: string;
  /** Where its kubeconfig is written. */
  readonly file: string;
}

/** Makes the account; it may do nothing yet. Resolves to the path of its kubeconfig. */
export async function makeAccount(cluster: TestCluster, { namespace, name, file }: AccountWish): Promise<string> {
  const kubectl = (...args: readonly string[]) => cluster.kubectl(['--namespace', namespace, ...args]);
  await kubectl('create', 'serviceaccount', name);
  const token = (await kubectl('create', 'token', name, '--duration=1h')).trim();
  const { clusters } = JSON.parse(await kubectl('config', 'view', '--raw', '--minify', '--output', 'json')) as {
    clusters: readonly { readonly name: string }[];
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters,
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: clusters[0]?.name, user: name } }],
    'current-context': name,
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}
