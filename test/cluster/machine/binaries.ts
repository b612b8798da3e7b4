/**
 * The binaries of a cluster: Kubernetes (one binary for five components), etcd and CoreDNS built once with Go from the modules in ../go;
 * containerd, runc, the CNI plugins and a static busybox unpacked from Debian's packages, nothing installed.
 *
 * Does not cover how they are kept (kept-build.ts).
 */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makeBasicImages } from '../images/basic-images.ts';
import { debianTriplet } from './debian-triplet.ts';
import { buildWithGo, ensureKept, work } from './kept-build.ts';
import type { BuildContext } from './kept-build.ts';

const kubernetes = '1.36.3';
const [, minor = ''] = kubernetes.split('.');
const stamps = [
  ...['gitVersion=v' + kubernetes, 'gitMajor=1', `gitMinor=${minor}`].map(
    (value) => `k8s.io/component-base/version.${value}`,
  ),
  `k8s.io/client-go/pkg/version.gitVersion=v${kubernetes}`,
];

const builds = [
  { module: 'kube', target: '.', flags: ['-s', '-w', ...stamps.flatMap((stamp) => ['-X', stamp])] },
  { module: 'etcd', target: 'go.etcd.io/etcd/server/v3', flags: ['-s', '-w'] },
  { module: 'coredns', target: '.', flags: ['-s', '-w'] },
] as const;

/** Names by which the one binary of Kubernetes is called. */
const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kubectl'];
const packages = ['containerd', 'runc', 'containernetworking-plugins', 'busybox-static', 'libseccomp2'];

export interface Binaries {
  readonly folder: string;
  readonly kubectl: string;
  readonly busybox: string;
  /** PATH of a cluster's processes: ours before the machine's. */
  readonly path: readonly string[];
  readonly cniPlugins: string;
  /** Where libseccomp lies for runc, on machines that have none. */
  readonly libraries: string;
  readonly images: string;
}

/** Finds the binaries, or builds them. Rejects with a SetupProblem (exit code 70) that has the last lines of what failed. */
export async function ensureBinaries(context: BuildContext): Promise<Binaries> {
  const { modules } = context.places;
  const folder = await ensureKept(context, {
    modules,
    steps: [...builds.map((build) => JSON.stringify(build)), ...packages],
    announcement: 'Building a Kubernetes cluster, once: 6 minutes on 2 idle cores',
    make: (half) => build(context, half),
  });
  return binariesIn(folder);
}

async function build(context: BuildContext, folder: string): Promise<void> {
  mkdirSync(join(folder, 'bin'));
  await unpackPackages(context, folder);
  for (const one of builds) {
    const source = join(context.places.modules, one.module);
    await buildWithGo(context, one, { source, output: join(folder, 'bin', one.module) });
  }
  for (const component of components) symlinkSync('kube', join(folder, 'bin', component));
  await makeBasicImages(binariesIn(folder));
}

/** The lists of packages may be empty or old on a fresh machine: then they are fetched first. */
async function unpackPackages(context: BuildContext, folder: string): Promise<void> {
  const script = [
    'apt-get download "$@" || { apt-get -qq update && apt-get download "$@"; }',
    `for package in ./*.deb; do dpkg-deb -x "$package" ${quoted(join(folder, 'system'))}; done`,
  ].join('\n');
  const downloads = join(folder, 'packages');
  mkdirSync(downloads);
  await work(context, {
    name: 'unpack Debian packages',
    command: 'sh',
    args: ['-ec', `cd ${quoted(downloads)}\n${script}`, 'sh', ...packages],
    environment: {},
    fix: 'check that apt-get can reach its mirror, then run this again.',
  });
  rmSync(downloads, { recursive: true });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function binariesIn(folder: string): Binaries {
  const bin = join(folder, 'bin');
  const system = join(folder, 'system');
  return {
    folder,
    kubectl: join(bin, 'kubectl'),
    busybox: join(system, 'bin', 'busybox'),
    path: [bin, join(system, 'usr', 'bin'), join(system, 'usr', 'sbin')],
    cniPlugins: join(system, 'usr', 'lib', 'cni'),
    libraries: join(system, 'usr', 'lib', debianTriplet()),
    images: join(folder, 'images'),
  };
}
