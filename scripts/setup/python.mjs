/**
 * Finds a Python that can run the trainers (3.11 or newer): TEMPER_PYTHON, else the first on PATH that is new enough.
 *
 * Python itself is not installed by set-up: a machine without one is told how to get it.
 */
import { onPath, probe } from './commands.mjs';
import { exitCodes, SetupProblem } from './problem.mjs';
import { isAtLeast, readVersion } from './versions.mjs';

const least = [3, 11];
const names = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.14', 'python'];
const fix =
  'install Python 3.11 or newer (Debian, Ubuntu: apt-get install python3 python3-venv), or set TEMPER_PYTHON to its path.';

// The base executable, so that a Python inside a venv (our own, when commands are nested) never becomes the base of another.
const question =
  'import sys; print("%d.%d.%d" % sys.version_info[:3]); print(getattr(sys, "_base_executable", sys.executable))';

/**
 * @returns {{path: string, version: string}}
 * @throws SetupProblem that names every Python that was found and its version
 */
export function findPython(environment, ask = askPython) {
  if (environment.TEMPER_PYTHON) return explicit(environment, ask);
  const tooOld = [];
  for (const path of names.flatMap((name) => onPath(name, environment))) {
    const found = ask(path, environment);
    if (found === undefined) continue;
    if (isAtLeast(readVersion(found.version), least)) return found;
    tooOld.push(`${path} is ${found.version}`);
  }
  const seen = tooOld.length === 0 ? 'none was found on PATH' : tooOld.join(', ');
  throw new SetupProblem(`Python 3.11 or newer is needed; ${seen}.`, { fix, exitCode: exitCodes.configuration });
}

function explicit(environment, ask) {
  const path = environment.TEMPER_PYTHON;
  const found = ask(path, environment);
  if (found !== undefined && isAtLeast(readVersion(found.version), least)) return found;
  const what = found === undefined ? 'cannot be run' : `is Python ${found.version}, and 3.11 or newer is needed`;
  throw new SetupProblem(`TEMPER_PYTHON=${path} ${what}.`, { fix, exitCode: exitCodes.configuration });
}

function askPython(path, environment) {
  const answer = probe(path, ['-c', question], environment)?.split('\n');
  return answer?.length === 2 ? { version: answer[0], path: answer[1] } : undefined;
}
