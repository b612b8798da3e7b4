/**
 * `npm run bench -- <name> [arguments]`: runs bench/<name>.ts, or trainers/bench/<name>.py with the trainers' Python. Without a name it
 * says what there is.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { runInOurPlace } from './child.mjs';
import { readPython } from './python.ts';
import { repository } from './repository.ts';

const [name, ...rest] = process.argv.slice(2);
const programs = [
  ...listPrograms(join(repository, 'bench'), '.ts'),
  ...listPrograms(join(repository, 'trainers', 'bench'), '.py'),
];
const chosen = programs.find((path) => nameOf(path) === name);

if (chosen === undefined) {
  const problem = name === undefined ? 'Name a benchmark' : `There is no benchmark ${name}`;
  console.error(`${problem}: ${programs.map(nameOf).join(', ')}.`);
  process.exit(64);
}
const [program, ...flags] = chosen.endsWith('.py')
  ? [readPython()]
  : [process.execPath, '--disable-warning=ExperimentalWarning'];
process.exitCode = await runInOurPlace(program, [...flags, chosen, ...rest], { cwd: repository });

/** Files that a person can start; a Python file that is only imported by others has no main part. */
function listPrograms(folder: string, ending: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder)
    .filter((file) => extname(file) === ending)
    .map((file) => join(folder, file));
  return ending === '.py' ? paths.filter((path) => readFileSync(path, 'utf8').includes('__main__')) : paths;
}

function nameOf(path: string): string {
  return basename(path, extname(path));
}
