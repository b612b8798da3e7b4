/** `npm run bench -- <name>`: runs bench/<name>.ts with the arguments that follow; without a name, says what there is. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runInOurPlace } from './child.mjs';
import { repository } from './repository.ts';

const folder = join(repository, 'bench');
const [name, ...rest] = process.argv.slice(2);
const names = existsSync(folder)
  ? readdirSync(folder).flatMap((file) => (file.endsWith('.ts') ? [file.slice(0, -'.ts'.length)] : []))
  : [];

if (name === undefined || !names.includes(name)) {
  const problem = name === undefined ? 'Name a benchmark' : `There is no benchmark ${name}`;
  console.error(`${problem}: ${names.length === 0 ? 'bench/ has none yet' : names.join(', ')}.`);
  process.exit(64);
}
const program = join(folder, `${name}.ts`);
process.exitCode = await runInOurPlace(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...rest], {
  cwd: repository,
});
