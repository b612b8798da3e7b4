/** `npm run fix`: lays out TypeScript and Python, and mends what the linters can mend by themselves. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readPython } from './python.ts';
import { repository } from './repository.ts';

const modules = join(repository, 'node_modules');
const trainers = join(repository, 'trainers');

const steps = [
  { program: process.execPath, args: [join(modules, 'eslint/bin/eslint.js'), '--fix', '.'], folder: repository },
  { program: process.execPath, args: [join(modules, 'prettier/bin/prettier.cjs'), '--write', '.'], folder: repository },
  { program: readPython(), args: ['-m', 'ruff', 'check', '--fix', '.'], folder: trainers },
  { program: readPython(), args: ['-m', 'ruff', 'format', '.'], folder: trainers },
];

for (const { program, args, folder } of steps) {
  const { status } = spawnSync(program, args, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
