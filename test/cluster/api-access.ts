/** How a kubeconfig with certificates, as our own cluster has one, reaches its API server. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface ApiAccess {
  /** `https://host:port` */
  readonly server: string;
  readonly tls: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };
}

type Fields = Readonly<Record<string, string>>;

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Fields }[];
  readonly users: readonly { readonly user: Fields }[];
}

export function readApiAccess(kubeconfig: string): ApiAccess {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const [cluster, user] = [clusters[0]?.cluster ?? {}, users[0]?.user ?? {}];
  const bytes = (from: Fields, field: string): Buffer => {
    const [path, data] = [from[field], from[`${field}-data`]];
    if (data !== undefined) return Buffer.from(data, 'base64');
    if (path === undefined) throw new Error(`${kubeconfig} has no ${field}: run these tests on our own cluster`);
    return readFileSync(path);
  };
  return {
    server: cluster['server'] ?? '',
    tls: {
      ca: bytes(cluster, 'certificate-authority'),
      cert: bytes(user, 'client-certificate'),
      key: bytes(user, 'client-key'),
    },
  };
}
