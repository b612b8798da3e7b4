/**
 * Keys and certificates of a cluster, made with openssl: one authority, a certificate for each server and each user. In Kubernetes a
 * certificate is the user: its CN the name, its O the group.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { SlotPlaces } from '../machine/places.ts';
import { run } from '../machine/programs.ts';
import { apiAddress, nodeName } from './components.ts';
import { serviceAddress } from './namespaces.ts';

const days = 30;

export interface Certificate {
  readonly name: string;
  readonly subject: string;
  /** Names and addresses of a server; none for a user. */
  readonly servesAs?: readonly string[];
}

const users: readonly Certificate[] = [
  { name: 'admin', subject: '/O=system:masters/CN=admin' },
  { name: 'controller-manager', subject: '/CN=system:kube-controller-manager' },
  { name: 'scheduler', subject: '/CN=system:kube-scheduler' },
  { name: 'kubelet', subject: `/O=system:nodes/CN=system:node:${nodeName}` },
  { name: 'coredns', subject: '/CN=system:coredns' },
];

function serversOf({ nodeAddress }: SlotPlaces): readonly Certificate[] {
  const service = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ];
  const names = [...service, 'localhost'].map((name) => `DNS:${name}`);
  const addresses = [nodeAddress, serviceAddress, '127.0.0.1'].map((address) => `IP:${address}`);
  return [
    { name: 'apiserver', subject: '/CN=kube-apiserver', servesAs: [...names, ...addresses] },
    {
      name: 'kubelet-serving',
      subject: `/CN=system:node:${nodeName}`,
      servesAs: [`IP:${nodeAddress}`, `DNS:${nodeName}`],
    },
  ];
}

/** Writes everything into `places.keys`, and the kubeconfig of the administrator to `places.kubeconfig`. */
export async function makeCertificates(places: SlotPlaces): Promise<void> {
  mkdirSync(places.keys, { recursive: true, mode: 0o700 });
  await makeAuthority(places.keys);
  const ofApiServer = { name: 'apiserver-kubelet', subject: '/O=system:masters/CN=apiserver-kubelet' };
  await Promise.all([...serversOf(places), ...users, ofApiServer].map((one) => makeCertificate(places.keys, one)));
  for (const { name } of users) {
    const path = name === 'admin' ? places.kubeconfig : join(places.keys, `${name}.kubeconfig`);
    writeFileSync(path, kubeconfigOf(places, name), { mode: 0o600 });
  }
}

async function makeAuthority(keys: string): Promise<void> {
  const openssl = (...args: string[]) => run('openssl', args, { folder: keys });
  const usage = ['-addext', 'keyUsage=critical,keyCertSign,cRLSign,digitalSignature'];
  await openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'ca.key');
  await openssl(
    'req',
    '-x509',
    '-new',
    '-key',
    'ca.key',
    '-subj',
    '/CN=temper-test',
    '-days',
    String(days),
    '-out',
    'ca.crt',
    ...usage,
  );
  await openssl('genrsa', '-out', 'sa.key', '2048');
  await openssl('rsa', '-in', 'sa.key', '-pubout', '-out', 'sa.pub');
}

export async function makeCertificate(keys: string, { name, subject, servesAs }: Certificate): Promise<void> {
  const openssl = (...args: string[]) => run('openssl', args, { folder: keys });
  const usage = [
    'keyUsage=digitalSignature',
    `extendedKeyUsage=${servesAs === undefined ? 'clientAuth' : 'serverAuth'}`,
  ];
  const names = servesAs === undefined ? [] : [`subjectAltName=${servesAs.join(',')}`];
  writeFileSync(join(keys, `${name}.extensions`), `${[...usage, ...names].join('\n')}\n`);
  await openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', `${name}.key`);
  await openssl('req', '-new', '-key', `${name}.key`, '-subj', subject, '-out', `${name}.csr`);
  const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', `0x${serialOf(name)}`, '-days', String(days)];
  await openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    ...authority,
    '-extfile',
    `${name}.extensions`,
    '-out',
    `${name}.crt`,
  );
}

/** A name is a serial number as well as any, and certificates can be made side by side. */
function serialOf(name: string): string {
  return Buffer.from(name).toString('hex').slice(0, 38);
}

function kubeconfigOf(places: SlotPlaces, user: string): string {
  const data = (name: string) => readFileSync(join(places.keys, name), 'base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'temper-test',
    clusters: [
      { name: 'temper-test', cluster: { server: apiAddress(places), 'certificate-authority-data': data('ca.crt') } },
    ],
    users: [
      { name: user, user: { 'client-certificate-data': data(`${user}.crt`), 'client-key-data': data(`${user}.key`) } },
    ],
    contexts: [{ name: 'temper-test', context: { cluster: 'temper-test', user } }],
  });
}
