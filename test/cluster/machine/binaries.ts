/**
 * The binaries of a cluster: Kubernetes (one binary for five components), etcd and CoreDNS built once with Go from the modules in ../go;
 * containerd, runc, the CNI plugins and a static busybox unpacked from Debian's packages, nothing installed.
 *
 * They lie in a folder named by cache-key.ts. It is made under another name and renamed when it is whole, by one build at a time on a
 * machine; a build that was killed is begun anew, and Go's own cache makes that quick. Folders of older keys are left: remove them by hand.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged } from '../../../scripts/setup/commands.mjs';
import { alone } from '../../../scripts/setup/lock.mjs';
import { SetupProblem } from '../../../scripts/setup/problem.mjs';
import { makeBasicImages } from '../images/basic-images.ts';
import { debianTriplet } from './debian-triplet.ts';
import { cacheKey } from './cache-key.ts';
import { findCache } from './places.ts';
import type { CachePlaces } from './places.ts';
import { run } from './programs.ts';

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
const goSettings = { GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' };
const softwareProblem = 70;

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

/** What a build works with: the places, the environment, and where to say what is going on. */
export interface BuildContext {
  readonly places: CachePlaces;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  /** What it is, in "Another … is at work". */
  readonly what: string;
  /** The process group at work, for who is asked to stop. */
  child?: number | undefined;
  /** Gives the lock back; set while it is held. */
  release: () => void;
}

export function buildContext(environment: NodeJS.ProcessEnv, say: (line: string) => void): BuildContext {
  return { places: findCache(environment), environment, say, what: 'build of a cluster', release: () => undefined };
}

/** Finds the binaries, or builds them. Rejects with a SetupProblem (exit code 70) that has the last lines of what failed. */
export async function ensureBinaries(context: BuildContext): Promise<Binaries> {
  const folder = join(context.places.cache, await currentKey(context));
  if (!existsSync(folder)) {
    mkdirSync(context.places.cache, { recursive: true });
    await alone(context, async () => {
      if (!existsSync(folder)) await build(context, folder);
    });
  }
  return binariesIn(folder);
}

async function currentKey({ places: { modules }, environment }: BuildContext): Promise<string> {
  const paths = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(mod|sum|go)$/.test(path),
  );
  return cacheKey({
    files: Object.fromEntries(paths.map((path) => [path, readFileSync(join(modules, path), 'utf8')])),
    goVersion: (await run('go', ['env', 'GOVERSION'], { environment: { ...environment, ...goSettings } })).trim(),
    architecture: process.arch,
    steps: [...builds.map((build) => JSON.stringify(build)), ...packages],
  });
}

async function build(context: BuildContext, folder: string): Promise<void> {
  const half = `${folder}.half`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(join(half, 'bin'), { recursive: true });
  context.say(`Building a Kubernetes cluster into ${folder}, once: 6 minutes on 2 idle cores.`);
  await unpackPackages(context, half);
  for (const { module, target, flags } of builds) {
    const begun = performance.now();
    const output = join(half, 'bin', module);
    const go = ['go', 'build', '-C', join(context.places.modules, module), '-p', '2', '-trimpath'];
    await work(context, {
      name: `go build ${module}`,
      command: 'nice',
      args: ['-n', '19', ...go, '-ldflags', flags.join(' '), '-o', output, target],
      environment: goSettings,
      fix: 'check that the Go module proxy can be reached and that the disk has 6 GB free, then run this again.',
    });
    context.say(`  ${module} built in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  }
  for (const component of components) symlinkSync('kube', join(half, 'bin', component));
  await makeBasicImages(binariesIn(half));
  renameSync(half, folder);
}

/** The lists of packages may be empty or old on a fresh machine: then they are fetched first. */
async function unpackPackages(context: BuildContext, half: string): Promise<void> {
  const script = [
    'apt-get download "$@" || { apt-get -qq update && apt-get download "$@"; }',
    `for package in ./*.deb; do dpkg-deb -x "$package" ${quoted(join(half, 'system'))}; done`,
  ].join('\n');
  const downloads = join(half, 'packages');
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

interface Work {
  readonly name: string;
  readonly command: string;
  readonly args: string[];
  readonly environment: object;
  readonly fix: string;
}

/** A build that fails is no missing toolchain: it has another exit code. */
async function work(context: BuildContext, one: Work): Promise<void> {
  try {
    await runLogged(context, one);
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    const { message, fix, details } = error as SetupProblem & { fix: string; details: string };
    throw new SetupProblem(message, { fix, details, exitCode: softwareProblem });
  }
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
