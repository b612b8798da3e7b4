/**
 * What a machine needs to build and run a cluster of the tests: Linux, root, Go, and a few of Debian's programs. Nothing is installed:
 * what is missing is named, with what brings it.
 *
 * Not covered: kernel features. Where namespaces or overlayfs are refused, `up` fails with the kernel's words.
 */
import { isAtLeast, readVersion } from '../../../scripts/setup/versions.mjs';

export interface Machine {
  readonly platform: string;
  readonly architecture: string;
  readonly isRoot: boolean;
  /** Whether a program of this name is on PATH. */
  readonly has: (program: string) => boolean;
  /** What `go version` says; undefined when it cannot be run. */
  readonly goVersion: () => string | undefined;
}

const leastGo = [1, 26];

/** Debian's package for each program. */
const packageOf = {
  'apt-get': 'apt',
  'dpkg-deb': 'dpkg',
  ip: 'iproute2',
  ldd: 'libc-bin',
  mount: 'mount',
  nsenter: 'util-linux',
  openssl: 'openssl',
  tar: 'tar',
  unshare: 'util-linux',
} as const;

/** One line for each thing that is missing; none when a cluster can be had here. */
export function missingOn(machine: Machine): readonly string[] {
  if (machine.platform !== 'linux') return [`Linux (this is ${machine.platform})`];
  const missing: string[] = [];
  if (!['x64', 'arm64'].includes(machine.architecture)) {
    missing.push(`an x64 or arm64 processor (this is ${machine.architecture})`);
  }
  if (!machine.isRoot) missing.push('root: namespaces, mounts and network interfaces are made');
  missing.push(...missingGo(machine));
  for (const [program, name] of Object.entries(packageOf)) {
    if (!machine.has(program)) missing.push(`${program} (Debian: apt-get install ${name})`);
  }
  return missing;
}

function missingGo(machine: Machine): readonly string[] {
  const said = machine.goVersion();
  if (said === undefined) return [`Go ${leastGo.join('.')} or newer on PATH (none was found)`];
  const version = readVersion(said);
  if (version !== undefined && isAtLeast(version, leastGo)) return [];
  return [`Go ${leastGo.join('.')} or newer on PATH (it is: ${said})`];
}
