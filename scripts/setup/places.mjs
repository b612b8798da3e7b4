/**
 * Where set-up puts things. Plain data: nothing is created here.
 *
 * Everything lies in one folder: `TEMPER_CACHE`, or `.temper` in the repository. Only node_modules lies elsewhere, because Node looks
 * for it there. `setup.json` in that folder is what other programs read: `{node, temporalCli, python, createdAt}`, absolute paths.
 */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = resolve(fileURLToPath(new URL('../..', import.meta.url)));

/** The folders and files of set-up. `environment` is read for TEMPER_CACHE only. */
export function findPlaces(environment) {
  const own = join(repository, '.temper');
  const cache = environment.TEMPER_CACHE ? resolve(environment.TEMPER_CACHE) : own;
  const clone = createHash('sha256').update(repository).digest('hex').slice(0, 8);
  return {
    repository,
    cache,
    record: join(cache, 'setup.json'),
    lock: join(cache, 'setup.lock'),
    child: join(cache, 'setup.child'),
    logs: join(cache, 'logs'),
    tools: join(cache, 'tools'),
    uvCache: join(cache, 'uv'),
    // Two clones may share a cache, but not a venv: it names the clone's own trainers.
    venv: join(cache, cache === own ? 'venv' : `venv-${clone}`),
    nodeModules: join(repository, 'node_modules'),
    packageLock: join(repository, 'package-lock.json'),
    trainers: join(repository, 'trainers'),
    requirements: join(repository, 'trainers', 'requirements.lock'),
    statisticsRequirements: join(repository, 'trainers', 'requirements-statistics.lock'),
    cpuRequirements: join(repository, 'trainers', 'requirements-cpu.in'),
    toolRequirements: join(repository, 'scripts', 'setup', 'tools.lock'),
  };
}
