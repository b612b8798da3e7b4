/**
 * The Python of the trainers on this machine, as a container of the test cluster sees it: its prefix at its own path (programs in an
 * environment name it by absolute links), the environment where the image has it.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A folder of the host that every container of the node sees, read-only. */
export interface HostMount {
  readonly source: string;
  readonly destination: string;
}

export interface HostPython {
  /** The interpreter itself, links resolved. */
  readonly program: string;
  readonly environment: string;
  readonly prefixes: readonly string[];
  readonly mounts: readonly HostMount[];
}

/** Where the image has its Python environment (trainers/image/Dockerfile). */
const environmentInImage = '/opt/venv';

/** Reads the environment whose interpreter is `python` (its pyvenv.cfg names the prefix). */
export function readHostPython(python: string): HostPython {
  const environment = dirname(dirname(python));
  const program = realpathSync(python);
  const prefixes = [
    ...new Set([prefixOf(readFileSync(join(environment, 'pyvenv.cfg'), 'utf8')), dirname(dirname(program))]),
  ];
  return {
    program,
    environment,
    prefixes,
    mounts: [
      ...prefixes.map((prefix) => ({ source: prefix, destination: prefix })),
      { source: environment, destination: environmentInImage },
    ],
  };
}

/** The prefix that a pyvenv.cfg names: the folder above its `home`. */
export function prefixOf(configuration: string): string {
  const [, home] = /^home\s*=\s*(\S.*?)\s*$/m.exec(configuration) ?? [];
  if (home === undefined) throw new Error('pyvenv.cfg names no home: this is no Python environment');
  return dirname(home);
}
