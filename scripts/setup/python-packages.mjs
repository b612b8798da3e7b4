/**
 * Step: a venv with exactly the packages of trainers/requirements.lock (each checked against its digest) and the trainers themselves, by
 * a .pth file that names their folder, as an editable install would. What one test alone compares with lies in a folder beside them, where
 * no trainer finds it.
 *
 * A venv whose mark is missing was left half-made: it is made anew, because a half-written package looks installed to every installer.
 * `TEMPER_TORCH=cpu` takes torch from PyTorch's own CPU index instead: without digests, since that index is not PyPI.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { probe, runLogged } from './commands.mjs';
import { findInstaller } from './installer.mjs';
import { exitCodes, SetupProblem } from './problem.mjs';
import { digestOf, readJson, writeJson } from './record.mjs';

const fix = 'check that PyPI can be reached, then run this again.';
const mark = '.temper-complete.json';

export const pythonPackages = {
  name: 'Python packages',
  contents: 'torch, transformers, trl, peft, datasets, pytest, ruff, mypy',
  downloadBytes: 3.0e9,
  diskBytes: 7.0e9,
  folder: (places) => places.venv,

  /** The venv's Python when the venv is whole and made from today's lock. */
  find({ places, environment }) {
    const finished = readJson(join(places.venv, mark));
    const wanted = keyOf(places, flavourOf(environment));
    const same = finished !== undefined && Object.entries(wanted).every(([name, value]) => finished[name] === value);
    return same && existsSync(pythonOf(places)) ? pythonOf(places) : undefined;
  },

  async make(context) {
    const { places, environment } = context;
    const flavour = flavourOf(environment);
    const installer = await findInstaller(context);
    await makeVenv(context, installer);
    if (flavour === 'cpu') await installWithCpuTorch(context, installer);
    else await installLocked(context, installer, places.requirements);
    await installStatistics(context, installer);
    addTrainers(places);
    writeJson(join(places.venv, mark), { ...keyOf(places, flavour), python: context.python().version });
    return pythonOf(places);
  },
};

function pythonOf(places) {
  return join(places.venv, 'bin', 'python');
}

function flavourOf(environment) {
  const flavour = environment.TEMPER_TORCH || 'default';
  if (flavour === 'default' || flavour === 'cpu') return flavour;
  throw new SetupProblem(`TEMPER_TORCH=${flavour} is not known.`, {
    fix: 'set it to cpu for a torch without CUDA, or unset it.',
    exitCode: exitCodes.configuration,
  });
}

function keyOf(places, flavour) {
  const { requirements, statisticsRequirements, trainers } = places;
  return { lock: digestOf(requirements), statistics: digestOf(statisticsRequirements), flavour, trainers };
}

async function makeVenv(context, installer) {
  const { places } = context;
  const whole = existsSync(join(places.venv, mark)) && existsSync(pythonOf(places));
  rmSync(join(places.venv, mark), { force: true });
  if (whole) return;
  rmSync(places.venv, { recursive: true, force: true });
  const base = context.python().path;
  const command =
    installer.kind === 'uv'
      ? { command: installer.path, args: ['venv', '--no-project', '--python', base, places.venv] }
      : { command: installer.path, args: ['-m', 'venv', places.venv] };
  await runLogged(context, { name: 'venv', ...command, environment: uvSettings(context), fix });
}

async function installLocked(context, installer, list) {
  const { places } = context;
  const command =
    installer.kind === 'uv'
      ? { command: installer.path, args: ['pip', 'sync', '--python', pythonOf(places), '--require-hashes', list] }
      : {
          command: pythonOf(places),
          args: ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-deps', '--require-hashes', '-r', list],
        };
  await runLogged(context, {
    name: 'install of the Python packages',
    ...command,
    environment: uvSettings(context),
    fix,
  });
}

/** scipy and statsmodels: trainers/tests/test_statistics_cases.py puts the folder on its path. */
async function installStatistics(context, installer) {
  const { places } = context;
  const target = join(places.venv, 'statistics');
  rmSync(target, { recursive: true, force: true });
  const what = ['--target', target, '--no-deps', '--require-hashes', '-r', places.statisticsRequirements];
  const command =
    installer.kind === 'uv'
      ? { command: installer.path, args: ['pip', 'install', '--python', pythonOf(places), ...what] }
      : { command: pythonOf(places), args: ['-m', 'pip', 'install', '--disable-pip-version-check', ...what] };
  await runLogged(context, {
    name: 'install of scipy and statsmodels',
    ...command,
    environment: uvSettings(context),
    fix,
  });
}

/** Not run where this was written: PyTorch's CPU index could not be reached from there. */
async function installWithCpuTorch(context, installer) {
  const { places } = context;
  if (installer.kind !== 'uv') {
    throw new SetupProblem('TEMPER_TORCH=cpu needs uv.', { fix: 'put uv on PATH.', exitCode: exitCodes.configuration });
  }
  const rest = join(places.venv, 'requirements-without-torch.txt');
  writeFileSync(rest, withoutTorch(readFileSync(places.requirements, 'utf8')));
  await installLocked(context, installer, rest);
  await runLogged(context, {
    name: 'install of the CPU torch',
    command: installer.path,
    args: ['pip', 'install', '--python', pythonOf(places), '--torch-backend', 'cpu', '-r', places.cpuRequirements],
    environment: uvSettings(context),
    fix: "check that PyTorch's CPU index can be reached, or unset TEMPER_TORCH.",
  });
}

/** The lock without torch and without what only its CUDA build needs. */
export function withoutTorch(lock) {
  const cudaOnly = /^(torch|triton|nvidia-[a-z0-9-]+|cuda-[a-z0-9-]+)(==| *;|\[)/;
  return lock
    .split(/\n(?=\S)/)
    .filter((entry) => !cudaOnly.test(entry))
    .join('\n');
}

function uvSettings({ environment, places }) {
  return { UV_CACHE_DIR: environment.UV_CACHE_DIR ?? places.uvCache };
}

function addTrainers(places) {
  const folder = probe(pythonOf(places), ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']);
  const source = existsSync(join(places.trainers, 'src')) ? join(places.trainers, 'src') : places.trainers;
  writeFileSync(join(folder, 'temper-trainers.pth'), `${source}\n`);
}
